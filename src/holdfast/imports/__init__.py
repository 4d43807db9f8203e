"""Coming from another tracker: its members, uploads and swarms, read from where it left them."""
