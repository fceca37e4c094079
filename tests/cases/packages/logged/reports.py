def log(values):
    print(values)  # expect: HS105


def of_what_was_logged(rec):
    print(rec["entropy"])  # silent: HS105
    return rec


def of_what_another_holds(rec):
    print(rec["gap"])  # expect: HS105
    return rec


def made_in_sight(parts, step: int):
    rec = {"step": step}
    for key, value in parts.items():
        rec[key] = float(value)
    print(rec["margin"])  # silent: HS105
    return rec


def made_in_sight_of_anything(parts, step: int):
    rec = {"step": step}
    for key, value in parts.items():
        rec[key] = value
    print(rec["margin"])  # expect: HS105
    return rec


def filled_by_others(parts, more, step: int):
    rec = {"step": step}
    rec.update(more)
    for key, value in parts.items():
        rec[key] = float(value)
    print(rec["margin"])  # expect: HS105
    return rec
