"""Nothing of torch is imported: what is detached and brought to the host is a tensor all the same."""


class Activations:
    def __init__(self, layer):
        self.kept = []
        layer.register_forward_hook(self.keep)

    def keep(self, module, args, output):
        self.kept.append(output.cpu().detach())  # expect: HS102

    def keep_gradient(self, grad):
        self.kept.append(grad.detach().cpu())  # expect: HS102

    def of_anything(self, x):
        return x.cpu(), x.detach(), x.cpu().run(), x.detach(1).cpu()  # silent: HS102
