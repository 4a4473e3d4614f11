"""Something that chooses among the plays of a position."""
