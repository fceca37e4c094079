"""Objects and containers that are handed to functions of other files, which nobody annotates."""
