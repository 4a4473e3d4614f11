"""Who is stronger: matches, ratings, and luck told from skill."""
