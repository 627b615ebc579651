"""Writers whose every acknowledgement is remembered, to be compared with what a server has after it died.

A load's `step` is one piece of work. Where its answer does not come, nobody knows whether the work was done; the load remembers that
too, and its `check` then takes both."""

import random
import threading
import time

import pymongo
import requests

# What a client sees when a server dies under it.
LOST = (pymongo.errors.ConnectionFailure, pymongo.errors.WTimeoutError, requests.exceptions.RequestException, OSError)


class Wrong(AssertionError):
    """A server's answer that no death explains."""


class Load:
    def __init__(self, machine, number, seed):
        self.machine = machine
        self.name = f"{type(self).__name__.lower()}{number}"
        self.chance = random.Random(f"{seed} {self.name}")
        self.done = 0
        self.unknown = 0
        self.prepare()

    def prepare(self):
        """Makes what the steps need; runs while no server dies."""

    def step(self):
        raise NotImplementedError

    def check(self):
        """Raises where the server is not as the acknowledgements say; runs while no step does."""
        raise NotImplementedError


class MongoLoad(Load):
    """A load through MongoDB's protocol; `self.collection` is its own."""

    def __init__(self, machine, number, seed):
        self.client = pymongo.MongoClient(machine.mongo, maxPoolSize=2)
        self.database = self.client["trial"]
        super().__init__(machine, number, seed)

    @property
    def collection(self):
        return self.database[self.name]


class HttpLoad(Load):
    def __init__(self, machine, number, seed):
        self.session = requests.Session()
        super().__init__(machine, number, seed)

    def request(self, method, url, **options):
        return self.session.request(method, url, timeout=60, **options)


class Crew:
    """The threads that take the steps of some loads until they are told to rest."""

    def __init__(self, loads):
        self.loads = loads
        self.wrong = []
        self._rest = threading.Event()
        self._threads = []

    def work(self):
        self._rest.clear()
        self._threads = [threading.Thread(target=self._steps, args=(load,), daemon=True) for load in self.loads]
        for thread in self._threads:
            thread.start()

    def wait_for_work(self):
        """Until each load has done something: a busy machine may need longer for that than its server lived."""
        ends = time.monotonic() + 120
        while not self.wrong and not all(load.done for load in self.loads) and time.monotonic() < ends:
            time.sleep(0.05)

    def rest(self):
        """Returns when every load has ended its step: the server must be up."""
        self._rest.set()
        for load, thread in zip(self.loads, self._threads):
            thread.join(120)
            assert not thread.is_alive(), f"a step of {load.name} does not end"
        assert not self.wrong, self.wrong

    def check(self):
        for load in self.loads:
            load.check()

    def _steps(self, load):
        while not self._rest.is_set():
            try:
                load.step()
                load.done += 1
            except LOST:
                load.unknown += 1
                self._rest.wait(0.02)
            except Exception as error:
                self.wrong.append(f"{load.name}: {error!r}")
                return
