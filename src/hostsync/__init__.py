"""hostsync finds the lines of PyTorch code that quietly make the CPU wait for the GPU."""

__version__ = "0.1.0"
