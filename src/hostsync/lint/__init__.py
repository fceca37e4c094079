"""From sources to findings: checks a file, selects rules, honours allow comments and baselines."""
