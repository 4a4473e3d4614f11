"""Pictures of positions for eyes: text boards with colour, and SVG boards."""
