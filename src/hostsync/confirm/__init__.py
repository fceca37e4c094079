"""Joins what the scan says with what runs on a GPU showed.

Pure functions, but for `verdicts` and `from_run`, which read and write files.
"""
