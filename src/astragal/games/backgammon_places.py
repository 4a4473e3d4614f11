"""Where a side's checkers can be: borne off, on its points 1 to 24, on the bar."""

OFF, BAR = 0, 25
HALF = 26
"""How many places a half of a position has."""
