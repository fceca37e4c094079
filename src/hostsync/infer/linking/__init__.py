"""What functions and files know of each other: summaries, what callers hand in, and interfaces as plain data."""
