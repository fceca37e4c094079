"""Under which names results are kept between runs."""

from __future__ import annotations

from hostsync.lint.remembered import round_name


def test_each_study_of_a_file_is_kept_under_a_name_of_its_own() -> None:
    # What a file tells of others is kept for its first study, too: one name for two would lose that of the second.
    assert len({round_name("a.py", study) for study in range(4)}) == 4
