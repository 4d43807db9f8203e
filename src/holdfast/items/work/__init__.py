"""Our own volunteer client: claims items, runs a command for each, and reports what came of it."""
