"""The only code that reads and writes the tracker's marks in the live store and its tables in the records."""
