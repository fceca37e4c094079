import numpy as np
import torch
from torch import Tensor
from torch.autograd import Variable


def from_the_host(image: np.ndarray, device: torch.device):
    a = torch.from_numpy(image).to(device)  # expect: HS401
    b = torch.zeros(3, 4).to(device)  # expect: HS401
    c = torch.tensor([1.0, 2.0]).cuda()  # expect: HS401
    d = torch.arange(10).to(device=device, dtype=torch.float32)  # expect: HS401
    e = torch.linspace(0, 1, 5)
    e = (e * 2).unsqueeze(0)
    e = e.to(device)  # expect: HS401
    f = torch.cat([torch.ones(2), torch.zeros(2)]).to("cuda:1")  # expect: HS401
    g = torch.ones(3).cuda(0, non_blocking=False)  # expect: HS401
    return a, b, c, d, e, f, g


def made_there(device: torch.device, like: Tensor):
    a = torch.zeros(3, 4, device=device).to(device)  # silent: HS401
    b = torch.ones_like(like).to(like.device)  # silent: HS401
    c = torch.full((2,), 3.0, device="cuda").cuda()  # silent: HS401
    d = like.new_zeros(3)  # silent: HS404
    e = torch.empty(4, device="cuda").to(torch.float16)  # silent: HS401
    return a, b, c, d, e


def element_types(x: Tensor, dtype: torch.dtype):
    a = torch.zeros(3).to(torch.float16)  # silent: HS401
    b = torch.ones(3).to(dtype)  # silent: HS401
    c = torch.ones(3).float().type(torch.int32).to(x.dtype)  # silent: HS401
    return a, b, c, torch.zeros(2).type_as(torch.ones(2))  # silent: HS401


def unknown_source(x: Tensor, batch, device: torch.device):
    x = x.to(device)  # silent: HS401
    batch = batch.to(device)  # silent: HS401
    y = batch["labels"].to(device)  # silent: HS401
    return x, y.cuda()  # silent: HS401


def to_the_place_of_another(boxes: Tensor, weights: Tensor):
    scale = torch.tensor([1.0, 0.5])
    boxes = boxes * scale.to(boxes.device)  # expect: HS401
    anchors = torch.zeros(1, 4).to(boxes)  # expect: HS401
    table = torch.arange(8).type_as(boxes)  # expect: HS401
    return anchors, table, weights.to(boxes.device)  # silent: HS401


def pinned(x: np.ndarray):
    host = torch.from_numpy(x).pin_memory()  # silent: HS407
    a = host.to("cuda", non_blocking=True)  # silent: HS401, HS402, HS403
    b = host.to("cuda")  # expect: HS402
    c = torch.zeros(4, pin_memory=True).cuda(non_blocking=True)  # silent: HS403
    e = torch.tensor(x, pin_memory=True).cuda(non_blocking=True)  # silent: HS403
    f = torch.tensor(x, pin_memory=False).cuda(non_blocking=True)  # expect: HS403
    d = torch.zeros(4, pin_memory=True).cuda()  # expect: HS402
    return a, b, c, d


def pageable_asynchronous(x: np.ndarray, n: int):
    a = torch.from_numpy(x).to("cuda", non_blocking=True)  # expect: HS403
    b = torch.zeros(1024, 1024).cuda(non_blocking=True)  # expect: HS403
    c = torch.zeros((8, 1024)).long().cuda(non_blocking=True)  # silent: HS403
    d = torch.zeros(n, 8).cuda(non_blocking=True)  # expect-possible: HS403  # silent: HS403
    rows = torch.ones(3, 4)
    rows = rows * 2
    e = rows.cuda(non_blocking=True)  # silent: HS403
    return a, b, c, d, e


def pageable_at_times(x: torch.Tensor, device: torch.device, weight=None):
    # What may be anywhere, and small: two doubts.
    weight = torch.ones(4) if weight is None else x * 2
    return weight.to(device, non_blocking=True)  # silent: HS403


def pinned_in_a_loop(arrays: list, device: torch.device):
    for array in arrays:
        host = torch.from_numpy(array).pin_memory()  # expect: HS407
        yield host.to(device, non_blocking=True)  # silent: HS403


def into_buffers(weights: np.ndarray):
    target = torch.empty(16, device="cuda")
    target.copy_(torch.from_numpy(weights))  # expect: HS401
    target.copy_(torch.zeros(16, device="cuda"))  # silent: HS401
    host = torch.empty(16)
    host.copy_(torch.zeros(16))  # silent: HS401, HS102
    return target, host


def two_steps(device: torch.device):
    positions = []
    for y in range(3):
        for x in range(4):
            positions.append([y, x])
    grid = torch.tensor(positions)
    flat = grid.view(-1)
    return flat.float().to(device)  # expect: HS401


def zero_dimensional(x: Tensor):
    half = torch.tensor(0.5)
    y = x * half  # silent: HS401, HS404
    return torch.clamp(y, max=1.0) + torch.tensor(1.0)  # silent: HS404


def first_device():
    return torch.zeros(3).to(0), torch.zeros(3).to(1)  # expect: HS401


class Stopping:
    """Token numbers may be an int, a list or a tensor, which is turned into a tensor on the CPU but for the last."""

    def __init__(self, token_id):
        self.token_id = torch.as_tensor(token_id).view(-1)

    def __call__(self, input_ids: torch.LongTensor):
        return torch.isin(input_ids[:, -1], self.token_id.to(input_ids.device))  # expect: HS401


def blended(x: Tensor, mask: Tensor | None = None):
    """That a caller may leave a tensor out does not put it on the CPU."""
    if mask is not None:
        x = x * mask.to(x.device)  # silent: HS401
    return x


def made_here(x: Tensor, mask: Tensor | None = None):
    if mask is not None:
        x = x * mask.to(x.device)  # expect: HS401
    return x


def blend_both(x: Tensor, y: Tensor):
    return blended(x) + blended(x, y > 0) + made_here(x) + made_here(x, torch.ones(3))


def projected(weight: Tensor, eps=1e-5):
    """A 0-d tensor of the CPU goes with any."""
    eps = eps / torch.sqrt(torch.tensor(weight.shape[0]))
    scaled = weight * eps
    out = torch.empty_like(weight)
    out.copy_(scaled)  # silent: HS401
    return out


def _left_out(x: Tensor, value: Tensor | None = None):
    """Nobody hands it in, so there is nothing to wait for."""
    if value is not None:
        return value.to(x.device) * value.item()  # silent: HS401, HS101
    return x


def leave_out(x: Tensor):
    return _left_out(x) + _left_out(x, None)


class Positions(torch.nn.Embedding):
    def forward(self, count: int, at: Tensor | None = None):
        if at is None:
            at = torch.arange(count, device=self.weight.device)
        return super().forward(at)


class WithPositions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.positions = Positions(8, 8)

    def forward(self, x: Tensor):
        x = x + self.positions(3).to(x.device)  # silent: HS401
        return x + self.positions(3, torch.arange(3)).to(x.device)  # expect: HS401


def made_at(n: int, where=None):
    """Whatever its name, without a device it is the CPU."""
    return torch.arange(n, device=where)


def use_made_at(x: Tensor):
    if made_at(3).sum().item() > 2:  # silent: HS101
        return x
    return x + made_at(3).to(x.device)  # expect: HS401


def one_of_two(x: Tensor, host: bool, there):
    table = torch.zeros(3) if host else torch.zeros(3, device=there)
    nothing = x.new_tensor([])  # silent: HS404
    return torch.as_tensor(table, device=x.device), nothing, x.new_tensor([1.0])  # expect: HS401, HS404


def nothing_to_copy(x: torch.Tensor, device: torch.device) -> tuple[torch.Tensor, ...]:
    none = torch.empty(0).to(x.device)
    of_no_length = torch.LongTensor().to(x.device)
    of_a_length = torch.LongTensor(4).to(x.device)  # expect: HS401
    no_rows = torch.zeros((0, 4)).to(device)
    one = torch.zeros((1, 4)).to(device)  # expect: HS401
    return none, no_rows, one


def where_the_other_is(frames, size, helper):
    points, kind = helper(frames)
    low = torch.zeros(2).to(points)  # expect: HS401  # likely: HS401
    width, height = size
    inside = torch.tensor([width, height]).to(points)  # expect: HS401
    as_asked = torch.zeros(3).to(kind.precision)  # silent: HS401
    typed = torch.zeros(3).to(frames.torch_type)  # silent: HS401
    return low, inside, as_asked, typed


def new_and_old(array, path):
    fresh = torch.zeros(4).cuda()  # expect: HS401  # likely: HS401
    listed = torch.tensor([1, 2]).cuda()  # expect: HS401  # likely: HS401
    picked = listed[torch.arange(2)]  # expect: HS405  # likely: HS405
    fixed = listed[torch.arange(2, device="cpu")]  # expect: HS405  # certain: HS405
    listed[0:2] = torch.zeros(2)  # expect: HS401  # likely: HS401
    listed[0:2] = torch.from_numpy(array)  # expect: HS401  # certain: HS401
    known = torch.zeros(4, device="cpu").cuda()  # expect: HS401  # certain: HS401
    taken = torch.from_numpy(array).cuda()  # expect: HS401  # certain: HS401
    wrapped = Variable(torch.from_numpy(array)).view(1, -1).cuda()  # expect: HS401  # certain: HS401
    kept = torch.autograd.Variable(torch.zeros(1), requires_grad=True).item()  # silent: HS101
    return fresh, listed, picked, fixed, taken, wrapped, kept


def doubled(x: Variable):
    if x.sum() > 0:  # expect: HS201
        return x
    return torch.autograd.variable.Variable(torch.from_numpy(np.ones(3))).cuda()  # expect: HS401


def _brought(x):
    return x.to("cuda")  # expect: HS401  # likely: HS401


def _fetched(x):
    return x.to("cuda")  # expect: HS401  # certain: HS401


def both(array):
    return _brought(torch.zeros(3)), _fetched(torch.from_numpy(array))


def pinned(batches):
    for _ in batches:
        yield torch.zeros(3).pin_memory()  # expect: HS407  # likely: HS407
        yield torch.zeros(3, device="cpu").pin_memory()  # expect: HS407  # certain: HS407


class Chosen:
    place = torch.device("cpu")

    @classmethod
    def put(cls, array):
        return torch.from_numpy(array).to(cls.place)  # expect: HS401


def of_the_type_of_another(boxes: torch.Tensor, inside: torch.Tensor):
    eye = torch.eye(4).type(boxes.type())  # expect: HS401
    flags = (inside > 0).type(boxes.type())  # silent: HS401
    whole = torch.linalg.cholesky(eye)  # expect: HS601
    return whole, flags


def of_nothing(device: torch.device, count):
    kept = torch.Tensor([]).to(device)  # silent: HS401
    none = torch.Tensor([[]]).to(device)  # silent: HS401
    one = torch.Tensor([1.0]).to(device)  # expect: HS401
    many = torch.Tensor(count).to(device)  # expect: HS401
    return kept, none, one, many


def where_it_is(x, y: torch.Tensor):
    near = torch.as_tensor(x, device=x.device, dtype=y.dtype)  # silent: HS404
    return near, torch.as_tensor(x, device=y.device)  # expect: HS404


def into_what_is_there(dataset, graph, rows):
    static = torch.empty(8, 3, device="cuda")
    for x, _ in torch.utils.data.DataLoader(dataset, 8):
        static.copy_(x)  # expect: HS401
        graph.replay()
    for batch in torch.utils.data.DataLoader(dataset, 8):
        static.copy_(batch["x"])  # expect: HS401
    return static.copy_(rows)  # silent: HS401
