"""Spread: a project too big for one machine is cut into items that volunteers claim, fetch and report."""
