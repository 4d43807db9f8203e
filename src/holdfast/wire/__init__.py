"""Bytes in, values out, and back: every format and protocol that Holdfast speaks, without I/O or a clock."""
