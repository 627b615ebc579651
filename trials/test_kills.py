"""SIGKILL at random moments under writers of every protocol."""

from crashes import die_under_load, machine_with_loads


def test_what_was_acknowledged_outlives_kills(tmp_path, chance, long):
    with machine_with_loads(tmp_path / "data", chance, memory="128m") as (machine, crew):
        die_under_load(machine, crew, chance, deaths=200 if long else 4, longest_s=5 if long else 1.5)
