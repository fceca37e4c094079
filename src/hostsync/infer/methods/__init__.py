"""Transfer functions of methods, by what they are called of."""
