import torch
import torch.nn as nn
import torch.optim as optim
import torchvision.utils as vutils
from torch.utils.data import DataLoader
from torchvision import datasets

device = torch.device("cuda:0")


class Generator(nn.Module):
    def __init__(self, nz: int):
        super().__init__()
        self.main = nn.Sequential(nn.ConvTranspose2d(nz, 64, 4), nn.BatchNorm2d(64), nn.ReLU(True), nn.Tanh())

    def forward(self, x):
        return self.main(x)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(3, 64, 4), nn.LeakyReLU(0.2), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1, 1).squeeze(1)


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1:  # silent: HS201
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:  # silent: HS201
        nn.init.zeros_(m.bias)


dataloader = DataLoader(datasets.CIFAR10("."), batch_size=64, shuffle=True, num_workers=2)
netG = Generator(100).to(device)
netG.apply(weights_init)
netD = Discriminator().to(device)
criterion = nn.BCELoss()
fixed_noise = torch.randn(64, 100, 1, 1, device=device)
real_label, fake_label = 1.0, 0.0
optimizerD = optim.Adam(netD.parameters(), lr=2e-4)
optimizerG = optim.Adam(netG.parameters(), lr=2e-4)

for epoch in range(5):
    for i, data in enumerate(dataloader, 0):
        netD.zero_grad()
        real = data[0].to(device)  # expect: HS401
        batch_size = real.size(0)
        label = torch.full((batch_size,), real_label, dtype=torch.float, device=device)  # silent: HS404, HS104
        output = netD(real)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.mean().item()  # expect: HS101

        noise = torch.randn(batch_size, 100, 1, 1, device=device)  # silent: HS401
        fake = netG(noise)
        label.fill_(fake_label)  # silent: HS406
        output = netD(fake.detach())
        errD_fake = criterion(output, label)
        errD_fake.backward()
        errD = errD_real + errD_fake
        optimizerD.step()

        netG.zero_grad()
        label.fill_(real_label)
        errG = criterion(netD(fake), label)
        errG.backward()
        optimizerG.step()
        if i % 50 == 0:  # silent: HS201
            print("[%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f" % (epoch, i, errD.item(), errG.item(), D_x))  # expect: HS101
            with torch.no_grad():
                fake = netG(fixed_noise).detach().cpu()  # expect: HS102
            vutils.save_image(fake, "fake.png", normalize=True)


cuda = torch.cuda.is_available()
FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.LongTensor if not cuda else torch.cuda.LongTensor
Wanted = torch.FloatTensor if cuda else torch.DoubleTensor

for images, labels in dataloader:
    real = images.type(FloatTensor)  # expect: HS401
    wanted = labels.type(LongTensor)  # expect: HS401
    kept = images.type(Wanted)  # silent: HS401, HS402, HS102
