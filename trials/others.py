"""Clients that do small things while somebody asks for much: how long each of them waits.

They run in a process of their own, so that what the trial does meanwhile takes none of their time.   python others.py ADDRESS"""

import json
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import count

import pymongo

CLIENTS = 16
# Each asks so often, whatever the answers take.
PAUSE_S = 0.05


class Others:
    def __init__(self, process):
        self.process = process

    def lap(self):
        """The 99th percentile in ms since the last lap, and of how many answers."""
        self.process.stdin.write("lap\n")
        self.process.stdin.flush()
        lap = json.loads(self.process.stdout.readline())
        assert not lap["failed"], lap["failed"]
        return lap["p99_ms"], lap["answers"]


@contextmanager
def others(address):
    command = [sys.executable, __file__, address]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Others(process)
    finally:
        process.stdin.close()
        process.wait(60)


def main(address):
    lock, taken_ms, failed = threading.Lock(), [], []

    def work(number):
        with pymongo.MongoClient(f"mongodb://{address}/", maxPoolSize=1, socketTimeoutMS=60_000) as client:
            things = client.others.things
            for at in count():
                began = time.monotonic()
                try:
                    # Reads and writes in turn.
                    if at % 4 == 0:
                        things.replace_one({"_id": number}, {"at": at, "text": "x" * 200}, upsert=True)
                    else:
                        assert things.find_one({"_id": number})["text"]
                except Exception as error:
                    with lock:
                        failed.append(str(error))
                took = time.monotonic() - began
                with lock:
                    taken_ms.append(took * 1000)
                time.sleep(max(0, PAUSE_S - took))

    for number in range(CLIENTS):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    for _ in sys.stdin:
        with lock:
            ordered = sorted(taken_ms)
            lap = {"p99_ms": ordered[len(ordered) * 99 // 100] if ordered else None, "answers": len(ordered), "failed": failed[:3]}
            taken_ms.clear()
            failed.clear()
        print(json.dumps(lap), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
