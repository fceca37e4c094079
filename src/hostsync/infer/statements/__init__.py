"""Transfer functions of statements."""
