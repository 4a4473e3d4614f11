"""The web page: a board to ask about and play at, and training runs to watch."""
