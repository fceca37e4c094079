"""`python -m hostsync`."""

from hostsync.cli import main

if __name__ == "__main__":
    main()
