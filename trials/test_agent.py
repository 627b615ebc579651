"""`larder agent` while connections break, disks are full, and it and its server are killed: each line is there exactly once."""

import os
import signal
import time

import pytest
import requests
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


@pytest.mark.parametrize("when_full", ["wait", "drop-oldest", "drop-newest"])
def test_each_line_arrives_once_or_is_counted_as_dropped_when_the_disk_of_the_spool_was_full(tmp_path, disk, chance, long, when_full):
    """Full while the server is away, and until it has some of what waits. Where nothing is dropped, files are rotated meanwhile, and
    the agent dies and starts on the full disk."""
    count, rounds = (100_000, 6) if long else (48_000, 3)
    (tmp_path / "spool").symlink_to(disk.mountpoint)
    server = Server(tmp_path / "data", memory="256m")
    agent = Agent(tmp_path, server.url, files(tmp_path, 'format = "logfmt"', "a.log*"), spool=f'max-bytes = "1m"\nwhen-full = "{when_full}"')
    agent.start()
    log = tmp_path / "a.log"
    is_lossless = when_full == "wait"
    try:
        for step in range(rounds):
            before = counted(server)
            server.kill()
            disk.hold(chance.randrange(700_000, 1_000_000))
            said = times_said(agent, "the spool is full")
            last = count * (step + 1) // rounds - 1
            write(log, range(count * step // rounds, last))
            wait_for(lambda: times_said(agent, "the spool is full") > said)
            if is_lossless:
                for _ in range(chance.randrange(5)):
                    agent.end(signal.SIGKILL)
                    said = times_said(agent, "the spool is full")
                    agent.start()
                    wait_for(lambda: times_said(agent, "the spool is full") > said)
                if chance.random() < 0.5:
                    rotate(log, step)
            server = Server(tmp_path / "data", memory="256m", addresses=server.addresses)
            wait_for(lambda: counted(server) > before)
            disk.room(None)
            # It is not dropped, and all that was kept before it in this file arrives before it.
            write(log, [last])
            wait_for(lambda: has(server, last) and (not is_lossless or counted(server) > last))
        assert agent.end() == 0
        found, dropped = summary(server), agent.figures()["dropped_ever"]
        assert found["lines"] == found["distinct"] == count - dropped
        assert (dropped == 0) == is_lossless
        print({"lines": count, "rounds": rounds, "when_full": when_full, "figures": agent.figures()})
    finally:
        agent.kill()
        server.kill()


def test_each_line_arrives_once_when_the_disk_of_the_server_was_full(tmp_path, disk, chance, long):
    """Others fill it in the midst of lines that arrive; it, or the agent, dies and starts meanwhile. What found no room is sent again."""
    rounds, lines = (20 if long else 4), 12_000
    count = rounds * lines
    server = Server(disk.mountpoint / "data", memory="256m")
    agent = Agent(tmp_path, server.url, files(tmp_path, 'format = "logfmt"', "a.log*"))
    agent.start()
    log = tmp_path / "a.log"
    try:
        for first in range(0, count, lines):
            write(log, range(first, first + lines - 1))
            wait_for(lambda: counted(server) > first)
            said = times_said(agent, "records wait")
            disk.room(chance.randrange(100_000))
            # The last line is refused, however fast the others were.
            wait_for(lambda: is_low(server))
            write(log, [first + lines - 1])
            # What the server gives up for this case, others take.
            wait_for(lambda: disk.room(0) or times_said(agent, "records wait") > said)
            blow = chance.random()
            if blow < 0.3:
                server.kill()
                # As much as a start wants, and too little to take anything.
                disk.room(8 << 20)
                server = Server(disk.mountpoint / "data", memory="256m", addresses=server.addresses)
            elif blow < 0.6:
                agent.end(signal.SIGKILL)
                agent.start()
            disk.room(None)
            wait_for(lambda: counted(server) == first + lines)
        assert agent.end() == 0
        assert summary(server) == {"lines": count, "distinct": count, "least": 0, "most": count - 1}
        assert agent.figures()["rejected"] == 0
        print({"lines": count, "rounds": rounds, "figures": agent.figures()})
    finally:
        agent.kill()
        server.kill()


def is_low(server):
    """Whether the server knows that its disk is nearly full."""
    return "\nlarder_disk_low 1\n" in requests.get(f"{server.url}/metrics", timeout=60).text


def times_said(agent, words):
    """How often the agent has said so since it was made."""
    return (agent.folder / "agent.err").read_text().count(words)


def has(server, number):
    return command(server, "logs", {"count": "app", "query": {"n": number}})["n"] != {"$numberInt": "0"}


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
