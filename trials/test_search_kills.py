"""SIGKILL under bulk load, with a full-text index that follows: what was acknowledged is found, once, and nothing else."""

from crashes import SEARCHED_KINDS, die_under_load, machine_with_loads


def test_what_was_acknowledged_is_found_once_after_kills(tmp_path, chance, long):
    with machine_with_loads(tmp_path / "data", chance, SEARCHED_KINDS, memory="128m") as (machine, crew):
        die_under_load(machine, crew, chance, deaths=100 if long else 4, longest_s=4 if long else 1.5)
