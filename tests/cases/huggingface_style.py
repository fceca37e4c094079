import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, get_scheduler


def finetune(args, dataset, collate):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForCausalLM.from_pretrained(args.model)
    model.resize_token_embeddings(len(tokenizer))
    loader = DataLoader(dataset, shuffle=True, collate_fn=collate, batch_size=args.batch_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=args.steps)
    total = 0
    completed = 0
    for epoch in range(args.epochs):  # silent: HS104
        model.train()
        for step, batch in enumerate(loader):
            outputs = model(**batch)
            loss = outputs.loss
            total += loss.detach().float()
            accelerator.backward(loss)
            if step % args.accumulate == 0 or step == len(loader) - 1:  # silent: HS201, HS204
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
                completed += 1
            if completed >= args.steps:  # silent: HS201
                break
        print(f"epoch {epoch}: {total.item() / len(loader)}")  # expect: HS101


def evaluate(model, dataloader, metric, device):
    model.eval()
    losses = []
    for batch in dataloader:
        batch = {k: v.to(device) for k, v in batch.items()}  # expect: HS401
        with torch.no_grad():
            outputs = model(**batch)
        losses.append(outputs.loss.item())  # expect: HS101
        predictions = outputs.logits.argmax(dim=-1)
        metric.add_batch(predictions=predictions, references=batch["labels"])
    return sum(losses) / len(losses), metric.compute()


def chat(model, tokenizer, prompt: str):
    inputs = tokenizer(prompt, return_tensors="pt").to(model.device)  # expect: HS401
    ids = inputs["input_ids"]
    cache = None
    produced = []
    for _ in range(128):
        outputs = model(input_ids=ids, past_key_values=cache, use_cache=True)
        cache = outputs.past_key_values
        token = outputs.logits[:, -1].argmax(dim=-1, keepdim=True)
        if token.item() == tokenizer.eos_token_id:  # expect: HS101
            break
        produced.append(token)
        ids = token
    return tokenizer.decode(torch.cat(produced, dim=-1)[0].tolist())  # expect: HS101


class LlamaAttention(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.q_proj = torch.nn.Linear(config.hidden_size, config.hidden_size)
        self.head_dim = config.hidden_size // config.num_heads
        self.config = config

    def forward(self, hidden_states: torch.Tensor, attention_mask: torch.Tensor = None, position_ids=None):
        batch, length, _ = hidden_states.size()
        query = self.q_proj(hidden_states).view(batch, length, -1, self.head_dim).transpose(1, 2)
        if attention_mask is not None:  # silent: HS201
            if attention_mask.size() != (batch, 1, length, length):  # silent: HS201
                raise ValueError(f"wrong size {attention_mask.size()}")  # silent: HS105
            query = query + attention_mask
        if self.config.pretraining_tp > 1:  # silent: HS201
            query = query / self.config.pretraining_tp
        if position_ids is None:  # silent: HS201
            position_ids = torch.arange(length, device=hidden_states.device).unsqueeze(0)
        return query, position_ids


def loss_of(logits, labels=None, config=None):
    loss = None
    if labels is not None:  # silent: HS201
        shift = logits[..., :-1, :].contiguous()
        loss = torch.nn.functional.cross_entropy(shift.view(-1, shift.size(-1)), labels.view(-1))
    if config.pad_token_id is None:  # silent: HS201
        lengths = -1
    else:
        lengths = torch.eq(labels, config.pad_token_id).int().argmax(-1) - 1
    return loss, logits[torch.arange(logits.shape[0], device=logits.device), lengths]  # silent: HS405


class Chat:
    def __init__(self, model, tokenizer, accelerator):
        self.model, self.tokenizer, self.accelerator = model, tokenizer, accelerator

    def answer(self, inputs, prompt: torch.Tensor, generator, client, texts):
        ids = self.model.generate(**inputs, max_new_tokens=20, pad_token_id=0)  # expect: HS605
        answer = self.tokenizer.batch_decode(ids[:, 4:], skip_special_tokens=True)  # expect: HS605
        first = self.tokenizer.decode(prompt)  # expect: HS605
        listed = self.tokenizer.batch_decode(texts)  # silent: HS605
        whole = self.names.batch_decode(prompt)  # expect: HS605
        first = self.names.decode(prompt)  # silent: HS605
        raw = texts.decode("utf-8")  # silent: HS605
        made = generator.generate(prompt)  # silent: HS605
        asked = client.generate(prompt, num_beams=2)  # silent: HS605
        parts = self.model.generate(prompt, return_dict_in_generate=True)  # expect: HS605
        return answer, first, listed, raw, made, asked, parts, whole

    def loaded(self, Model, prompt: torch.Tensor):
        model = Model.from_pretrained("model").to("cuda").eval()
        return model.generate(prompt, max_new_tokens=8)  # expect: HS605

    def on_the_host(self, prompt):
        ids = torch.tensor(prompt)
        return self.tokenizer.decode(ids)  # silent: HS605

    def lengths(self, counts, is_cut, names):
        counts, is_cut = self.accelerator.gather(counts), self.accelerator.gather(is_cut)
        ended = counts[~is_cut]  # expect: HS302
        named = self.names.gather(names)
        padded = self.accelerator.pad_across_processes(counts, dim=1)  # expect: HS605
        return ended, named[~named], padded  # silent: HS302


class Retriever(nn.Module):
    """Whether a mask hides anything is asked on the way into the model."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def query(self, input_ids, attention_mask):
        input_ids, attention_mask = input_ids.to("cuda:0"), attention_mask.to("cuda:0")  # silent: HS605
        return self.bert(input_ids, attention_mask=attention_mask)[0]  # expect: HS605

    def document(self, encoding):
        return self.bert(encoding.input_ids.long(), attention_mask=encoding.attention_mask)[0]  # expect: HS605

    def looked_up(self, batch, mask: torch.Tensor):
        return self.bert(batch["input_ids"], attention_mask=mask), self.bert(input_ids=batch["ids"])  # expect: HS605

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        # Who calls a model as it stands hands in a mask or not.
        out = self.bert(input_ids, attention_mask=attention_mask)  # silent: HS605
        attention_mask = torch.ones_like(input_ids)
        return out, self.bert(input_ids, attention_mask=attention_mask)  # expect: HS605

    def prompt(self, tokens, uses_mask: bool):
        if uses_mask:
            attention_mask = tokens.attention_mask.to("cuda:0")
        else:
            attention_mask = None
        first = self.bert(tokens.input_ids, attention_mask=attention_mask)  # silent: HS605
        second = self.bert(tokens.input_ids, attention_mask=tokens.mask if uses_mask else None)  # silent: HS605
        return first, second, self.bert(tokens.input_ids, attention_mask=None)  # silent: HS605

    def decode(self, input_ids, mask, cache, layer, hidden):
        # Of one token nothing is hidden; a layer gets a mask that is made up already.
        step = self.bert(input_ids, attention_mask=mask, past_key_values=cache)  # silent: HS605
        return step, layer(hidden, attention_mask=mask), layer(hidden_states=hidden, attention_mask=mask)  # silent: HS605


def pad(tokenizer, batch, **options):
    return tokenizer.pad(dict(batch), **options)


class Embedder:
    """What a tokenizer has made holds a mask, whatever it is called."""

    def embed(self, texts, device):
        made = self.tokenizer(texts, padding=True, return_tensors="pt").to(device)  # expect: HS401
        return self.model(**made).last_hidden_state  # expect: HS605

    def padded(self, batch, device):
        inputs = pad(self.tokenizer, batch, padding=True, return_tensors="pt").to(device)  # expect: HS401
        return self.model(**inputs, return_dict=True).last_hidden_state  # expect: HS605

    def encode(self, features, options, cache):
        hidden = self.model(**features, return_dict=True).last_hidden_state  # expect: HS605
        other = self.model(**options, return_dict=True)  # silent: HS605
        image = self.scheduler.step(**features, return_dict=False)  # silent: HS605
        step = self.model(**features, past_key_values=cache, use_cache=True)  # silent: HS605
        return hidden, other, image, step, self.model(**features)  # silent: HS605

    def on_the_host(self, texts):
        made = self.tokenizer(texts, return_tensors="pt")
        return self.model(**made)  # silent: HS605

    def pictures(self, images, sound, texts, device):
        seen = self.processor(images=images, return_tensors="pt").to(device)  # expect: HS401
        heard = self.feature_extractor(sound, return_tensors="pt").to(device)  # expect: HS401
        both = self.processor(text=texts, images=images, return_tensors="pt").to(device)  # expect: HS401
        whole = self.model(**both)  # expect: HS605
        return self.model(**seen), self.model(**heard), whole  # silent: HS605

    def patches(self, x: torch.Tensor, mask: torch.Tensor, layer):
        whole = self.encoder(inputs_embeds=x, attention_mask=mask)  # expect: HS605
        first = self.model(x, attention_mask=mask, output_hidden_states=True)  # expect: HS605
        inner = layer(x, attention_mask=mask, output_attentions=True)  # silent: HS605
        return whole, first, inner

    def save(self, path):
        self.tokenizer.save_pretrained(path)  # silent: HS605
        self.config.save_pretrained(path)  # silent: HS605
        self.model.save_pretrained(path)  # expect: HS605
