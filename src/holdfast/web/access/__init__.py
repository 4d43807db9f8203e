"""Getting in: sessions for people, tokens for machines, one-time links, passwords."""
