"""Shows at its end how it is used, which says nothing of those who import it."""

import torch


class Memory:
    def __init__(self, size, device="cpu"):
        self.rows = torch.zeros(size, device=device)

    def read(self):
        return self.rows.tolist()  # expect: HS101


if __name__ == "__main__":
    Memory(3).read()
