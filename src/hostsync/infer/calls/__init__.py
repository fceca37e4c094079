"""Transfer functions of calls: of operations and other functions of libraries, of Python, and of the project."""
