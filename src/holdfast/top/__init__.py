"""`holdfast top`: the running system, live in the terminal."""
