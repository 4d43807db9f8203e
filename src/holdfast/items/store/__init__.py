"""The only code that reads or writes what spread keeps: live keys and tables."""
