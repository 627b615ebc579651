"""`larder agent` against a real server: what it gathers arrives once, whatever is cut, killed or full."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

import pytest
import requests
from server import Server, running


class Proxy:
    """A port before the server's that loses connections, and answers among them, when it is told to."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.connections = []
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target().split("//")[-1].split(":"), timeout=5)
            except OSError:
                client.close()
                continue
            self.connections += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        connections, self.connections = self.connections, []
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()
        self.cuts += bool(connections)

    def close(self):
        self.listener.close()
        self.cut()


class Agent:
    """An agent with a configuration of its own; started and ended as often as one likes."""

    def __init__(self, folder, url, source, server="", spool="", device="pump-3", to="logs.app"):
        self.folder = folder
        self.config = folder / "agent.toml"
        self.config.write_text(f"""
device = "{device}"
[server]
url = "{url}"
retry-max = "500ms"
timeout = "5s"
{server}
[spool]
folder = "{folder / "spool"}"
sync-interval = "50ms"
{spool}
[[source]]
name = "app"
to = "{to}"
{source}
""")
        self.process = None

    def run(self, *arguments):
        command = [os.environ["LARDER_BINARY"], "agent", "--config", str(self.config), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def start(self):
        command = [os.environ["LARDER_BINARY"], "agent", "--config", str(self.config)]
        with open(self.folder / "agent.err", "a") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(30)

    def figures(self):
        return json.loads((self.folder / "spool" / "status.json").read_text())["figures"]


def files(folder, options="", pattern="*.log"):
    return f"""{options}
[source.files]
paths = ["{folder}/{pattern}"]
poll = "50ms"
scan = "200ms"
"""


def command(server, database, body, auth=None):
    answer = requests.post(f"{server.url}/api/command/{database}", json=body, auth=auth)
    assert answer.status_code == 200, answer.text
    return answer.json()


def numbers(server, collection="app"):
    """The field `n` of all documents, sorted."""
    body = {"aggregate": collection, "pipeline": [{"$group": {"_id": "$n", "count": {"$sum": 1}}}], "cursor": {"batchSize": 2_000_000}}
    groups = command(server, "logs", body)["cursor"]["firstBatch"]
    found = []
    for group in groups:
        found += [int(group["_id"]["$numberInt"])] * int(group["count"]["$numberInt"])
    return sorted(found)


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to it in time"
        time.sleep(0.1)


def write(path, numbers):
    with open(path, "a") as file:
        file.writelines(f'level=info n={number} msg="line {number}"\n' for number in numbers)


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
        if agent.process.poll() is None:
            agent.process.kill()
            agent.process.wait()
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

        wait_for(lambda: done("wait") and done("drop-oldest") and done("drop-newest"))
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
            if agent.process.poll() is None:
                agent.process.kill()
                agent.process.wait()
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
        if agent.process.poll() is None:
            agent.process.kill()
            agent.process.wait()
