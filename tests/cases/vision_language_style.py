from typing import List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import nn


class Rotary(nn.Module):
    inv_freq: torch.Tensor

    def __init__(self, dim: int, theta: float = 10000.0) -> None:
        super().__init__()
        inv = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float) / dim))
        self.register_buffer("inv_freq", inv, persistent=False)
        self.max_len = 0

    def forward(self, seqlen: int) -> torch.Tensor:
        seq = torch.arange(seqlen, device=self.inv_freq.device, dtype=self.inv_freq.dtype)  # expect: HS104
        return torch.outer(seq, self.inv_freq)

    def update(self, position_ids):
        n = torch.max(position_ids) + 1
        if n > self.max_len:  # expect: HS201
            self.max_len = n
        return self.inv_freq


class Vision(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.merge = config.spatial_merge_size
        self.rope = Rotary(config.dim)
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(config.depth)])
        self.num_grid = int(config.num_pos**0.5)

    def rot_pos_emb(self, grid_thw: torch.Tensor) -> torch.Tensor:
        pos_ids = []
        for t, h, w in grid_thw:
            hpos = torch.arange(h).unsqueeze(1).expand(-1, w)  # expect: HS104, HS104
            hpos = hpos.reshape(h // self.merge, self.merge, w // self.merge, self.merge)  # expect: HS104
            pos_ids.append(hpos.flatten().repeat(t, 1))  # expect: HS104
        pos_ids = torch.cat(pos_ids, dim=0)
        max_grid = grid_thw[:, 1:].max()
        full = self.rope(max_grid)
        return full[pos_ids].flatten(1)  # expect: HS405

    def window_index(self, grid_thw):
        cu = [0]
        for grid_t, grid_h, grid_w in grid_thw:
            index = torch.arange(grid_t * grid_h * grid_w).reshape(grid_t, grid_h, grid_w)
            pad = 4 - grid_h % 4
            seqlens = (index != -100).sum([1, 2]).reshape(-1)
            cu_tmp = seqlens.cumsum(0) * 4 + cu[-1]
            cu.extend(cu_tmp.tolist())
        return cu

    def forward(self, hidden_states: torch.Tensor, grid_thw: torch.Tensor, **kwargs) -> torch.Tensor:
        rot = self.rot_pos_emb(grid_thw)
        cu = torch.repeat_interleave(grid_thw[:, 1] * grid_thw[:, 2], grid_thw[:, 0]).cumsum(dim=0)  # expect: HS306
        cu = F.pad(cu, (1, 0), value=0)
        lengths = cu[1:] - cu[:-1]
        for blk in self.blocks:
            parts = torch.split(hidden_states, lengths.tolist(), dim=0)  # expect: HS101
            hidden_states = torch.cat([blk(p) for p in parts], 0)
        sizes = (grid_thw.prod(-1) // self.merge**2).tolist()  # expect: HS101
        return torch.split(hidden_states, sizes)


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.visual = Vision(config)
        self.embed = nn.Embedding(config.vocab_size, config.hidden)
        self.lm = nn.Linear(config.hidden, config.vocab_size)
        self.config = config
        self.rope_deltas = None

    def rope_index(self, input_ids: Optional[torch.LongTensor] = None, grid: Optional[torch.LongTensor] = None, attention_mask: Optional[torch.Tensor] = None):
        total = input_ids
        if attention_mask is None:
            attention_mask = torch.ones_like(total)
        pos = torch.ones(3, *input_ids.shape, dtype=input_ids.dtype, device=input_ids.device)
        for i, ids in enumerate(total):
            ids = ids[attention_mask[i] == 1]  # expect: HS302
            starts = torch.argwhere(ids == self.config.start_id).squeeze(1)  # expect: HS301
            n_img = (ids[starts + 1] == self.config.image_id).sum()
            tokens = ids.tolist()  # expect: HS101
            remain = n_img
            for _ in range(n_img):  # expect: HS104
                if self.config.image_id in tokens and remain > 0:  # expect: HS201
                    st = tokens.index(self.config.image_id)
                t, h, w = grid[0][0], grid[0][1], grid[0][2]
                gt, gh = t.item(), h.item() // 2  # expect: HS101, HS101
                remain -= 1
            pos[..., i, attention_mask[i] == 1] = torch.zeros(3, 5, dtype=pos.dtype, device=pos.device)  # expect: HS303
        return pos

    def merge_images(self, input_ids, inputs_embeds, feats):
        mask = input_ids == self.config.image_id
        n = mask.sum()
        mask3 = mask.unsqueeze(-1).expand_as(inputs_embeds).to(inputs_embeds.device)
        if inputs_embeds[mask3].numel() != feats.numel():  # expect: HS302
            raise ValueError(f"tokens: {n}, features {feats.shape[0]}")
        return inputs_embeds.masked_scatter(mask3, feats.to(inputs_embeds.device, inputs_embeds.dtype))

    def forward(self, input_ids: torch.LongTensor = None, attention_mask: Optional[torch.Tensor] = None, labels=None, pixel_values=None, grid=None, past=None, use_cache: Optional[bool] = None, logits_to_keep: Union[int, torch.Tensor] = 0):
        emb = self.embed(input_ids)
        if pixel_values is not None:
            feats = torch.cat(self.visual(pixel_values, grid))
            emb = self.merge_images(input_ids, emb, feats)
        if attention_mask is not None and (attention_mask == 0).any():  # expect: HS201
            emb = emb * attention_mask[..., None]
        if attention_mask is not None and 0.0 in attention_mask:  # expect: HS106
            emb = emb * 1
        keep = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        logits = self.lm(emb[:, keep, :])
        pooled = None
        if self.config.pad_token_id is None:
            last = -1
        else:
            non_pad = (input_ids != self.config.pad_token_id).to(logits.device, torch.int32)
            last = (torch.arange(input_ids.shape[-1], device=logits.device) * non_pad).argmax(-1)
        pooled = logits[torch.arange(logits.shape[0], device=logits.device), last]
        loss = None
        if labels is not None:
            labels = labels.to(logits.device)
            active = labels.view(-1) != -100
            loss = F.cross_entropy(logits.view(-1, logits.shape[-1])[active], labels.view(-1)[active])  # expect: HS302, HS302
        return loss, logits, pooled


class Router(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n = config.num_experts
        self.k = config.top_k
        self.gate = nn.Linear(config.hidden, self.n, bias=False)
        self.experts = nn.ModuleList([nn.Linear(config.hidden, config.hidden) for _ in range(self.n)])

    def forward(self, x: torch.Tensor):
        b, s, d = x.shape
        x = x.view(-1, d)
        w = F.softmax(self.gate(x), dim=1, dtype=torch.float)
        w, sel = torch.topk(w, self.k, dim=-1)
        out = torch.zeros_like(x)
        mask = F.one_hot(sel, num_classes=self.n).permute(2, 1, 0)
        hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()  # expect: HS301
        for e in hit:
            idx, top = torch.where(mask[e].squeeze(0))  # expect: HS301
            cur = self.experts[e](x[None, top].reshape(-1, d)) * w[top, idx, None]  # expect: HS104
            out.index_add_(0, top, cur.to(x.dtype))
        return out.view(b, s, d)


class MinLength:
    def __init__(self, n, eos):
        self.n = n
        if not isinstance(eos, torch.Tensor):
            eos = torch.tensor([eos])
        self.eos = eos

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        vocab = torch.arange(scores.shape[-1], device=scores.device)
        m = torch.isin(vocab, self.eos)  # silent: HS605
        if input_ids.shape[-1] < self.n:
            scores = torch.where(m, -float("inf"), scores)
        return scores


class StopOnEos:
    def __call__(self, input_ids: torch.LongTensor, scores) -> torch.BoolTensor:
        done = torch.isin(input_ids[:, -1], torch.tensor([2], device=input_ids.device))  # expect: HS404
        return done


def sample(model, input_ids, processors, stop, pad):
    unfinished = torch.ones(input_ids.shape[0], dtype=torch.long, device=input_ids.device)
    finished = False
    while not finished:  # expect: HS202
        out = model(input_ids)
        scores = processors(input_ids, out[1][:, -1, :].clone().float())
        probs = F.softmax(scores, dim=-1)
        nxt = torch.multinomial(probs, num_samples=1).squeeze(1)
        nxt = nxt * unfinished + pad * (1 - unfinished)
        input_ids = torch.cat([input_ids, nxt[:, None]], dim=-1)
        unfinished = unfinished & ~stop(input_ids, scores)
        finished = unfinished.max() == 0
    return input_ids
