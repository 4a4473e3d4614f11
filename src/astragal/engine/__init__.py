"""Answers for other programs: a line protocol, and a player that GNU Backgammon connects to."""
