"""`larder backup --archive` and `larder restore --until`: any moment between two backups."""

import os
import shutil
import time
from datetime import UTC, datetime, timedelta

import pymongo
import pytest
import requests
from server import Server, running
from test_backup import larder

LARGE = bytes(range(256)) * 1200


def now():
    return datetime.now(UTC)


def backup(server, backups, *options):
    return larder("backup", backups, "--server", server.url, "--quiet", *options)


def state(server):
    """What the protocols see."""
    with pymongo.MongoClient(server.uri) as client:
        names = set(client.list_database_names()) - {"admin", "config", "local"}
        documents = {f"{database}.{name}": sorted(client[database][name].find(), key=str)
                     for database in names for name in client[database].list_collection_names() if "." not in name}
    listed = requests.get(f"{server.couch}/couch/_all_docs", timeout=60)
    return documents, listed.json().get("rows") if listed.ok else None


def test_a_restore_goes_to_any_moment_between_two_backups(tmp_path):
    folder, backups = tmp_path / "data", tmp_path / "backups"
    server = Server(folder)
    requests.put(f"{server.couch}/couch", timeout=60).raise_for_status()
    moments = []

    def moment():
        time.sleep(0.01)
        moments.append((now(), state(server)))
        time.sleep(0.01)

    with pymongo.MongoClient(server.uri) as client:
        client.shop.orders.insert_many({"_id": n, "total": n % 7} for n in range(500))
        backup(server, backups, "--archive")
        moment()
        client.shop.orders.create_index("total")
        client.shop.orders.update_many({"total": 3}, {"$inc": {"total": 100}})
        client.shop.notes.insert_one({"_id": 1, "note": LARGE})
        requests.put(f"{server.couch}/couch/a", json={"v": 1}, timeout=60).raise_for_status()
        moment()
        client.shop.orders.delete_many({"_id": {"$lt": 400}})
        client.shop.notes.drop()
        requests.put(f"{server.url}/files/photos/one", data=LARGE, timeout=60).raise_for_status()
        moment()
    # Changes are archived across a kill and an orderly stop, and while a folder is worked on without a server.
    server.kill()
    server = Server(folder)
    with pymongo.MongoClient(server.uri) as client:
        client.shop.notes.insert_one({"_id": 2, "note": "after a kill"})
        moment()
        backup(server, backups)
        client.shop.notes.insert_one({"_id": 3, "note": "after a backup without"})
        backup(server, backups, "--archive")
        moment()
        client.drop_database("shop")
        client.new.things.insert_one({"_id": 1})
        moment()
    server.stop()
    larder("backup", backups, "--data", folder, "--archive", "--quiet")

    for number, (time_of, expected) in enumerate(moments):
        target = tmp_path / f"restored{number}"
        larder("restore", backups, "--until", time_of.isoformat(), "--data", target, "--quiet")
        larder("verify", "--data", target, "--quiet")
        with running(target) as server:
            assert state(server) == expected, number
            has_file = requests.get(f"{server.url}/files/photos/one", timeout=60)
            assert has_file.content == LARGE if number >= 2 else has_file.status_code == 404
        shutil.rmtree(target)
    listed = larder("restore", backups, "--list").splitlines()
    assert ["--archive" in line for line in listed] == [True, False, True, True]


def test_moments_that_were_not_kept_are_refused(tmp_path):
    backups = tmp_path / "backups"

    def until(time_of, **options):
        return larder("restore", backups, "--until", time_of, "--data", tmp_path / "restored", "--quiet", fails=True, **options)

    with running(tmp_path / "data", "--archive-max", "100k") as server, pymongo.MongoClient(server.uri) as client:
        backup(server, backups)
        assert "no backup was taken with --archive" in until(now().isoformat())
        client.shop.orders.insert_one({"_id": 1})
        backup(server, backups, "--archive")
        early, late = now() - timedelta(hours=1), now() + timedelta(hours=1)
        assert "is before the first backup" in until(early.isoformat())
        assert "are here until" in until(late.isoformat()) and "take a backup with --archive" in until(late.isoformat())
        assert "invalid value" in until("yesterday") and "--until" in until("2026-01-31")
        client.shop.orders.insert_one({"_id": 2})
        time.sleep(0.01)
        kept = now()
        time.sleep(0.01)
        # More than the archive may take.
        client.shop.orders.insert_one({"_id": 3, "bytes": os.urandom(200_000)})
        time.sleep(0.01)
        lost = now()
        backup(server, backups, "--archive")
        said = until(lost.isoformat())
        assert "has a gap" in said, said
        shutil.rmtree(tmp_path / "restored")
        larder("restore", backups, "--until", kept.isoformat(), "--data", tmp_path / "kept", "--quiet")
        # What is archived can be ended; the archive goes with it.
        backup(server, backups, "--end-archive")
        assert not (tmp_path / "data" / "_archive").exists()
        assert requests.post(f"{server.url}/backups?archive=perhaps", timeout=60).status_code == 400
    with running(tmp_path / "kept") as server, pymongo.MongoClient(server.uri) as client:
        assert [document["_id"] for document in client.shop.orders.find()] == [1, 2]


def test_a_file_that_is_missing_among_the_archived_is_told(tmp_path):
    folder, backups = tmp_path / "data", tmp_path / "backups"
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        backup(server, backups, "--archive")
        client.shop.orders.insert_one({"_id": 1})
        backup(server, backups, "--archive")
        client.shop.orders.insert_one({"_id": 2})
        time.sleep(0.01)
        moment = now()
        time.sleep(0.01)
        backup(server, backups, "--archive", "--keep", 3)
        client.shop.orders.insert_one({"_id": 3})
        backup(server, backups, "--archive")
    manifests = sorted((backups / "backups").glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
    assert len(manifests) == 4
    # The changes up to the moment are in the third backup, so the second can go, and with it a way to earlier moments.
    larder("restore", backups, "--until", moment.isoformat(), "--data", tmp_path / "before", "--quiet")
    manifests[2].unlink()
    said = larder("restore", backups, "--until", moment.isoformat(), "--data", tmp_path / "after", "--quiet", fails=True)
    assert "is in no backup" in said, said


@pytest.mark.parametrize("option", ["--list", "--verify"])
def test_until_goes_with_a_restore_alone(tmp_path, option):
    assert "cannot be used with" in larder("restore", tmp_path, "--until", now().isoformat(), option, fails=True)
