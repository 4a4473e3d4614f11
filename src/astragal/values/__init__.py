"""What a position is worth: value functions that look at nothing but the position."""
