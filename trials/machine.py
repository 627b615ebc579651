"""A server that dies and comes back on the same ports, so that its clients go on."""

import time

from server import Server


class Machine:
    """`power_cut` is called between a death and the next start: it may take from the disk what was not flushed."""

    def __init__(self, folder, *options, power_cut=lambda: None, **limits):
        self.folder, self.options, self.limits, self.power_cut = folder, options, limits, power_cut
        self.server = Server(folder, *options, **limits)
        self.addresses = dict(self.server.addresses)
        self.deaths = 0

    @property
    def mongo(self):
        return f"mongodb://{self.addresses['mongo']}/?serverSelectionTimeoutMS=30000&socketTimeoutMS=300000"

    @property
    def couch(self):
        return f"http://{self.addresses['couch']}"

    @property
    def elastic(self):
        return f"http://{self.addresses['elastic']}"

    @property
    def http(self):
        return f"http://{self.addresses['http']}"

    def die(self):
        self.server.kill()
        self.power_cut()
        self.deaths += 1

    def start(self):
        self.server = Server(self.folder, *self.options, addresses=self.addresses, **self.limits)

    def die_while_starting(self, after_s):
        starting = Server(self.folder, *self.options, addresses=self.addresses, wait=False, **self.limits)
        time.sleep(after_s)
        starting.kill()
        self.power_cut()
        self.deaths += 1

    def stop(self):
        return self.server.stop()
