"""`larder agent` against a real server: what it gathers arrives once, whatever is cut, killed or full."""

import json
import os
import random
import signal
import socket
import subprocess
import time

import pytest
import requests
from agent import Agent, Proxy, command, files, numbers, wait_for, write
from server import Server, running


@pytest.fixture
def own(tmp_path):
    with running(tmp_path / "data") as server:
        yield server


def test_lines_become_documents_with_their_types(own, tmp_path):
    write(tmp_path / "a.log", range(3))
    agent = Agent(tmp_path, own.url, files(tmp_path, 'format = "logfmt"\ntransform = [{ rename = { msg = "message" } }]'))
    assert agent.run("--once").returncode == 0
    documents = command(own, "logs", {"find": "app", "sort": {"_id": 1}})["cursor"]["firstBatch"]
    assert [document["message"] for document in documents] == ["line 0", "line 1", "line 2"]
    assert "$date" in documents[0]["time"]
    assert (documents[0]["device"], documents[0]["source"]) == ("pump-3", "app")
    assert documents[0]["_id"].startswith("pump-3-")
    # Nothing is sent twice, and what is added is sent by the next run.
    assert agent.run("--once").returncode == 0
    write(tmp_path / "a.log", [3])
    assert agent.run("--once").returncode == 0
    assert numbers(own) == [0, 1, 2, 3]


def test_messages_and_figures_arrive_from_where_others_send_them(own, tmp_path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    agent = Agent(tmp_path, own.url, f"""[source.syslog]
udp = "127.0.0.1:{port}"
[[source]]
name = "machine"
to = "larder.figures"
[source.figures]
every = "200ms"
""")
    agent.start()
    try:
        wait_for(lambda: "by datagrams" in (tmp_path / "agent.err").read_text())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"<11>Jan 31 12:00:00 pi cron[7]: it failed", ("127.0.0.1", port))
        wait_for(lambda: command(own, "logs", {"count": "app"})["n"] == {"$numberInt": "1"})
        wait_for(lambda: command(own, "larder", {"count": "figures"})["n"] != {"$numberInt": "0"})
        found = command(own, "logs", {"find": "app"})["cursor"]["firstBatch"][0]
        assert (found["level"], found["program"], found["message"]) == ("error", "cron", "it failed")
        assert agent.end() == 0
    finally:
        agent.kill()


def test_elasticsearch_takes_the_same_lines(own, tmp_path):
    write(tmp_path / "a.log", range(1200))
    source = files(tmp_path, 'format = "logfmt"')
    agent = Agent(tmp_path, own.elastic, source, server='protocol = "elasticsearch"', to="logs-app")
    assert agent.run("--once").returncode == 0
    os.remove(tmp_path / "spool" / "sent")
    assert agent.run("--once").returncode == 0
    requests.post(f"{own.elastic}/logs-app/_refresh")
    answer = requests.get(f"{own.elastic}/logs-app/_search", json={"query": {"term": {"n": 700}}}).json()
    assert [hit["_source"]["msg"] for hit in answer["hits"]["hits"]] == ["line 700"]
    assert requests.get(f"{own.elastic}/logs-app/_count").json()["count"] == 1200


def test_what_the_server_refuses_is_kept_aside(own, tmp_path):
    command(own, "logs", {"create": "app", "validator": {"n": {"$ne": 5}}})
    write(tmp_path / "a.log", range(10))
    agent = Agent(tmp_path, own.url, files(tmp_path, 'format = "logfmt"'))
    assert agent.run("--once").returncode == 0
    assert numbers(own) == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    rejected = [json.loads(line) for line in (tmp_path / "spool" / "rejected.ndjson").read_text().splitlines()]
    assert [line["record"]["n"] for line in rejected] == [5]
    assert "validation" in rejected[0]["reason"]
    assert agent.figures()["rejected"] == 1


def test_users_are_asked_for_their_password(tmp_path):
    data = tmp_path / "data"
    binary = os.environ["LARDER_BINARY"]
    for arguments in (["root"], ["agent", "--role", "readWrite@logs"]):
        subprocess.run([binary, "user", "add", *arguments, "--data", data], input="secret\n", text=True, check=True, capture_output=True)
    (tmp_path / "password").write_text("secret\n")
    write(tmp_path / "a.log", range(3))
    with running(data) as server:
        user = f'user = "agent"\npassword-file = "{tmp_path}/password"'
        agent = Agent(tmp_path, server.url, files(tmp_path, 'format = "logfmt"'), server=user)
        assert agent.run("--once").returncode == 0
        found = command(server, "logs", {"count": "app"}, auth=("root", "secret"))
        assert found["n"] == {"$numberInt": "3"}


def test_each_line_arrives_once_through_cuts_and_kills(tmp_path):
    """Rotated files, connections that break, SIGKILL of the agent and of the server."""
    seed = int(os.environ.get("TRIALS_SEED", time.time_ns() % 1_000_000))
    print("seed", seed)
    chance = random.Random(seed)
    count, cuts, kills = 6000, 12, 4
    server = Server(tmp_path / "data")
    proxy = Proxy(lambda: server.url)
    try:
        agent = Agent(tmp_path, f"http://{proxy.address}", files(tmp_path, 'format = "logfmt"', "a.log*"), server="batch-records = 50")
        agent.start()
        log = tmp_path / "a.log"
        rounds = cuts + 2 * kills
        what = ["cut"] * cuts + ["agent"] * kills + ["server"] * kills
        chance.shuffle(what)
        for step, kind in enumerate(what):
            first, last = count * step // rounds, count * (step + 1) // rounds
            write(log, range(first, last))
            if chance.random() < 0.3:
                log.rename(tmp_path / f"a.log.{step}")
            time.sleep(chance.random() * 0.3)
            if kind == "cut":
                proxy.cut()
            elif kind == "agent":
                agent.end(signal.SIGKILL)
                agent.start()
            else:
                server.kill()
                server = Server(tmp_path / "data", addresses=server.addresses)
        wait_for(lambda: len(numbers(server)) >= count)
        assert agent.end() == 0
        assert numbers(server) == list(range(count))
        ids = command(server, "logs", {"distinct": "app", "key": "_id"})["values"]
        assert len(ids) == count
    finally:
        agent.kill()
        proxy.close()
        server.kill()


def test_a_full_spool_waits_or_drops_what_it_counts(tmp_path):
    server = Server(tmp_path / "data")
    addresses = server.addresses
    server.stop()
    count = 20_000
    agents = {}
    for policy in ("wait", "drop-oldest", "drop-newest"):
        folder = tmp_path / policy
        folder.mkdir()
        write(folder / "a.log", range(count))
        options = 'format = "logfmt"'
        agents[policy] = Agent(folder, f"http://{addresses['http']}", files(folder, options), device=policy, to=f"logs.{policy}",
                               spool=f'max-bytes = "1m"\nwhen-full = "{policy}"')
        agents[policy].start()
    wait_for(lambda: all("the spool is full" in (agent.folder / "agent.err").read_text() for agent in agents.values()))
    time.sleep(2)
    server = Server(tmp_path / "data", addresses=addresses)
    try:
        def done(policy):
            return len(numbers(server, policy)) + agents[policy].figures()["dropped_ever"] >= count

        wait_for(lambda: done("wait") and done("drop-oldest") and done("drop-newest"), seconds=300)
        for agent in agents.values():
            assert agent.end() == 0
        for policy, agent in agents.items():
            found, dropped = numbers(server, policy), agent.figures()["dropped_ever"]
            assert len(found) == len(set(found))
            assert len(found) + dropped == count, policy
            assert (dropped > 0) == (policy != "wait"), policy
        assert count - 1 in numbers(server, "drop-oldest")
        assert 0 in numbers(server, "drop-newest")
    finally:
        for agent in agents.values():
            agent.kill()
        server.kill()


def test_an_agent_reads_its_configuration_again_and_says_what_is_wrong(own, tmp_path):
    agent = Agent(tmp_path, own.url, files(tmp_path, 'format = "logfmt"'))
    agent.start()
    try:
        write(tmp_path / "a.log", range(3))
        wait_for(lambda: numbers(own) == [0, 1, 2])
        good = agent.config.read_text()
        agent.config.write_text(good.replace("poll", "pol"))
        agent.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "unknown field `pol`" in (tmp_path / "agent.err").read_text())
        agent.config.write_text(good.replace("logs.app", "logs.other"))
        agent.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "read again" in (tmp_path / "agent.err").read_text())
        write(tmp_path / "a.log", range(3, 6))
        wait_for(lambda: numbers(own, "other") == [3, 4, 5])
        assert agent.end() == 0
        checked = subprocess.run([os.environ["LARDER_BINARY"], "agent", "check", agent.config], capture_output=True, text=True)
        assert checked.returncode == 0 and f"{tmp_path}/a.log" in checked.stdout
    finally:
        agent.kill()
