"""Exact values by dynamic programming."""
