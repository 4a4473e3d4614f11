"""Studies: many runs of training that differ in some settings, measured and put side by side."""
