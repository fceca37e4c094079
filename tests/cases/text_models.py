from typing import Protocol

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

device = torch.device("cuda")


class Encoder(nn.Module):
    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.width = width

    def forward(self, tokens: Tensor, lengths: Tensor):
        embedded = self.embedding(tokens)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True)  # expect: HS102
        output, (hidden, cell) = self.rnn(packed)
        return output, hidden

    def initial(self, batch: int):
        weight = next(self.parameters())
        return weight.new_zeros(1, batch, self.width)  # silent: HS404


def sample(model, ntokens: int, words: list[str], temperature: float):
    hidden = model.init_hidden(1)
    token = torch.randint(ntokens, (1, 1), dtype=torch.long).to(device)  # expect: HS401
    text = []
    with torch.no_grad():
        for i in range(100):
            output, hidden = model(token, hidden)
            weights = output[:, -1].squeeze().div(temperature).exp().cpu()  # expect: HS102
            index = torch.multinomial(weights, 1)[0]
            token.fill_(index)
            text.append(words[index])  # silent: HS104
    return text


def repackage(hidden):
    if isinstance(hidden, torch.Tensor):
        return hidden.detach()
    return tuple(repackage(h) for h in hidden)


def batchify(data: Tensor, size: int):
    count = data.size(0) // size
    data = data.narrow(0, 0, count * size)
    return data.view(size, -1).t().contiguous().to(device)  # silent: HS401


def translate(model, src: Tensor, limit: int, start: int, end: int):
    ys = torch.ones(1, 1).fill_(start).type(torch.long).to(device)  # expect: HS401
    memory = model.encode(src)
    for i in range(limit - 1):
        out = model.decode(ys, memory).transpose(0, 1)
        prob = model.generator(out[:, -1])
        _, next_word = torch.max(prob, dim=1)
        next_word = next_word.item()  # expect: HS101
        ys = torch.cat([ys, torch.ones(1, 1).type_as(src.data).fill_(next_word)], dim=0)  # expect: HS401
        if next_word == end:  # silent: HS201
            break
    return ys


def subsequent_mask(size: int):
    return torch.triu(torch.ones(size, size), diagonal=1) == 0


def use_mask(x: Tensor):
    mask = subsequent_mask(x.size(1)).to(x.device)  # expect: HS401
    return x.masked_fill(mask, 0.0)  # silent: HS303


def perplexity(model, data: Tensor, criterion):
    total = 0.0
    for i in range(0, data.size(0) - 1, 35):
        length = min(35, len(data) - 1 - i)  # silent: HS106
        chunk = data[i : i + length]  # silent: HS308
        total += len(chunk) * criterion(model(chunk), chunk).item()  # expect: HS101
    return total / (len(data) - 1)


def encoded(tokenizer, model, prompts, device):
    inputs = tokenizer(prompts, padding=True, return_tensors="pt")
    ids = inputs.input_ids
    if ids.shape[-1] > 77 and not torch.equal(ids, inputs["attention_mask"]):  # silent: HS107
        print(tokenizer.batch_decode(ids[:, 77:]))  # silent: HS105
    there = tokenizer(prompts, return_tensors="pt", device=device)
    arrays = tokenizer(prompts, return_tensors="np")
    return model(ids.to(device)), there.input_ids.to(device), arrays  # expect: HS401


class Tokenizing(Protocol):
    def encode(self, text: str, return_tensors: str | None = None) -> list[int] | Tensor: ...


def encoded_by(tokenizer: Tokenizing, text: str, device):
    ids = tokenizer.encode(text, return_tensors="pt")
    words = ids[0].tolist()  # silent: HS101
    others = tokenizer.encode(text)
    return ids.to(device), words, others.tolist()  # expect: HS401, HS101


def packed(x: torch.Tensor, lengths: list[int]):
    sequence = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    most = int(sequence.batch_sizes[0])  # silent: HS103
    for size in sequence.batch_sizes.tolist():  # silent: HS101
        most += size
    data, sizes, order, _ = sequence
    start = torch.zeros(2, sizes[0], device=x.device)  # silent: HS104
    return start, data.sum().item(), order.tolist(), sequence.data.max().item(), most  # expect: HS101, HS101, HS101


def of_a_packed_sequence(sequence: torch.nn.utils.rnn.PackedSequence):
    return int(sequence.batch_sizes[0]), float(sequence.data.mean())  # expect: HS103


class Library(nn.Module):
    """Modules of torch that look at what they are handed."""

    def __init__(self, width: int):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 2), 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, 2), 2)
        self.both = nn.Transformer(width)
        self.ctc = nn.CTCLoss()
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x: Tensor, y: Tensor, mask: Tensor, lengths: Tensor):
        a = self.encoder(x, mask=mask)  # expect: HS605
        b = self.encoder(x, mask, is_causal=True)  # silent: HS605
        c = self.encoder(x, src_key_padding_mask=mask)  # silent: HS605
        d = self.decoder(y, x, mask)  # expect: HS605
        e = self.decoder(y, x)  # silent: HS605
        f = self.both(x, y, src_mask=mask)  # expect: HS605
        g = self.both(x, y)  # silent: HS605
        loss = self.ctc(x, y, lengths, lengths) + self.loss(x, y)  # expect: HS605
        loss = loss + nn.GaussianNLLLoss()(x, y, x.exp())  # expect: HS605
        loss = loss + nn.AdaptiveLogSoftmaxWithLoss(8, 100, [10])(x, lengths).loss  # expect: HS605
        return a, b, c, d, e, f, g, loss
