"""The record that all parts share: members, uploads, points, notices."""
