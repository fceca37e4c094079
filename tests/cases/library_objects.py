"""Objects of libraries around torch, whatever they are called: sessions, trainers, models, tokenizers, metrics."""

import evaluate
import onnxruntime as ort
import torch
import transformers
from accelerate import Accelerator
from peft import get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel, Trainer


def of_onnx(path, x):
    session = ort.InferenceSession(path)
    out = session.run(None, {"x": x})
    scores, labels = session.run(["scores", "labels"], {"x": x})
    return out[0].item(), scores.tolist(), labels.nonzero()  # silent: HS101, HS301


class Exported:
    def __init__(self, path):
        self.session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])

    def scores(self, x: torch.Tensor):
        found = self.session.run(None, {"x": x.cpu().numpy()})  # expect: HS102
        for part in found:
            if (part > 0).any():  # silent: HS201
                print(part)  # silent: HS105
        return found[0].item()  # silent: HS101


def scripted(path, x):
    inputs = torch.zeros(3)
    on_host = torch.jit.load(path, map_location="cpu")
    print(on_host(inputs).item())  # silent: HS101, HS105
    print(on_host.eval()(inputs).tolist())  # silent: HS101, HS105
    moved = torch.jit.load(path, "cpu")
    moved.cuda()
    print(moved(x).item())  # expect: HS101
    anywhere = torch.jit.load(path)
    return anywhere(x).item(), on_host.cuda()(x).item()  # expect: HS101


class Fine(Trainer):
    pass


def predicted(model, dataset):
    t = Trainer(model=model)
    given = t.predict(dataset)
    print(given.predictions.argmax(-1).tolist(), given.label_ids.item())  # silent: HS101, HS105
    predictions, labels, _ = Fine(model=model).predict(dataset)
    return predictions.nonzero(), labels.item()  # silent: HS101, HS301


def of_models(texts):
    llm = AutoModelForCausalLM.from_pretrained("x").cuda()
    tok = AutoTokenizer.from_pretrained("x")
    encoded = tok(texts, return_tensors="pt").to("cuda")  # expect: HS401
    out = llm.generate(**encoded)  # expect: HS605
    print(tok.decode(out[0]))  # expect: HS605
    print(tok.convert_ids_to_tokens(out[0]))  # expect: HS605
    print([tok.decode(one) for one in out])  # expect: HS605
    print(tok.decode([1, 2]), tok.convert_ids_to_tokens(out[0].tolist()))  # expect: HS101
    logits = llm(**encoded).logits  # expect: HS605
    llm.save_pretrained("path")  # expect: HS605
    tok.save_pretrained("path")  # silent: HS605
    return logits.max().item()  # expect: HS101


def of_other_makers(config, ids: torch.Tensor):
    small = GPT2LMHeadModel.from_pretrained("x").to("cuda")
    made = transformers.AutoModel.from_config(config)
    writer = transformers.GenerationConfig.from_pretrained("x")
    writer.save_pretrained("path")  # silent: HS605
    made.save_pretrained("path")  # expect: HS605
    return small.generate(ids, max_length=9)  # expect: HS605


class Answers:
    def __init__(self):
        self.lm = transformers.AutoModelForCausalLM.from_pretrained("x", device_map="cuda")
        self.words = AutoTokenizer.from_pretrained("x")

    def answer(self, text):
        encoded = self.words(text, return_tensors="pt").to("cuda")  # expect: HS401
        out = self.lm.generate(**encoded, max_new_tokens=3)  # expect: HS605
        return self.words.decode(out[0])  # expect: HS605


def unwrapped(model, ids):
    accelerator = Accelerator()
    out = accelerator.unwrap_model(model).generate(ids, max_new_tokens=5)  # expect: HS605
    accelerator.save_state("path")  # expect: HS605
    accelerator.save_model(model, "path")  # expect: HS605
    accelerator.save({"step": 3}, "path")  # silent: HS605
    return out


def prepared(accelerator, config, loader):
    net = AutoModelForCausalLM.from_pretrained("x")
    adapted = get_peft_model(net, config)
    net, adapted, loader = accelerator.prepare(net, adapted, loader)
    for batch in loader:
        print(net(**batch).loss.item())  # expect: HS101, HS605
        adapted.generate(batch["input_ids"])  # expect: HS605
    accelerator.unwrap_model(net).save_pretrained("path")  # expect: HS605


def others(game, accelerator, ids):
    game.generate(ids, max_length=5)  # silent: HS605
    game.save_state("path")  # silent: HS605
    return accelerator.save({"ids": torch.zeros(3)}, "path")  # silent: HS605


def scored(ids: torch.Tensor, references: torch.Tensor):
    metric = evaluate.load("accuracy")
    metric.add_batch(predictions=ids.argmax(-1), references=references)  # expect: HS605
    metric.add_batch(predictions=[1, 2], references=[1, 3])  # silent: HS605
    found = metric.compute(predictions=ids, references=references)  # expect: HS605
    metric.add(prediction=ids[0], reference=1)  # expect: HS605
    return found["accuracy"].item()  # silent: HS101
