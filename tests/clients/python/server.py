"""Starts and ends a real server for a test."""

import os
import re
import resource
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

LISTENING = re.compile(r"listening.*protocol=\"?([\w-]+)\"? address=(\S+)")


class Server:
    """A running `larder serve` on free ports of 127.0.0.1, or on the `addresses` that an earlier one had, so that its clients
    find it again. `wrapper` is put before the command: another program that starts it. Without `wait`, it may not listen yet."""

    def __init__(self, folder, *options, descriptors=None, memory="64m", addresses=None, wrapper=(),
                 wait=True):
        self.folder = folder
        self.options = options
        self.log = []
        self._listening = threading.Event()
        self.addresses = {}
        ports = addresses or dict.fromkeys(("mongo", "couch", "elastic", "riak", "riak-pb", "http"), "127.0.0.1:0")
        self._awaited = {*ports, *(option[2:-7] for option in options if str(option).endswith("-listen"))}
        listen = [word for name, address in ports.items() for word in (f"--{name}-listen", address)]
        command = [*wrapper, os.environ["LARDER_BINARY"], "serve", "--data", str(folder), "--memory", memory, *listen, *options]
        limits = descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)))
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=limits)
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        if wait and (not self._listening.wait(120) or not self.is_listening()):
            self.kill()
            raise RuntimeError("the server did not start:\n" + "".join(self.log))

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            found = LISTENING.search(line)
            if found:
                self.addresses[found.group(1)] = found.group(2)
            if self.is_listening():
                self._listening.set()
        self._listening.set()

    def is_listening(self):
        return self._awaited <= self.addresses.keys()

    def logs(self, text, seconds=60):
        """Whether the log has this, now or soon: it is read beside the test."""
        deadline = time.monotonic() + seconds
        while not any(text in line for line in self.log):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    @property
    def address(self):
        return self.addresses["mongo"]

    @property
    def uri(self):
        return f"mongodb://{self.address}/"

    @property
    def couch(self):
        return f"http://{self.addresses['couch']}"

    @property
    def elastic(self):
        return f"http://{self.addresses['elastic']}"

    @property
    def riak(self):
        return f"http://{self.addresses['riak']}"

    @property
    def url(self):
        """Larder's own HTTP."""
        return f"http://{self.addresses['http']}"

    def stop(self):
        """Asks for an orderly end and waits for it; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._wait()

    def kill(self):
        """Ends the process with no warning."""
        self.process.kill()
        return self._wait()

    def _wait(self):
        code = self.process.wait(120)
        self._reader.join(10)
        self.process.stderr.close()
        return code


@contextmanager
def running(folder, *options, **limits):
    server = Server(folder, *options, **limits)
    try:
        yield server
    finally:
        server.stop()
