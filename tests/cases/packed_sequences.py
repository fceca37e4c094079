import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class OutOfOrder(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.gru = nn.GRU(width, width, batch_first=True)

    def forward(self, x: Tensor, lengths: list[int]):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)  # expect: HS605
        out, (hidden, cell) = self.lstm(packed)
        y, _ = pad_packed_sequence(out, batch_first=True)  # expect: HS605
        z, sizes = pad_packed_sequence(self.gru(packed)[0])  # expect: HS605
        longest = sizes.max().item()  # silent: HS101
        again = pad_packed_sequence(sequence=out, batch_first=True)[0]  # expect: HS605
        return y, z, hidden.any().item(), again, longest  # expect: HS101

    def one_by_one(self, x: Tensor, lengths: Tensor):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)  # expect: HS102, HS605
        return pad_packed_sequence(packed)  # expect: HS605


class InOrder(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.gru = nn.GRU(width, width, batch_first=True)

    def forward(self, x: Tensor, lengths: list[int]):
        packed = pack_padded_sequence(x, lengths, batch_first=True)  # silent: HS605
        out, hidden = self.gru(packed)
        y, sizes = pad_packed_sequence(out, batch_first=True)  # silent: HS605
        if hidden.isnan().any():  # expect: HS201
            return y
        return y[:, : sizes[0]]  # silent: HS308

    def by_a_switch(self, x: Tensor, lengths: list[int], is_sorted: bool):
        packed = pack_padded_sequence(x, lengths, enforce_sorted=is_sorted)
        return pad_packed_sequence(packed)  # silent: HS605


def on_the_host(lengths: list[int]):
    packed = pack_padded_sequence(torch.zeros(3, 8, 4), lengths, enforce_sorted=False)  # silent: HS605
    return pad_packed_sequence(packed)  # silent: HS605


def from_elsewhere(packed):
    return pad_packed_sequence(packed)  # silent: HS605


def of_whatever_is_packed(given, hidden):
    def steps(data, batch_sizes):
        first = batch_sizes[0].item()
        rows = [data[:size].sum() for size in batch_sizes]
        return hidden.new_ones(first), rows, given.data.max().item()  # expect: HS101

    data, batch_sizes = given.data, given.batch_sizes
    return steps(data, batch_sizes), hidden.new_zeros(given.batch_sizes[0].item())


def lengths(batch_sizes: torch.Tensor):
    # Sizes of batches are on the host, whoever handed them in.
    return [batch_sizes[i].item() for i in range(len(batch_sizes))]  # silent: HS101
