"""The light parent of `holdfast up`: starts every part as its own process and keeps it going."""
