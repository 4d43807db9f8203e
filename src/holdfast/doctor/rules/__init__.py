"""What to think of what was seen: pure functions from facts to findings."""
