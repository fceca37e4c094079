"""Nothing of torch is imported, nor any of its words used: methods that tensors alone have show what it is."""
import os


class RealLabels:
    def __init__(self, names):
        self.names = names
        self.right = []

    def add(self, output):
        _, best = output.topk(5, 1, True, True)
        best = best.cpu().numpy()  # expect: HS102
        for row in best:
            self.right.append(os.path.basename(self.names[row[0]]))
