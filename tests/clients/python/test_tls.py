"""Every protocol through TLS: clients that trust the server, clients that it knows by their certificates."""

import json
import signal
import socket
import ssl
import struct
import threading
import time

import pymongo
import pytest
import requests
from elasticsearch import Elasticsearch
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError
from server import running
from test_long_operations import command, operations
from tls import House, larder


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    return House(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def server(tmp_path_factory, house):
    with running(tmp_path_factory.mktemp("data"), *house.options()) as server:
        yield server


@pytest.fixture
def trust(house):
    return str(house.authority)


def mongo(server, **options):
    options.setdefault("serverSelectionTimeoutMS", 3000)
    return pymongo.MongoClient(server.uri, tls=True, **options)


def secure(url):
    return url.replace("http://", "https://")


def wait_until(holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_pymongo_works_through_tls(server, trust):
    with mongo(server, tlsCAFile=trust, compressors="zlib") as client:
        large = {"_id": 1, "text": "x" * 15_000_000}
        client.tls.things.insert_one(large)
        client.tls.things.insert_many({"_id": n, "a": n} for n in range(2, 20_000))
        assert client.tls.things.find_one({"_id": 1}) == large
        assert sum(1 for _ in client.tls.things.find({"_id": {"$gt": 1}})) == 19_998


def test_mongodb_without_tls_or_trust_is_refused(server):
    for options in ({}, {"tls": True}):
        with pymongo.MongoClient(server.uri, serverSelectionTimeoutMS=500, **options) as client:
            with pytest.raises(ConnectionFailure):
                client.admin.command("ping")


def test_imports_and_exports(server, trust, tmp_path):
    file = tmp_path / "things.ndjson"
    file.write_text("".join(f'{{"_id": {n}, "text": "{"x" * 1000}"}}\n' for n in range(3000)))
    uri = f"{server.uri}?tls=true&tlsCAFile={trust}"
    assert larder("import", file, "--collection", "tls.imported", "--server", uri).returncode == 0
    done = larder("export", "--collection", "tls.imported", "--server", uri)
    assert {json.loads(line)["_id"]["$numberInt"] for line in done.stdout.splitlines()} == {str(n) for n in range(3000)}
    for options in ("", "?tls=true"):
        refused = larder("export", "--collection", "tls.imported", "--server", server.uri + options)
        assert refused.returncode == 1, refused


def test_many_clients_at_once(server, trust):
    with mongo(server, tlsCAFile=trust, maxPoolSize=50) as client:
        def work(n):
            for at in range(20):
                client.tls.crowd.insert_one({"n": n, "at": at, "text": "y" * 1000 * at})
        threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.tls.crowd.count_documents({}) == 1000


def test_an_operation_ends_when_its_client_is_gone(server, trust):
    with mongo(server, tlsCAFile=trust) as client:
        with mongo(server, tlsCAFile=trust, socketTimeoutMS=1000, retryReads=False) as leaving:
            with pytest.raises(PyMongoError):
                leaving.db.command(command("left"))
        wait_until(lambda: not operations(client, "left"))


def test_the_http_protocols_work_through_tls(server, trust):
    with requests.Session() as session:
        session.verify, session.trust_env = trust, False
        assert session.put(secure(server.couch) + "/tls").status_code == 201
        body = b"z" * 5_000_000
        put = session.put(secure(server.couch) + "/tls/doc/file", data=body, headers={"Content-Type": "text/plain"})
        assert put.status_code == 201
        assert put.headers["Location"] == secure(server.couch) + "/tls/doc/file"
        assert session.get(secure(server.couch) + "/tls/doc/file").content == body
        riak = secure(server.riak) + "/buckets/tls/keys/one"
        assert session.put(riak, data="value", headers={"Content-Type": "text/plain"}).status_code in (200, 204)
        assert session.get(riak).text == "value"
        assert session.get(secure(server.url) + "/health").json()["status"] == "ok"
        metrics = session.get(secure(server.url) + "/metrics").text
        assert "larder_tls_certificate_end_seconds" in metrics


def test_riaks_protocol_buffers_are_secured_when_asked(tmp_path, house):
    with running(tmp_path, *house.options()) as server:
        with mongo(server, tlsCAFile=str(house.authority)) as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        address = host_and_port(server.addresses["riak-pb"])
        with socket.create_connection(address) as plain:
            code, told = said(plain, PING)
            assert code == ERROR and b"please STARTTLS first" in told
            assert said(plain, START_TLS) == (START_TLS, b"")
            context = ssl.create_default_context(cafile=str(house.authority))
            with context.wrap_socket(plain, server_hostname="localhost") as secure_now:
                code, told = said(secure_now, SERVER_INFO)
                assert code == ERROR and b"please log in" in told
                code, told = said(secure_now, LOG_IN, b"\x0a\x04root\x12\x05wrong")
                assert code == ERROR and b"Authentication failed" in told
                assert said(secure_now, LOG_IN, b"\x0a\x04root\x12\x06secret") == (LOG_IN + 1, b"")
                code, told = said(secure_now, SERVER_INFO)
                assert code == SERVER_INFO + 1 and b"riak@" in told
        # Clients that do not ask may begin with TLS.
        with socket.create_connection(address) as plain, context.wrap_socket(plain, server_hostname="localhost") as begun:
            assert said(begun, PING)[0] == PING + 1
        # Who sends more with the request could have been put in between.
        with socket.create_connection(address) as plain:
            plain.sendall(frame(START_TLS) + frame(PING))
            assert plain.recv(1) == b""


def test_riaks_clients_log_in_by_certificates(tmp_path, house):
    subject = "CN=ann,OU=devices"
    ann, bob = house.sign("riak-ann", "/OU=devices/CN=ann"), house.sign("riak-bob", "/CN=bob")
    with running(tmp_path, *house.demanding()) as server:
        with mongo(server, tlsCAFile=str(house.authority), tlsCertificateKeyFile=str(house.both("root", "/CN=root"))) as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        named = {"tlsCAFile": str(house.authority), "tlsCertificateKeyFile": str(house.both("again", "/CN=root"))}
        with mongo(server, username="root", password="secret", **named) as root:
            root["$external"].command("createUser", subject, roles=[{"role": "readWrite", "db": "default"}])
        url = secure(server.riak) + "/buckets/tls/keys/one"
        kind = {"Content-Type": "text/plain"}
        with requests.Session() as session:
            session.verify, session.trust_env = str(house.authority), False
            # Nothing, the common name, or the whole subject: it is the certificate that counts.
            for name in (None, ("ann", ""), (subject, "")):
                assert session.put(url, data="x", headers=kind, cert=tuple(map(str, ann)), auth=name).status_code == 204
            assert session.get(url, cert=tuple(map(str, ann)), auth=("bob", "")).status_code == 401
            assert session.get(url, cert=tuple(map(str, bob))).status_code == 401
            assert session.get(url, cert=tuple(map(str, bob)), auth=("root", "secret")).text == "x"
            other = secure(server.riak) + "/types/elsewhere/buckets/b/keys/k"
            assert session.get(other, cert=tuple(map(str, ann))).status_code == 403
        for (certificate, key), name, may in ((ann, b"ann", True), (ann, b"bob", False), (bob, b"ann", False)):
            context = ssl.create_default_context(cafile=str(house.authority))
            context.load_cert_chain(certificate, key)
            with socket.create_connection(host_and_port(server.addresses["riak-pb"])) as plain:
                assert said(plain, START_TLS) == (START_TLS, b"")
                with context.wrap_socket(plain, server_hostname="localhost") as secure_now:
                    code, told = said(secure_now, LOG_IN, bytes([10, len(name)]) + name + b"\x12\x00")
                    assert code == (LOG_IN + 1 if may else ERROR), told
                    assert said(secure_now, SERVER_INFO)[0] == (SERVER_INFO + 1 if may else ERROR)


def host_and_port(address):
    host, port = address.split(":")
    return host, int(port)


ERROR, PING, SERVER_INFO, LOG_IN, START_TLS = 0, 1, 7, 253, 255


def frame(code, message=b""):
    return struct.pack(">IB", len(message) + 1, code) + message


def said(stream, code, message=b""):
    """The code and the message of the answer of Riak's protocol buffers."""
    stream.sendall(frame(code, message))
    length, answer = struct.unpack(">IB", read(stream, 5))
    return answer, read(stream, length - 1)


def read(stream, size):
    out = b""
    while len(out) < size:
        part = stream.recv(size - len(out))
        assert part, "the server closed the connection"
        out += part
    return out


def test_plain_http_is_refused(server):
    for url in (server.couch, server.elastic, server.riak, server.url):
        with pytest.raises(requests.ConnectionError):
            requests.get(url)


def test_elasticsearchs_client_connects_through_tls(server, trust):
    with Elasticsearch(secure(server.elastic), ca_certs=trust) as client:
        client.index(index="tls", id="1", document={"text": "over TLS"})
        assert client.search(index="tls", query={"match": {"text": "tls"}})["hits"]["total"]["value"] == 1


def test_cookies_that_came_through_tls_stay_there(tmp_path, house):
    with running(tmp_path, *house.options()) as server:
        with mongo(server, tlsCAFile=str(house.authority)) as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        session = requests.post(secure(server.couch) + "/_session", json={"name": "root", "password": "secret"},
                                verify=str(house.authority))
        assert session.status_code == 200
        assert session.headers["Set-Cookie"].endswith("; Secure")


def shown(server):
    host, port = server.addresses["mongo"].split(":")
    return ssl.get_server_certificate((host, int(port)))


def test_a_certificate_is_read_again_on_sighup(tmp_path):
    house = House(tmp_path)
    with running(tmp_path / "data", *house.options()) as server:
        first = shown(server)
        with mongo(server, tlsCAFile=str(house.authority)) as client:
            client.admin.command("ping")
            house.key.write_text("nonsense")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: any("TLS goes on with the certificate that it has" in line for line in server.log))
            assert shown(server) == first
            house.sign("server", "/O=Example/CN=localhost")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: shown(server) != first)
            # Connections that are open stay.
            client.admin.command("ping")


def test_users_log_in_by_their_certificates(tmp_path, house):
    ann = house.both("ann", "/C=DE/O=Example, Inc/OU=devices/CN=ann")
    bob = house.both("bob", "/C=DE/O=Example, Inc/OU=devices/CN=bob")
    subject = "CN=ann,OU=devices,O=Example\\, Inc,C=DE"
    trust = str(house.authority)
    with running(tmp_path, *house.demanding()) as server:
        with pytest.raises(ConnectionFailure):
            with mongo(server, tlsCAFile=trust, serverSelectionTimeoutMS=500) as client:
                client.admin.command("ping")
        with mongo(server, tlsCAFile=trust, tlsCertificateKeyFile=str(ann)) as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        with mongo(server, tlsCAFile=trust, tlsCertificateKeyFile=str(ann), username="root", password="secret") as root:
            with pytest.raises(OperationFailure, match="password"):
                root["$external"].command("createUser", subject, pwd="x", roles=[])
            root["$external"].command("createUser", subject, roles=[{"role": "readWrite", "db": "shop"}])
            users = root["$external"].command("usersInfo", subject)["users"]
            assert users[0]["user"] == subject
        for name in ({}, {"username": subject}):
            with mongo(server, tlsCAFile=trust, tlsCertificateKeyFile=str(ann), authMechanism="MONGODB-X509", **name) as client:
                client.shop.things.insert_one({"a": 1})
                status = client.admin.command("connectionStatus")
                assert status["authInfo"]["authenticatedUsers"] == [{"user": subject, "db": "$external"}]
                with pytest.raises(OperationFailure):
                    client.other.things.insert_one({"a": 1})
        # Nobody has made a user of bob, and bob is not ann.
        for name, said in (({}, "Could not find user"), ({"username": subject}, "matching the user")):
            with mongo(server, tlsCAFile=trust, tlsCertificateKeyFile=str(bob), authMechanism="MONGODB-X509", **name) as client:
                with pytest.raises(OperationFailure, match=said):
                    client.shop.things.find_one()


def test_clients_without_a_certificate_may_be_let_in(tmp_path, house):
    trust = str(house.authority)
    with running(tmp_path, *house.demanding("--tls-client-optional")) as server:
        assert requests.get(secure(server.url) + "/health", verify=trust).status_code == 200
        with mongo(server, tlsCAFile=trust, authMechanism="MONGODB-X509") as client:
            with pytest.raises(OperationFailure, match="no certificate"):
                client.shop.things.find_one()


def test_a_handshake_that_does_not_go_on_is_ended(server):
    host, port = server.addresses["couch"].split(":")
    began = time.monotonic()
    with socket.create_connection((host, int(port))) as silent:
        silent.sendall(b"\x16\x03\x01")
        silent.settimeout(30)
        assert silent.recv(1) == b""
    assert 8 < time.monotonic() - began < 25


def test_a_certificate_for_a_first_try(tmp_path):
    made = larder("cert", "--host", "localhost", "--host", "127.0.0.1", "--days", 3, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    certificate, key = tmp_path / "larder-cert.pem", tmp_path / "larder-key.pem"
    assert key.stat().st_mode & 0o077 == 0 and certificate.stat().st_mode & 0o044
    again = larder("cert", folder=tmp_path)
    assert again.returncode == 1 and "is there already" in again.stderr
    options = ["--tls-certificate", str(certificate), "--tls-key", str(key)]
    with running(tmp_path / "data", *options) as server:
        assert requests.get(secure(server.url) + "/health", verify=str(certificate)).status_code == 200
        with mongo(server, tlsCAFile=str(certificate)) as client:
            client.admin.command("ping")


@pytest.mark.parametrize("options, said", [
    (["--tls-certificate", "CERTIFICATE"], "needs both"),
    (["--tls-client-ca", "AUTHORITY"], "needs both"),
    (["--tls-certificate", "CERTIFICATE", "--tls-key", "KEY", "--tls-client-optional"], "says nothing without"),
    (["--tls-certificate", "KEY", "--tls-key", "KEY"], "no certificate"),
    (["--tls-certificate", "AUTHORITY", "--tls-key", "KEY"], "cannot be used together"),
    (["--tls-certificate", "/nowhere", "--tls-key", "KEY"], "/nowhere"),
])
def test_files_that_cannot_be_used_are_named(tmp_path, house, options, said):
    files = {"CERTIFICATE": house.certificate, "KEY": house.key, "AUTHORITY": house.authority}
    words = [str(files.get(word, word)) for word in options]
    started = larder("serve", "--data", tmp_path / "data", "--memory", "64m", "--mongo-listen", "127.0.0.1:0", "--couch-listen", "off",
                     "--elastic-listen", "off", "--riak-listen", "off", "--riak-pb-listen", "off", "--http-listen", "off", *words)
    assert started.returncode == 1
    assert said in started.stderr
