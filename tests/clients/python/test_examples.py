"""The examples in Python do what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def test_the_example_readings_prints_what_it_says(server):
    command = [sys.executable, str(EXAMPLES / "readings.py"), server.uri]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "stored: 720",
        "newest in the cellar: 2026-01-10 23:00:00 13.0",
        "documents looked at for it: 1",
        "refused: cellar 2026-01-01 00:00:00",
        "2026-01-01 attic     15.0  17.5",
        "2026-01-01 cellar    10.5  13.0",
        "2026-01-01 kitchen   22.5  25.0",
        "2026-01-02 attic     15.0  17.5",
        "2026-01-02 cellar    10.5  13.0",
        "2026-01-02 kitchen   22.5  25.0",
    ]
