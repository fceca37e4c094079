import torch
from torch import Tensor


def f1(x: Tensor, mask: Tensor):
    return x[mask]  # expect: HS302


def f2(x, mask):
    return x.softmax(-1)[mask]  # expect: HS302


def f3(x, keep):
    m = x.relu() > 0
    keep[m] = 0.0
    y = keep[m]  # expect: HS302
    return y


def f4(codebook, usage):
    dead = torch.relu(usage) < 1
    codebook[dead] = torch.rand(3, device=dead.device)  # expect: HS303


def f5(x: Tensor, valid: Tensor, idx: Tensor):
    a = x[idx]
    b = x[~valid]  # expect: HS302
    c = x[valid]  # expect: HS302
    return a, b, c


def f6(boxes, labels):
    ok = boxes[:, 2] > boxes[:, 0]
    return boxes[ok], labels[ok]  # expect: HS302, HS302


def f7(self, x):
    if x.dim() == 3 and (x < 0).any():  # expect: HS201
        raise ValueError
    n = x.shape[0]
    return n


def f8(x, y):
    d = (x - y).abs().max()
    if d > 1e-3:  # expect: HS201
        return 1
    v = torch.allclose(x, y)  # expect: HS107
    return v


def f9(t, lengths):
    mx = max(lengths)
    out = [t[i, :l] for i, l in enumerate(lengths)]
    return out, mx


def f10(logits, target):
    correct = 0
    pred = logits.argmax(1)
    correct += pred.eq(target).sum().item()  # expect: HS101
    k = (pred == target).sum()
    return correct / len(target), float(k)  # expect: HS103


def confusion(pred, target, classes):
    valid = (target >= 0) & (target < classes)
    index = target[valid] * classes + pred[valid]  # expect: HS302, HS302
    return torch.bincount(index)  # expect: HS305


def distilled(student, labels, ignore):
    valid = labels != ignore
    return student.float()[valid], labels[valid]  # expect: HS302, HS302


def above(x, limit):
    return x[x > limit]  # expect: HS302


def given_a_mask(preds, target, mask=None):
    if mask is not None:
        preds, target = preds[mask], target[mask]  # expect: HS302, HS302
    return preds - target


def by_another_shape(error: Tensor, mask: Tensor):
    return error[mask.expand_as(error)].mean()  # expect: HS302


def from_a_list(x: Tensor, parts):
    mask = [True] * len(parts)
    mask[0] = False
    kept = torch.tensor(mask, device=x.device)  # expect: HS404
    x[kept] = torch.arange(3, device=x.device)  # expect: HS303
    return x


def no_masks(names, table, flag):
    chosen = flag == 3
    return names[1], table["a"], chosen  # silent: HS302


def by_a_name_of_truth_values(points: torch.Tensor, state, converged):
    kept = points[state.finished]  # expect: HS302
    return kept, points[converged], points[state.order]  # expect: HS302


def combined(x: torch.Tensor, seen: torch.Tensor, kept: torch.Tensor, bits: torch.Tensor):
    # What is combined by its bits holds truth values, unless that is with a number.
    both = seen[0] & kept[0]
    either = seen | kept
    low = bits & 7
    y = x[both]  # expect: HS302
    z = x[either]  # expect: HS302
    return y, z, x[low]


def by_a_name_that_begins_with_its_type(scores: torch.Tensor, bool_masked_pos, boolean_order):
    return scores[bool_masked_pos], scores[boolean_order]  # expect: HS302


def as_asked(x: torch.Tensor, by_name: bool):
    return {"rows": x} if by_name else x


def of_what_may_be_something_else(x: torch.Tensor, by_name: bool):
    # Nothing of Python takes a slice beside a number, or a comparison with itself.
    row = as_asked(x, by_name)[0, 1:]
    if row[-1] == 1:  # expect: HS201
        return row
    other = as_asked(x, by_name)
    other = other[other != 0]  # expect: HS302
    if other[-1] == 1:  # expect: HS201
        return other
    if as_asked(x, by_name)[0] == 1:  # silent: HS201
        return row
    return None


def f30(x: Tensor, event: Tensor, t: Tensor):
    both = (t == 3) & event
    return x[event], both  # expect: HS302


def f31(x: Tensor, event: Tensor, other: Tensor, t: Tensor):
    return x[event], event | (t > 2), x[other]  # expect: HS302


def f32(x: Tensor, event: Tensor, t: Tensor):
    return torch.where(event, x, t), x[event]  # expect: HS302


def f33(x: Tensor, event: Tensor, bits: Tensor):
    return x[event], event & bits


def f34(things, one_mask, other_mask, x: Tensor):
    a = things.bounds[~one_mask * other_mask]  # expect: HS302
    b = x[one_mask * ~other_mask]  # expect: HS302
    return a, b, x[~one_mask & other_mask], things.bounds[one_mask * 2]  # expect: HS302


def kept_of_those_that_count(valid: torch.Tensor, found: torch.Tensor, labels, at):
    valid[valid.clone()] = found > 0  # expect: HS303
    mask = valid > 0
    result = torch.zeros_like(valid)
    result[mask] = labels[at].long()  # expect: HS303
    result[mask] = labels[at].of(3)  # silent: HS303
    return result
