"""A language model of GPT-2's size: training steps, then generation."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel


def main(steps: int = 5) -> None:
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config()).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    losses = []
    for _ in range(steps):
        tokens = torch.randint(0, 50257, (2, 128)).cuda()
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    model.eval()
    prompt = torch.randint(0, 50257, (1, 16)).cuda()
    mask = torch.ones_like(prompt)
    made = model.generate(prompt, attention_mask=mask, max_new_tokens=20, do_sample=False, pad_token_id=50256)
    print(len(losses), "steps,", made.shape[0], "sequence")


if __name__ == "__main__":
    main()
