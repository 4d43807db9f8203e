"""The web door: the typed API, the live feed, health and metrics, and the pages."""
