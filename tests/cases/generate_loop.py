from typing import Optional

import torch
import torch.nn.functional as F


def top_k_filter(logits: torch.Tensor, k: int) -> torch.Tensor:
    values, _ = torch.topk(logits, min(k, logits.size(-1)))  # silent: HS106
    logits[logits < values[:, [-1]]] = -float("inf")  # expect: HS405
    return logits


def top_p_filter(logits: torch.Tensor, p: float) -> torch.Tensor:
    sorted_logits, order = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    remove = cumulative > p
    remove[..., 1:] = remove[..., :-1].clone()  # silent: HS406
    remove[..., 0] = 0
    logits[remove.scatter(1, order, remove)] = float("-inf")  # silent: HS303
    return logits


class Generator:
    def __init__(self, model, eos_token_id: int, device: torch.device):
        self.model = model
        self.eos_token_id = eos_token_id
        self.device = device

    @torch.no_grad()
    def generate(self, prompt: list, max_new_tokens: int = 64, temperature: float = 1.0, top_k: Optional[int] = None):
        idx = torch.tensor([prompt], dtype=torch.long, device=self.device)  # expect: HS404
        for _ in range(max_new_tokens):  # silent: HS104
            logits = self.model(idx)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:  # silent: HS201
                logits = top_k_filter(logits, top_k)
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            if idx_next.item() == self.eos_token_id:  # expect: HS101
                break
            idx = torch.cat((idx, idx_next), dim=1)
        return idx[0].tolist()  # expect: HS101


@torch.no_grad()
def greedy_batch(model, input_ids: torch.LongTensor, eos: int, max_length: int):
    finished = torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)
    while input_ids.shape[1] < max_length:  # silent: HS202
        next_token = model(input_ids)[:, -1].argmax(-1)
        next_token = torch.where(finished, eos, next_token)  # silent: HS301
        input_ids = torch.cat([input_ids, next_token[:, None]], dim=-1)
        finished = finished | (next_token == eos)
        if finished.all():  # expect: HS201
            break
    return input_ids


def until_done(model, tokens: torch.Tensor, done: torch.Tensor):
    while not done.all():  # expect: HS202
        tokens = model(tokens)
        done = done | (tokens[:, -1] == 2)
    return tokens


def beam_scores(scores: torch.Tensor, beams: int, vocabulary: int):
    best, flat = scores.view(-1).topk(beams)
    origin = flat // vocabulary
    token = flat % vocabulary
    result = []
    for b, o, t in zip(best, origin, token):
        result.append((b.item(), o.item(), int(t)))  # expect: HS101, HS103
    return result
