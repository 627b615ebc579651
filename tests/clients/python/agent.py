"""An agent with a configuration of its own, and a port before the server's that loses connections."""

import json
import os
import signal
import socket
import subprocess
import threading
import time

import requests


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
        if number == signal.SIGTERM:
            wait_for(self._catches_sigterm)
        self.process.send_signal(number)
        return self.process.wait(30)

    def _catches_sigterm(self):
        """Whether it has come to where SIGTERM ends it cleanly: before that, it dies of the signal."""
        if self.process.poll() is not None:
            return True
        with open(f"/proc/{self.process.pid}/status") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt:"))
        return bool(caught >> (signal.SIGTERM - 1) & 1)

    def kill(self):
        """Ends it where it still runs."""
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

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


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to it in time"
        time.sleep(0.1)


def write(path, numbers):
    with open(path, "a") as file:
        file.writelines(f'level=info n={number} msg="line {number}"\n' for number in numbers)
