"""The server's life: starting, ending, killed, locked, with users."""

import os
import random
import signal
import subprocess
import threading
import time

import pymongo
import pytest
from bson import Int64
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern
from server import running

KILLS = int(os.environ.get("LARDER_TEST_KILLS", "3"))
WRITERS = 16


def serve(*options, timeout=30):
    return subprocess.run([os.environ["LARDER_BINARY"], "serve", *options], capture_output=True, text=True,
                          timeout=timeout)


def test_documents_and_indexes_survive_an_orderly_restart(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        client.db.things.create_index("x")
        client.db.things.insert_many({"_id": i, "x": i} for i in range(100))
        client.db.things.with_options(write_concern=WriteConcern(j=False)).insert_one({"_id": "soon"})
        assert server.stop() == 0
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        assert client.db.things.count_documents({}) == 101
        assert client.db.things.find({"x": 7}).hint("x_1").next()["_id"] == 7


def user(folder, *words, password=""):
    return subprocess.run([os.environ["LARDER_BINARY"], "user", *words, "--data", str(folder)], input=password,
                          capture_output=True, text=True, timeout=60)


def test_users_of_a_folder_are_changed_while_no_server_has_it(tmp_path):
    assert "no data folder" in user(tmp_path / "nowhere", "list").stderr
    assert user(tmp_path, "add", "anna").returncode == 1
    assert user(tmp_path, "add", "anna", password="one\n").returncode == 0
    assert user(tmp_path, "add", "bert", "--role", "read@shop", password="b\n").returncode == 0
    assert user(tmp_path, "list").stdout == "anna@admin root@admin\nbert@admin read@shop\n"
    assert user(tmp_path, "add", "anna", password="again\n").returncode == 1
    assert user(tmp_path, "password", "anna", password="two\n").returncode == 0
    assert user(tmp_path, "remove", "bert").returncode == 0
    assert user(tmp_path, "remove", "bert").returncode == 1
    with running(tmp_path) as server:
        with pymongo.MongoClient(server.uri, username="anna", password="two") as client:
            assert client.admin.command("usersInfo", 1)["users"][0]["user"] == "anna"
        with pymongo.MongoClient(server.uri, username="anna", password="one") as client, \
                pytest.raises(OperationFailure, match="Authentication failed"):
            client.db.things.find_one()
        assert "in use by another process" in user(tmp_path, "list").stderr


def test_the_first_user_can_administer_users(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        for database, role in [("admin", "readWriteAnyDatabase"), ("shop", "dbOwner")]:
            with pytest.raises(OperationFailure, match="first user must be able to administer users"):
                client[database].command("createUser", "u1", pwd="p", roles=[role])
        # Nobody was locked out.
        client.db.things.insert_one({})
        client.admin.command("createUser", "boss", pwd="p", roles=["userAdminAnyDatabase"])
        with pytest.raises(OperationFailure, match="requires authentication"):
            client.db.things.insert_one({})


def test_what_is_kept_is_for_the_owner_alone_and_another_folder_is_refused(tmp_path):
    folder = tmp_path / "data"
    with running(folder) as server, pymongo.MongoClient(server.uri) as client:
        client.db.things.insert_one({})
        for path, _, names in os.walk(folder):
            assert os.stat(path).st_mode & 0o077 == 0
            for name in names:
                assert os.stat(os.path.join(path, name)).st_mode & 0o077 == 0, name
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("Dear")
    refused = serve("--data", str(tmp_path / "other"), "--mongo-listen", "127.0.0.1:0")
    assert refused.returncode == 1 and "is not a data folder of Larder" in refused.stderr


@pytest.mark.timeout(600 + 60 * KILLS)
def test_nothing_acknowledged_is_lost_when_killed_under_writers(tmp_path):
    written, present_before = 0, 0
    for round_ in range(KILLS):
        acknowledged = [[] for _ in range(WRITERS)]
        with running(tmp_path) as server:
            # Once the server is killed, neither writers nor the client's own farewell should wait for it.
            with pymongo.MongoClient(server.uri, retryWrites=False, serverSelectionTimeoutMS=1000) as client:
                things = client.db.things
                things.create_index("writer")
                threads = [threading.Thread(target=write_until_killed, args=(things, round_, writer, acknowledged[writer]))
                           for writer in range(WRITERS)]
                for thread in threads:
                    thread.start()
                # In some rounds once something was written, which takes a busy machine longer.
                until = time.monotonic() + 60 * (round_ % 2 == 0)
                while not any(acknowledged) and time.monotonic() < until:
                    time.sleep(0.01)
                time.sleep(random.uniform(0.1, 0.8))
                server.kill()
                for thread in threads:
                    thread.join(60)
        with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
            things = client.db.things
            # Those of this round; that none of the earlier ones went is seen by their number.
            present = {d["_id"] for d in things.find({"_id": {"$gte": f"{round_}-", "$lt": f"{round_}."}}, {"_id": 1})}
            lost = [id_ for ids in acknowledged for id_ in ids if id_ not in present]
            assert lost == []
            assert client.db.command("validate", "things")["valid"] is True
            assert things.estimated_document_count() == things.count_documents({"_id": {"$gte": ""}})
            assert things.estimated_document_count() == present_before + len(present)
            present_before += len(present)
            written += sum(map(len, acknowledged))
    assert written > 0


def write_until_killed(things, round_, writer, acknowledged):
    number = 0
    while True:
        ids = [f"{round_}-{writer}-{number}-{i}" for i in range(5)]
        try:
            things.insert_many([{"_id": id_, "writer": writer, "pad": "x" * 100} for id_ in ids])
        except PyMongoError:
            return
        acknowledged.extend(ids)
        number += 1


def test_a_second_process_on_the_same_folder_is_refused(tmp_path):
    with running(tmp_path):
        second = serve("--data", str(tmp_path), "--mongo-listen", "127.0.0.1:0")
        assert second.returncode == 1
        assert "in use by another process" in second.stderr


def test_listening_beyond_loopback_without_users_is_refused(tmp_path):
    refused = serve("--data", str(tmp_path), "--mongo-listen", "0.0.0.0:0")
    assert refused.returncode == 1
    assert "refusing to listen on 0.0.0.0:0" in refused.stderr
    assert "--insecure" in refused.stderr


def test_nobody_has_to_log_in_where_that_is_waived(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        with pymongo.MongoClient(server.uri) as stranger, pytest.raises(OperationFailure):
            stranger.db.things.insert_one({})
    with running(tmp_path, "--no-login") as server, pymongo.MongoClient(server.uri) as client:
        assert client.db.things.insert_one({}).acknowledged
        assert "--no-login" in "".join(server.log)
    exposed = serve("--data", str(tmp_path), "--mongo-listen", "0.0.0.0:0", "--no-login")
    assert exposed.returncode == 1
    assert "--no-login is set" in exposed.stderr


def test_a_find_by_id_is_explained_as_one_stage(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        things = client.db.things
        things.insert_one({"_id": 1, "a": {"b": 1}})
        stage = lambda **options: things.find({"_id": 1}, **options).explain()["queryPlanner"]["winningPlan"]["stage"]
        assert stage() == "EXPRESS_IXSCAN"
        assert stage(projection={"a": 1}) == "EXPRESS_IXSCAN"
        assert stage(projection={"a.b": 1}) == "PROJECTION_DEFAULT"
        assert stage(skip=1) == "SKIP"


def test_wrong_settings_are_named(tmp_path):
    config = tmp_path / "larder.toml"
    config.write_text('memory = "lots"\n')
    wrong = serve("--config", str(config))
    assert wrong.returncode == 1
    assert "not a size" in wrong.stderr
    config.write_text('colour = "blue"\n')
    assert "unknown field" in serve("--config", str(config)).stderr


def test_reloads_are_harmless_however_many(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        for _ in range(20):
            server.process.send_signal(signal.SIGHUP)
            client.db.things.insert_one({})
        assert client.db.things.count_documents({}) == 20


def test_users_must_log_in_and_may_do_what_their_roles_say(tmp_path):
    with running(tmp_path) as server:
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", "root", pwd="r00t", roles=["root"])
            with pytest.raises(OperationFailure) as refused:
                pymongo.MongoClient(server.uri).db.things.find_one()
            assert refused.value.code == 13
        with pymongo.MongoClient(server.uri, username="root", password="r00t") as root:
            root.db.command("createUser", "reader", pwd="pencil", roles=["read"])
            root.db.things.insert_one({"_id": 1})
        for mechanism in ("SCRAM-SHA-1", "SCRAM-SHA-256"):
            login = dict(username="reader", password="pencil", authSource="db", authMechanism=mechanism)
            with pymongo.MongoClient(server.uri, **login) as reader:
                assert reader.db.things.find_one() == {"_id": 1}
                with pytest.raises(OperationFailure) as refused:
                    reader.db.things.insert_one({})
                assert refused.value.code == 13
        with pytest.raises(OperationFailure) as refused:
            pymongo.MongoClient(server.uri, username="root", password="wrong").db.things.find_one()
        assert refused.value.code == 18


@pytest.mark.parametrize("compressor", ["zlib", "snappy", "zstd"])
def test_compressed_messages_are_understood(server, compressor):
    with pymongo.MongoClient(server.uri, compressors=compressor) as client:
        things = client[f"compressed_{compressor}"].things
        things.drop()
        things.insert_many({"_id": i, "text": "larder " * 100} for i in range(200))
        assert sum(1 for _ in things.find()) == 200


def test_retried_statements_run_once(client, collection):
    with client.start_session() as session:
        lsid = session.session_id
        command = {"insert": collection.name, "documents": [{"_id": 1, "n": 0}], "lsid": lsid, "txnNumber": Int64(1)}
        collection.database.command(command)
        assert collection.database.command(command)["n"] == 1
        update = {"update": collection.name, "updates": [{"q": {"_id": 1}, "u": {"$inc": {"n": 1}}}], "lsid": lsid,
                  "txnNumber": Int64(2)}
        for _ in range(3):
            assert collection.database.command(update)["nModified"] == 1
    assert collection.find_one() == {"_id": 1, "n": 1}
