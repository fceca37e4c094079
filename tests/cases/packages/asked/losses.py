"""Who calls these functions is not known: what they ask of what they are handed tells its class."""

import torch


def split(meshes):
    padded = meshes.verts_padded()
    return [padded[i, :n] for i, n in enumerate(meshes.num_verts_per_mesh())]  # expect: HS308


def mean(meshes):
    if meshes.num_meshes() > 3:  # silent: HS201
        return torch.zeros(1)
    if meshes.num_verts_per_mesh().max() > 3:  # expect: HS201
        return torch.ones(1)
    return None


def other(table):
    if table.get("x") > 3:  # silent: HS201
        return torch.zeros(1)
    return None
