"""The catalogue's loops: the live store follows the records, notices find their readers."""
