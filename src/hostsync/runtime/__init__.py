"""The runtime half: the oracle, the sources of events, regions and attribution. Needs torch; never imports libcst."""
