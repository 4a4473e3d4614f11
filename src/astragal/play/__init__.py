"""People at the board: a game in the terminal, a record looked at again, a quiz."""
