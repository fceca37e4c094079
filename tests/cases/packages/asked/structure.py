import torch
from torch import Tensor


class Meshes:
    def __init__(self, verts: list[Tensor], device):
        self.verts = verts
        self.lengths = torch.tensor([len(v) for v in verts], device=device)  # expect: HS404

    def num_verts_per_mesh(self):
        return self.lengths

    def verts_padded(self):
        return torch.nn.utils.rnn.pad_sequence(self.verts, batch_first=True)

    def num_meshes(self):
        return len(self.verts)
