"""The disk of `disk/`, mounted: it forgets what was not flushed, can be full and can fail."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

CRATE = Path(__file__).parent / "disk"


class Disk:
    def __init__(self, process, mountpoint):
        self._process, self.mountpoint = process, mountpoint

    def say(self, command):
        print(command, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().strip()
        assert not answer.startswith("not understood"), answer
        return answer

    def cut(self, chance):
        self.say(f"cut {chance.randrange(1 << 62)}")

    def used(self):
        return int(self.say("used"))

    def room(self, free):
        """Leaves so many bytes free; None: as many as there is memory for."""
        self.hold(None if free is None else self.used() + free)

    def hold(self, size):
        """So many bytes in all, of what is there and what comes."""
        self.say("limit none" if size is None else f"limit {size}")


@contextmanager
def mounted(folder):
    """Skips the test where the machine mounts no file systems of its users."""
    if not Path("/dev/fuse").exists():
        pytest.skip("needs /dev/fuse")
    subprocess.run(["cargo", "build", "--quiet", "--locked"], cwd=CRATE, check=True)
    folder.mkdir()
    process = subprocess.Popen([CRATE / "target/debug/disk", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline() != "ok\n":
            pytest.skip(process.stderr.read().strip())
        yield Disk(process, folder)
    finally:
        process.stdin.close()
        process.wait(60)
