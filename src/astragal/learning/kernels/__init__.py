"""What learning compiles, apart from the rest: an edit of the rest leaves it compiled."""
