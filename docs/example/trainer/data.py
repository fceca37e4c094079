"""Sentences of random tokens, of different lengths; each token has a tag."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

VOCABULARY = 200
TAGS = 5
PAD = 0


class Sentences(Dataset):
    def __init__(self, count: int, longest: int = 24, seed: int = 0):
        generator = torch.Generator().manual_seed(seed)
        lengths = torch.randint(4, longest + 1, (count,), generator=generator)
        self.sentences = []
        for length in lengths.tolist():
            tokens = torch.randint(1, VOCABULARY, (length,), generator=generator)
            tags = tokens * 7 % TAGS
            self.sentences.append((tokens, tags))
        # These tensors are on the CPU: to count and to read them waits for nothing.
        self.counts = torch.bincount(torch.cat([tags for _, tags in self.sentences]), minlength=TAGS)
        print(f"{count} sentences, tags {self.counts.tolist()}, longest {lengths.max().item()}")

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        return self.sentences[index]


def collate(batch):
    tokens = pad_sequence([tokens for tokens, _ in batch], batch_first=True, padding_value=PAD)
    tags = pad_sequence([tags for _, tags in batch], batch_first=True, padding_value=-100)
    return tokens, tags


def make_loader(count: int, batch_size: int, seed: int = 0, pin_memory: bool = False) -> DataLoader:
    return DataLoader(
        Sentences(count, seed=seed),
        batch_size=batch_size,
        shuffle=True,
        collate_fn=collate,
        pin_memory=pin_memory,
    )
