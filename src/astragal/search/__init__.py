"""Better values from values: look-ahead, roll-outs and tree search over any value function."""
