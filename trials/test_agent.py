"""`larder agent` while connections break, and it and its server are killed: each line is there exactly once."""

import os
import signal
import time

from agent import Agent, Proxy, command, files, wait_for, write
from server import Server


def rotate(log, step):
    """As logrotate does, by renaming; the oldest go."""
    log.rename(log.with_name(f"a.log.{step}"))


def test_each_line_arrives_once(tmp_path, chance, long):
    count, cuts, kills = (1_000_000, 100, 50) if long else (20_000, 10, 3)
    count = int(os.environ.get("TRIALS_LINES", count))
    server = Server(tmp_path / "data", memory="256m")
    proxy = Proxy(lambda: server.url)
    agent = Agent(tmp_path, f"http://{proxy.address}", files(tmp_path, 'format = "logfmt"', "a.log*"))
    agent.start()
    try:
        blows = ["cut"] * cuts + ["agent"] * kills + ["server"] * kills
        chance.shuffle(blows)
        log = tmp_path / "a.log"
        for step, blow in enumerate(blows):
            write(log, range(count * step // len(blows), count * (step + 1) // len(blows)))
            if chance.random() < 0.2:
                rotate(log, step)
            time.sleep(chance.random() * (2 if long else 0.5))
            if blow == "cut":
                proxy.cut()
            elif blow == "agent":
                agent.end(signal.SIGKILL)
                time.sleep(chance.random() * 0.2)
                agent.start()
            else:
                server.kill()
                server = Server(tmp_path / "data", memory="256m", addresses=server.addresses)
        wait_for(lambda: counted(server) >= count, seconds=1800 if long else 120)
        assert agent.end() == 0
        assert summary(server) == {"lines": count, "distinct": count, "least": 0, "most": count - 1}
        assert proxy.cuts >= cuts // 2
        print({"lines": count, "cuts": proxy.cuts, "kills": kills, "figures": agent.figures()})
    finally:
        agent.kill()
        proxy.close()
        server.kill()


def counted(server):
    return int(command(server, "logs", {"count": "app"})["n"]["$numberInt"])


def summary(server):
    """The numbers of all lines, added up by the server: there may be a million."""
    pipeline = [
        {"$group": {"_id": "$n", "count": {"$sum": 1}}},
        {"$group": {"_id": None, "lines": {"$sum": "$count"}, "distinct": {"$sum": 1}, "least": {"$min": "$_id"}, "most": {"$max": "$_id"}}},
        {"$project": {"_id": 0}},
    ]
    found = command(server, "logs", {"aggregate": "app", "pipeline": pipeline, "cursor": {}})["cursor"]["firstBatch"][0]
    return {name: int(value["$numberInt"]) for name, value in found.items()}
