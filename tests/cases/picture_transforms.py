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


class Encoder(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.normalize = T.Normalize(mean=[0.5, 0.5, 0.5], std=[0.2, 0.2, 0.2])
        self.blur = T.GaussianBlur(3)

    def forward(self, images: torch.Tensor):
        images = self.normalize(self.blur(images))  # expect: HS605
        return self.net(TF.normalize(images, [0.5], [0.2]))  # expect: HS605


class Turned:
    """Pictures are turned where they are loaded, on the host."""

    def __call__(self, image):
        return TF.rotate(image, 20.0)  # silent: HS605


class NormalizeTransform:
    def __call__(self, image):
        return TF.normalize(image, [0.5], [0.2])  # silent: HS605


class PictureProcessor:
    def normalize(self, image):
        return TF.normalize(image, [0.5], [0.2])  # silent: HS605


def turned_on_the_gpu(images: torch.Tensor):
    images = images.cuda()  # expect: HS401
    return TF.rotate(images, 20.0)  # expect: HS605  # certain: HS605


def normalized_on_the_host():
    return TF.normalize(torch.rand(3, 4, 4), [0.5], [0.2])  # silent: HS605


def shown_again(x: torch.Tensor, array, plain):
    one = TF.to_pil_image((x.clamp(-1, 1) + 1) / 2)  # expect: HS102
    all_of_them = list(map(T.ToPILImage(), x.unbind(0)))  # expect: HS102
    kept = T.ToPILImage()(x.cpu()), TF.to_pil_image(array)  # expect: HS102
    # What nobody knows to be a tensor may be an array.
    return one, all_of_them, kept, T.ToPILImage()(plain)  # silent: HS102


class FrameProcessor:
    def restore(self, images: torch.Tensor):
        return [TF.to_pil_image(image) for image in images]  # silent: HS102
