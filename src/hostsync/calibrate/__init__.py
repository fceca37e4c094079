"""Makes `rules/ops/*.toml`: signatures and return kinds from torch itself, waits from measurement on a GPU.

Run by hand when torch has a new release; nothing of the scan imports this. Needs torch.

    python -m hostsync.calibrate.measure --out DIR      on a machine with a GPU: writes DIR/ops.json
    python -m hostsync.calibrate.write                  anywhere: rewrites rules/ops/ and its list of names
"""
