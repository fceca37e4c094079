"""The formats. A module here is a format: its name is the option's value, its `render(report)` yields the text."""
