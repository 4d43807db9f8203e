"""Looks at the machine and the stores without changing anything; what to think of it is left to the rules."""
