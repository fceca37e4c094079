"""Subscripts: which loads and stores move data between host and device, or ask the device for a shape.

What waits is measured (rules/evidence). In short: a bool mask asks for a shape, unless a Python scalar is stored
through it alone; an index that lives on the host is copied; a 0-d device index is read back; a Python scalar stored
into one element, or at tensor positions, is copied (until torch 2.15).
"""
