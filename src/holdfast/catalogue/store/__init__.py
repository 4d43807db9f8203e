"""The only code that reads or writes the catalogue's tables and keys; one module for each word."""
