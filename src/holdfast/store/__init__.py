"""Where state lives: the live store for what changes by the second, the records for what must be kept."""
