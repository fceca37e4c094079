"""Transfer functions of expressions, calls and subscripts left out (`calls`, `indexing`)."""
