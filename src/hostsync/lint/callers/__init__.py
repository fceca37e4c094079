"""What the callers of functions hand in, across the files of a project."""
