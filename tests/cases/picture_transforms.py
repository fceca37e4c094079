"""What torchvision makes of pictures is in the memory of the host."""
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from torchvision import transforms


def shown(path, model, load):
    device = torch.device("cuda")
    picture = load(path)
    whole = transforms.ToTensor()(picture).unsqueeze(0).to(device)  # expect: HS401  # certain: HS401
    prepare = T.Compose([T.Resize(224), T.ToTensor(), T.Normalize(0.5, 0.5)])
    small = prepare(picture).cuda()[None]  # expect: HS401
    plain = TF.pil_to_tensor(picture).to(device)  # expect: HS401
    print(TF.to_tensor(picture).max().item())  # silent: HS101
    return model(whole), model(small), plain


def turned(batch):
    turn = T.Compose([T.RandomRotation(10), T.Normalize(0.5, 0.5)])
    return turn(batch).max().item()  # expect: HS101
