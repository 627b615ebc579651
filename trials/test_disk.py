"""Disks that lose power, fill up, or fail."""

import os
import threading
import time

import pymongo
import pytest
import requests
from crashes import check_collections, die_under_load, machine_with_loads
from machine import Machine
from pymongo.errors import PyMongoError

MB = 1 << 20


def test_what_was_acknowledged_outlives_power_cuts(disk, chance, long):
    with machine_with_loads(disk.mountpoint / "data", chance, memory="128m", power_cut=lambda: disk.cut(chance)) as (machine, crew):
        die_under_load(machine, crew, chance, deaths=200 if long else 4, longest_s=5 if long else 1.5)


@pytest.fixture
def machine(disk):
    machine = Machine(disk.mountpoint / "data")
    yield machine
    machine.stop()


def insert_until_refused(client, most=400):
    """Documents that were acknowledged before the disk was full."""
    acknowledged = []
    for batch in range(most):
        ids = [f"{time.monotonic_ns()}-{batch}-{i}" for i in range(100)]
        try:
            client.trial.things.insert_many({"_id": id, "bytes": os.urandom(4000)} for id in ids)
        except PyMongoError as refused:
            assert "space" in str(refused) or "full" in str(refused), refused
            return acknowledged
        acknowledged += ids
    pytest.fail("the disk was never full")


def test_a_full_disk_serves_reads_and_deletes_and_takes_writes_again(disk, machine, chance):
    with pymongo.MongoClient(machine.mongo) as client:
        client.trial.other.insert_many({"bytes": os.urandom(4000)} for _ in range(500))
        requests.put(f"{machine.couch}/trial", timeout=60).raise_for_status()
        disk.room(100 * MB)
        acknowledged = insert_until_refused(client)
        for refused in (f"{machine.couch}/trial/document", f"{machine.http}/files/trial/file"):
            assert requests.put(refused, data=b"{}", timeout=60).status_code == 507
        assert client.trial.things.count_documents({}) >= len(acknowledged)
        assert client.trial.things.find_one({"_id": acknowledged[0]})
        assert requests.get(f"{machine.http}/health", timeout=10).status_code < 600
        assert client.trial.things.delete_one({"_id": acknowledged.pop(0)}).deleted_count == 1
        client.trial.other.drop()
        disk.room(None)
        writable_again(client)
        machine.die()
        machine.start()
        present = {document["_id"] for document in client.trial.things.find({}, {"_id": 1})}
        assert not set(acknowledged) - present
        check_collections(machine)


def test_writes_go_on_after_others_have_filled_the_disk_in_the_midst_of_them(disk, machine, chance):
    """Nothing was kept back in time: log, tables and large values find no room."""
    acknowledged, refused, ended = [set() for _ in range(4)], [], threading.Event()
    threads = [threading.Thread(target=insert_until, args=(machine, number, ids, refused, ended)) for number, ids in enumerate(acknowledged)]
    for thread in threads:
        thread.start()
    ends = time.monotonic() + 60
    while not all(acknowledged) and time.monotonic() < ends:
        time.sleep(0.1)
    time.sleep(1)
    disk.room(0)
    while not refused and time.monotonic() < ends + 60:
        time.sleep(0.1)
    time.sleep(2)
    disk.room(None)
    ended.set()
    for thread in threads:
        thread.join(300)
    with pymongo.MongoClient(machine.mongo) as client:
        writable_again(client)
    assert refused and all("full" in error or "space" in error for error in refused), refused[:3]
    machine.die()
    machine.start()
    with pymongo.MongoClient(machine.mongo) as client:
        present = {document["_id"] for document in client.trial.things.find({}, {"_id": 1})}
        assert not set().union(*acknowledged) - present
        check_collections(machine)


def insert_until(machine, number, acknowledged, refused, ended):
    """Small documents and large ones."""
    with pymongo.MongoClient(machine.mongo, maxPoolSize=1) as client:
        for i in range(1_000_000):
            if ended.is_set():
                return
            id = f"{number}-{i}"
            try:
                client.trial.things.insert_one({"_id": id, "bytes": os.urandom(100_000 if i % 4 == 0 else 3000)})
                acknowledged.add(id)
            except PyMongoError as error:
                refused.append(str(error))
                time.sleep(0.01)


def writable_again(client):
    ends = time.monotonic() + 60
    while True:
        try:
            # One that found room and could not be flushed is there already: not under the same `_id` again.
            client.trial.things.insert_one({})
            return
        except PyMongoError:
            assert time.monotonic() < ends, "writes are still refused a minute after there is room"
            time.sleep(0.2)


def wait_for_ballast(disk, client):
    """What is kept for a full disk is written a moment after the start."""
    ballast, ends = disk.mountpoint / "data" / "BALLAST", time.monotonic() + 30
    while not ballast.exists() or ballast.stat().st_blocks * 512 < 8 * MB:
        assert time.monotonic() < ends, "nothing is kept for a full disk"
        client.trial.other.insert_one({})
        time.sleep(0.1)


def test_a_start_on_a_full_disk_serves_reads_and_deletes(disk, machine):
    with pymongo.MongoClient(machine.mongo) as client:
        client.trial.things.insert_many({"_id": i, "bytes": os.urandom(4000)} for i in range(2000))
        wait_for_ballast(disk, client)
        machine.die()
        disk.room(0)
        machine.start()
        assert client.trial.things.count_documents({}) == 2000
        assert client.trial.things.delete_many({"_id": {"$lt": 1000}}).deleted_count == 1000
        disk.room(None)
        writable_again(client)


def test_space_comes_back_on_a_disk_that_knows_no_holes(disk):
    """A file system without `fallocate`: whole files of large values go once nothing in them is needed."""
    disk.say("holes none")
    machine = Machine(disk.mountpoint / "data")
    try:
        kept = os.urandom(300_000)
        for number in range(3):
            with pymongo.MongoClient(machine.mongo) as client:
                client.trial.things.insert_many({"bytes": os.urandom(200_000)} for _ in range(50))
                client.trial.kept.insert_one({"_id": number, "bytes": kept})
                client.trial.things.delete_many({})
            # Each process writes files of its own.
            machine.die()
            machine.start()
        with pymongo.MongoClient(machine.mongo) as client:
            files = disk.mountpoint / "data" / "values"
            assert len(list(files.iterdir())) == 3
            client.trial.kept.delete_many({"_id": {"$ne": 2}})
            ends = time.monotonic() + 60
            while len(list(files.iterdir())) > 1:
                assert time.monotonic() < ends, list(files.iterdir())
                time.sleep(0.2)
            assert client.trial.kept.find_one({"_id": 2})["bytes"] == kept
            check_collections(machine)
    finally:
        machine.stop()


FAULTS = [("sync", ".log", 0), ("sync", ".log", 50), ("write", ".log", 20), ("sync", ".sst", 0), ("write", ".sst", 0), ("sync", "MANIFEST", 0),
          ("sync", ".values", 0), ("write", ".values", 3)]


@pytest.mark.parametrize("operation, file, after", FAULTS)
def test_an_io_error_loses_nothing_that_was_acknowledged(disk, machine, chance, operation, file, after):
    """The error is told to whom it concerns; what was acknowledged before or after it outlives a power cut."""
    acknowledged = [set() for _ in range(4)]
    disk.say(f"fail {operation} {file} {after}")
    threads = [threading.Thread(target=insert_some, args=(machine, number, ids)) for number, ids in enumerate(acknowledged)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    if operation == "sync" and file == ".log":
        # Of what was not flushed nobody knows whether it is on the disk, so nobody reads it.
        with pymongo.MongoClient(machine.mongo) as client:
            readable = {document["_id"] for document in client.trial.things.find({}, {"_id": 1})}
            assert readable == set().union(*acknowledged)
    machine.server.kill()
    disk.say("mend")
    disk.cut(chance)
    machine.start()
    with pymongo.MongoClient(machine.mongo) as client:
        present = {document["_id"] for document in client.trial.things.find({}, {"_id": 1})}
        assert not set().union(*acknowledged) - present
        check_collections(machine)


def insert_some(machine, number, acknowledged):
    """Small documents and large ones, until errors say that it makes no sense to go on."""
    errors = 0
    with pymongo.MongoClient(machine.mongo, maxPoolSize=1) as client:
        for i in range(400):
            id = f"{number}-{i}"
            try:
                client.trial.things.insert_one({"_id": id, "bytes": os.urandom(100_000 if i % 4 == 0 else 3000)})
                acknowledged.add(id)
            except PyMongoError:
                errors += 1
                if errors > 20:
                    return
