"""Holdfast keeps what a community refuses to lose."""

__version__ = "0.1.0"
