"""Python source → facts. Importing this room imports nothing else; libcst is imported where it is needed."""
