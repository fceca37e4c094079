"""What is scanned and how: settings, discovery of files, the cache and the worker pool."""
