"""Pictures are prepared on the host, by a module that says so."""
import torchvision.transforms.functional as TF


class Backend:
    def normalize(self, image, mean, std):
        return TF.normalize(image, mean, std)  # silent: HS605
