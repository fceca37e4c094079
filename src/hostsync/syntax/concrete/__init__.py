"""LibCST's tree → the nodes of `ast`: for source that the running interpreter cannot parse because it is newer.

Importing what is in here imports libcst, but for `shallow`; nothing else in `syntax` does so.
"""
