"""Nothing of torch is imported: that a part of it is brought to the CPU shows what it is."""


def stretched(picture):
    low = float(picture.min().cpu())  # expect: HS102
    high = float(picture.max().cpu().data)  # expect: HS102
    return (picture - low) / (high - low)
