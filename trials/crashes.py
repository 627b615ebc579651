"""Deaths under load: shared by kills and power cuts."""

import time
from contextlib import contextmanager

import pymongo

from loads import Crew
from loads.collections import Collections, Indexes, Replaced
from loads.couch import Revisions
from loads.documents import Counters, Deletes, Inserts, Queue, Upserts
from loads.files import Grid, Puts, Resumed
from loads.searched import Arrivals, Branches, Edits, Searches
from machine import Machine

KINDS = [Inserts, Inserts, Counters, Counters, Upserts, Upserts, Deletes, Queue, Indexes, Replaced, Collections, Revisions, Grid, Puts,
         Resumed]
# The first of them makes the index.
SEARCHED_KINDS = [Searches, Arrivals, Edits, Edits, Branches]


@contextmanager
def machine_with_loads(folder, chance, kinds=KINDS, **options):
    machine = Machine(folder, **options)
    try:
        yield machine, Crew([kind(machine, number, chance.random()) for number, kind in enumerate(kinds)])
    except BaseException:
        # Whether it was the server that ended, and what it said last.
        print(f"exit code {machine.server.process.poll()}", *machine.server.log[-40:], sep="\n")
        raise
    finally:
        machine.stop()


def die_under_load(machine, crew, chance, deaths, longest_s):
    """Rounds of load and death, until `deaths` are reached; after each round everything is compared with what was acknowledged."""
    began = time.monotonic()
    while machine.deaths < deaths:
        crew.work()
        for _ in range(chance.choice([1, 1, 2, 3])):
            time.sleep(0.2 + chance.random() ** 2 * longest_s)
            machine.die()
            if chance.random() < 0.3:
                machine.die_while_starting(chance.random() * 0.4)
            machine.start()
        time.sleep(0.3)
        crew.wait_for_work()
        crew.rest()
        # Once more while it is quiet: nothing may be right only because it is still in memory.
        machine.die()
        machine.start()
        crew.check()
        check_collections(machine)
        # A run that is cut off tells how far it came.
        print(f"{machine.deaths} deaths, {time.monotonic() - began:.0f} s", flush=True)
    for load in crew.loads:
        print(f"{load.name}: {load.done} steps, {load.unknown} answers lost")
        assert load.done, f"{load.name} did nothing"


def check_collections(machine):
    """Asks the server itself whether each collection is whole."""
    # A large collection takes its time on a machine that does other work.
    with pymongo.MongoClient(machine.mongo, socketTimeoutMS=600_000) as client:
        for database in client.list_database_names():
            for name in client[database].list_collection_names():
                report = client[database].command("validate", name, full=True)
                assert report["valid"] and not report.get("errors"), (database, name, report)
