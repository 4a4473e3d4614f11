"""Independent public engines, asked in our own layout what a roll may lead to."""
