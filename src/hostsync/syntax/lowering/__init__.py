"""Lowering: the nodes of `ast` become facts.

This is the hot path of a scan, which is why it looks as it does: one function per node type in a dict, facts built
with `tuple.__new__` (a third of the cost of calling the class), no visitor classes, no attribute look-up by name.

What is not in the facts, on purpose:

* expression statements that are a bare constant (doc strings, `...`), `type X = …` statements and type parameters;
* expressions nested more than `EXPRESSION_DEPTH` deep: an *opaque* constant (kind `ellipsis`, value None) stands there;
* statements nested more than `STATEMENT_DEPTH` deep. An `elif` chain longer than that goes on as `If` statements one
  after another. What follows may therefore recurse over facts without fear;
* the value of an int literal of more than 64 bits (None).

Spans: that of a field of an f-string, and of its format, is the span of the expression in it, and a t-string is the
tuple of its values, because Python releases differ in the positions (and the syntax) that they know here.
"""
