"""`larder backup`, `restore`, `verify` and `repair` on running servers and on folders."""

import os
import subprocess
import threading

import pymongo
import pytest
import requests
from server import Server, running

LARGE = bytes(range(256)) * 1200


def larder(*arguments, fails=False, **environment):
    command = [os.environ["LARDER_BINARY"], *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    assert (done.returncode != 0) == fails, done
    return done.stdout + done.stderr


def fill(server, start, end):
    with pymongo.MongoClient(server.uri) as client:
        client.shop.orders.create_index("total")
        client.shop.orders.insert_many({"_id": n, "total": n % 7} for n in range(start, end))
        client.other.notes.insert_many({"_id": n, "note": LARGE} for n in range(start, start + 3))
    for n in range(start, start + 3):
        requests.put(f"{server.url}/files/photos/{n}", data=LARGE + bytes([n % 256]), timeout=60).raise_for_status()


def new_bytes(said):
    """The bytes that were new, out of what the program says."""
    number, unit = said.split(" were read, ")[1].split(" were new")[0].split()
    return float(number.replace(",", "")) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]


def test_backups_of_a_server_that_is_written_to_are_restored_and_whole(tmp_path):
    backups = tmp_path / "backups"
    with running(tmp_path / "data") as server:
        fill(server, 0, 2000)
        stop, written = threading.Event(), []

        def write():
            # What is in `second` is in `first`.
            with pymongo.MongoClient(server.uri) as client:
                while not stop.is_set():
                    n = len(written)
                    client.pairs.first.insert_one({"_id": n, "text": "x" * (n % 90_000)})
                    client.pairs.second.insert_one({"_id": n})
                    written.append(n)

        writer = threading.Thread(target=write)
        writer.start()
        first = larder("backup", backups, "--server", server.url, "--quiet")
        fill(server, 2000, 2020)
        stop.set()
        writer.join()
        second = larder("backup", backups, "--server", server.url, "--quiet", "--rate", "100m")
        # What nobody writes to is backed up for little, once the engine has merged what was written before.
        for _ in range(60):
            latest = larder("backup", backups, "--server", server.url, "--quiet")
            if new_bytes(latest) < 100_000:
                break
        assert new_bytes(latest) < 100_000, (first, second, latest)
        assert requests.get(f"{server.url}/backups", timeout=60).json() == {"backups": []}

    names = [line.split()[0] for line in larder("restore", backups, "--list").splitlines()]
    assert len(names) >= 3
    for name, orders in zip((names[0], names[1], names[-1]), (2000, 2020, 2020)):
        larder("restore", backups, "--verify", "--backup", name, "--quiet")
        folder = tmp_path / name
        larder("restore", backups, "--data", folder, "--backup", name, "--quiet")
        larder("verify", "--data", folder, "--quiet")
        with running(folder) as server, pymongo.MongoClient(server.uri) as client:
            assert client.shop.orders.count_documents({}) == orders
            assert client.shop.orders.count_documents({"total": 3}, hint="total_1") == len(range(3, orders, 7))
            assert client.other.notes.find_one({"_id": 1})["note"] == LARGE
            assert requests.get(f"{server.url}/files/photos/2", timeout=60).content == LARGE + b"\2"
            pairs = [client.pairs[part].count_documents({}) for part in ("first", "second")]
            assert pairs[0] - pairs[1] in (0, 1) and pairs[0] <= len(written) + 1
    assert pairs == [len(written)] * 2

    larder("restore", backups, "--data", tmp_path / names[0], "--quiet", fails=True)
    larder("restore", backups, "--data", tmp_path / "shop", "--databases", "shop", "--quiet")
    with running(tmp_path / "shop") as server, pymongo.MongoClient(server.uri) as client:
        assert set(client.list_database_names()) - {"admin", "config", "local"} == {"shop"}
        assert client.shop.orders.count_documents({}) == 2020


def test_old_backups_go_and_folders_are_backed_up_without_a_server(tmp_path):
    folder, backups = tmp_path / "data", tmp_path / "backups"
    for n in range(3):
        server = Server(folder)
        fill(server, n * 100, n * 100 + 100)
        server.kill()
        larder("backup", backups, "--data", folder, "--keep", 2, "--quiet")
    assert len(larder("restore", backups, "--list").splitlines()) == 2
    larder("restore", backups, "--data", tmp_path / "restored", "--quiet")
    with running(tmp_path / "restored") as server, pymongo.MongoClient(server.uri) as client:
        assert client.shop.orders.count_documents({}) == 300
    assert "no backup gone" in larder("restore", backups, "--verify", "--backup", "gone", fails=True)
    assert "holds no backups" in larder("restore", folder, "--list", fails=True)
    assert "not empty" in larder("backup", folder, "--data", folder, fails=True)


def test_a_damaged_backup_is_told_and_not_restored(tmp_path):
    folder, backups = tmp_path / "data", tmp_path / "backups"
    with running(folder) as server:
        fill(server, 0, 100)
    larder("backup", backups, "--data", folder, "--quiet")
    largest = max((backups / "objects").glob("*/*"), key=lambda file: file.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 4
    largest.write_bytes(content)
    assert largest.name in larder("restore", backups, "--verify", "--quiet", fails=True)
    assert largest.name in larder("restore", backups, "--data", tmp_path / "restored", "--quiet", fails=True)
    assert not (tmp_path / "restored" / "LARDER").exists()


def test_only_who_may_read_everything_takes_backups(tmp_path):
    with running(tmp_path / "data") as server, pymongo.MongoClient(server.uri) as client:
        client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        client = pymongo.MongoClient(server.uri, username="root", password="secret")
        client.admin.command("createUser", "keeper", pwd="se@cret", roles=["backup"])
        client.admin.command("createUser", "reader", pwd="secret", roles=["readAnyDatabase"])
        client.shop.orders.insert_one({"_id": 1})
        assert requests.post(f"{server.url}/backups", timeout=60).status_code == 401
        assert requests.post(f"{server.url}/backups", auth=("reader", "secret"), timeout=60).status_code == 403
        host = server.url.removeprefix("http://")
        said = larder("backup", tmp_path / "no", "--server", f"http://reader:secret@{host}", "--quiet", fails=True)
        assert "403" in said and "secret" not in said
        larder("backup", tmp_path / "backups", "--quiet", LARDER_HTTP_SERVER=f"http://keeper:se%40cret@{host}")
        client.close()
    larder("restore", tmp_path / "backups", "--data", tmp_path / "restored", "--quiet")
    with running(tmp_path / "restored") as server:
        with pymongo.MongoClient(server.uri, username="reader", password="secret") as client:
            assert client.shop.orders.find_one() == {"_id": 1}


def test_backups_by_http_have_limits_and_reasons(tmp_path):
    with running(tmp_path / "data") as server:
        url = f"{server.url}/backups"
        begun = [requests.post(url, timeout=60) for _ in range(5)]
        assert [answer.status_code for answer in begun] == [201] * 4 + [429]
        first = begun[0].json()
        mark = next(file for file in first["files"] if file["path"] == "LARDER")
        one = f"{url}/{first['id']}"
        part = {"path": "LARDER", "offset": 0, "bytes": mark["bytes"]}
        assert requests.get(one, params=part, timeout=60).text == "larder format 1\n"
        for wrong, status in [
            ({"bytes": mark["bytes"] + 1}, 400),
            ({"bytes": "many"}, 400),
            ({"offset": -1}, 400),
            ({"path": "../LARDER"}, 404),
            ({"path": None}, 400),
        ]:
            assert requests.get(one, params={**part, **wrong}, timeout=60).status_code == status, wrong
        assert requests.delete(one, timeout=60).status_code == 204
        assert requests.delete(one, timeout=60).status_code == 404
        assert requests.put(one, timeout=60).status_code == 405
        assert requests.patch(url, timeout=60).status_code == 405
        assert len(requests.get(url, timeout=60).json()["backups"]) == 3
    # The server ends although they are still under way, and leaves nothing of them.
    assert not (tmp_path / "data" / "_checkpoints").exists()


@pytest.mark.parametrize("part", [0.5, 0])
def test_a_log_that_is_cut_short_stops_the_start_until_it_is_given_up(tmp_path, part):
    folder = tmp_path / "data"
    server = Server(folder)
    with pymongo.MongoClient(server.uri) as client:
        for n in range(100):
            client.shop.orders.insert_one({"_id": n, "text": "x" * 1000})
    server.kill()
    log = max(folder.glob("*.log"), key=lambda file: file.stat().st_size)
    os.truncate(log, int(log.stat().st_size * part))
    with pytest.raises(RuntimeError, match=f"(?s){log.name}.*larder repair --cut-log --data"):
        Server(folder)
    assert log.name in larder("verify", "--data", folder, "--quiet", fails=True)
    assert log.name in larder("repair", "--cut-log", "--data", folder)
    assert (folder / "cut-off" / log.name).exists()
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        left = [document["_id"] for document in client.shop.orders.find().sort("_id")]
        assert left == list(range(len(left))) and (20 < len(left) < 80 if part else left == [])
    assert "nothing was done" in larder("repair", "--cut-log", "--data", folder)


def test_verify_names_what_is_damaged(tmp_path):
    folder = tmp_path / "data"
    with running(folder) as server:
        fill(server, 0, 100)
    assert "were not" not in larder("verify", "--data", folder)
    values = max((folder / "values").glob("*.values"), key=lambda file: file.stat().st_size)
    values.unlink()
    said = larder("verify", "--data", folder, "--quiet", fails=True)
    for named in ("other.notes: record 1", "default.photos.chunks: record", values.name, "the file 1"):
        assert named in said, said
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        report = client.other.command("validate", "notes", full=True)
        assert not report["valid"] and values.name in report["errors"][0]
        with pytest.raises(pymongo.errors.PyMongoError, match=f"other.notes.*{values.name}"):
            client.other.notes.find_one({"_id": 1})
        assert client.shop.command("validate", "orders", full=True)["valid"]

    new = tmp_path / "new"
    said = larder("repair", "--data", folder, "--into", new)
    assert "other.notes: 0 of 3 documents were saved" in said and values.name in said, said
    assert "shop.orders" not in said
    larder("repair", "--data", folder, "--into", new, fails=True)
    with running(new) as server, pymongo.MongoClient(server.uri) as client:
        assert client.shop.orders.count_documents({"total": 3}, hint="total_1") == len(range(3, 100, 7))
        assert client.other.notes.count_documents({}) == 0
        for name in ("orders", "notes"):
            database = client.shop if name == "orders" else client.other
            assert database.command("validate", name, full=True)["valid"]
