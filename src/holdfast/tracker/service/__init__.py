"""The tracker's loops: peers that fell silent leave their swarms, what changed is known at once."""
