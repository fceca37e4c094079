import asyncio

import torch
from torch import Tensor


async def score(model, x: Tensor):
    logits = model(x)
    await asyncio.sleep(0)
    probabilities = torch.softmax(logits, dim=-1)
    return probabilities.max().item()  # expect: HS101


async def stream(model, tokens: Tensor):
    while tokens.shape[1] < 100:  # silent: HS202
        token = model(tokens)[:, -1].argmax(-1)
        if (token == 2).all():  # expect: HS201
            return
        yield token.tolist()  # expect: HS101
        tokens = torch.cat([tokens, token[:, None]], dim=1)


async def serve(requests: asyncio.Queue, model):
    while True:
        request = await requests.get()
        if requests.empty():  # silent: HS201
            print(request)  # silent: HS105
        x = torch.tensor(request, device="cuda")  # expect: HS404
        async with asyncio.timeout(1.0):
            result = await score(model, x)  # expect: HS606
        print(result)  # silent: HS105


async def consume(model, batches):
    async for batch in batches:
        print(len(batch))  # silent: HS105
    values = [value async for value in batches]
    return values
