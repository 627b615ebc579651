"""Bytes that no client sends, on every port."""

import socket
import struct
import zlib

import bson
import pymongo
import pytest
import requests
from server import running

PING = bson.encode({"ping": 1, "$db": "admin"})
OP_REPLY, OP_INSERT, OP_QUERY, OP_COMPRESSED, OP_MSG = 1, 2002, 2004, 2012, 2013
SNAPPY, ZLIB, ZSTD = 1, 2, 3


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("data"), "--syslog-listen", "127.0.0.1:0") as server:
        yield server


@pytest.fixture(autouse=True)
def lives_on(server):
    """After each: the server answers, and has not grown by more than a budget's worth."""
    yield
    assert server.process.poll() is None, "".join(server.log[-20:])
    with pymongo.MongoClient(server.uri) as client:
        client.trial.things.insert_one({})
    assert requests.get(f"{server.couch}/_up", timeout=60).status_code == 200
    with open(f"/proc/{server.process.pid}/status") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024
    assert resident < 600, f"{resident} MB"


def exchange(address, sent, wait_s=1.0):
    """What the server answers before it closes or falls silent."""
    host, port = address.rsplit(":", 1)
    received = b""
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        try:
            connection.sendall(sent)
            connection.settimeout(wait_s)
            while len(received) < 200_000 and (piece := connection.recv(65536)):
                received += piece
        except OSError:
            pass
    return received


def message(operation, body, length=None):
    return struct.pack("<iiii", 16 + len(body) if length is None else length, 7, 0, operation) + body


def op_msg(document, flags=0):
    return message(OP_MSG, struct.pack("<I", flags) + b"\0" + document)


def compressed(size, compressor, data, operation=OP_MSG):
    return message(OP_COMPRESSED, struct.pack("<iiB", operation, size, compressor) + data)


def reply_of(answer):
    """The document of an OP_MSG answer."""
    return bson.decode(answer[21:struct.unpack_from("<i", answer)[0]])


def reply_to(address, document):
    """The document of the answer to one that has an answer, which a busy machine may need some time for."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(op_msg(document))
        with connection.makefile("rb") as answer:
            length = answer.read(4)
            return reply_of(length + answer.read(struct.unpack("<i", length)[0] - 4))


LENGTHS = [0, 15, 16, 20, -1, -(2 ** 31), 2 ** 31 - 1, 48_000_001]


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_that_cannot_be_end_the_connection(server, length):
    answer = exchange(server.address, struct.pack("<iiii", length, 1, 0, OP_MSG) + bytes(64))
    assert not answer or reply_of(answer)["ok"] == 0


INNER = op_msg(PING)[16:]
COMPRESSED = {
    "claims more": compressed(len(INNER) + 5000, ZLIB, zlib.compress(INNER)),
    "claims 48 MB": compressed(47_999_984, ZLIB, zlib.compress(INNER)),
    "claims less": compressed(10, ZLIB, zlib.compress(INNER)),
    "claims a negative size": compressed(-1, ZLIB, zlib.compress(INNER)),
    "claims the most": compressed(2 ** 31 - 1, ZLIB, zlib.compress(INNER)),
    "a bomb": compressed(100, ZLIB, zlib.compress(bytes(47_000_000))),
    "within itself": compressed(100, ZLIB, zlib.compress(compressed(len(INNER), ZLIB, zlib.compress(INNER))), OP_COMPRESSED),
    "an unknown way": compressed(100, 9, INNER),
    "no snappy": compressed(len(INNER), SNAPPY, b"\xff\xff\xff\xff\x0f" + bytes(50)),
    "no zstd": compressed(len(INNER), ZSTD, b"\x28\xb5\x2f\xfd" + b"\xff" * 50),
    "a cut head": message(OP_COMPRESSED, b"abc"),
}


@pytest.mark.parametrize("what", COMPRESSED)
def test_compressed_messages_that_lie_are_refused(server, what):
    answer = exchange(server.address, COMPRESSED[what])
    assert not answer or reply_of(answer)["ok"] == 0


@pytest.mark.parametrize("claimed", [500, 2_000, 100_000])
def test_a_document_longer_than_its_message_shows_no_memory(server, claimed):
    """The server's memory once leaked so in MongoDB (CVE-2025-14847)."""
    document = struct.pack("<i", claimed) + b"\x10a\0\x01\0\0\0"
    body = struct.pack("<I", 0) + b"\0" + document
    answer = exchange(server.address, compressed(len(body) + claimed, ZLIB, zlib.compress(body)))
    assert not answer or (reply_of(answer)["ok"] == 0 and len(answer) < 1000)


def nested(levels):
    document = b"\x05\0\0\0\0"
    for _ in range(levels):
        document = struct.pack("<i", len(document) + 8) + b"\x03a\0" + document + b"\0"
    return document


def find_with(filter_document):
    fields = bson.encode({"find": "things", "$db": "trial"})[4:-1] + b"\x03filter\0" + filter_document
    return struct.pack("<i", len(fields) + 5) + fields + b"\0"


@pytest.mark.parametrize("levels", [300, 1_000, 10_000, 100_000])
def test_deep_documents_are_refused(server, levels):
    answer = exchange(server.address, op_msg(find_with(nested(levels))), wait_s=5)
    assert not answer or reply_of(answer)["ok"] == 0


def update_with(statement):
    return {"update": "things", "updates": [{"q": {"_id": 1}, "upsert": True, **statement}], "$db": "trial"}


LONG_PATH = "a" + ".a" * 20_000
# By name: a command that would make documents within documents without end.
DEEP_RESULTS = {
    **{operator: update_with({"u": {operator: {LONG_PATH: 1}}}) for operator in ["$set", "$inc", "$push", "$setOnInsert", "$min"]},
    "a pipeline": update_with({"u": [{"$set": {LONG_PATH: 1}}]}),
    "an upsert": update_with({"q": {LONG_PATH: 1}, "u": {"$set": {"b": 1}}}),
    **{
        f"$reduce to {made}": {
            "aggregate": 1,
            "pipeline": [
                {"$documents": [{"a": 1}]},
                {"$project": {"a": {"$reduce": {"input": {"$range": [0, 20_000]}, "initialValue": {"a": 1}, "in": made}}}},
            ],
            "cursor": {},
            "$db": "trial",
        }
        for made in [["$$value"], {"a": "$$value"}, {"$mergeObjects": [{"a": "$$value"}]}, {"$concatArrays": [[["$$value"]]]}]
    },
    "a path of a stage": {"aggregate": 1, "pipeline": [{"$documents": [{}]}, {"$addFields": {LONG_PATH: 1}}], "cursor": {}, "$db": "trial"},
}


@pytest.mark.parametrize("what", DEEP_RESULTS)
def test_what_would_be_nested_without_end_is_refused(server, what):
    reply = reply_to(server.address, bson.encode(DEEP_RESULTS[what]))
    errors = [error["code"] for error in reply.get("writeErrors", [reply])]
    # A path in a condition may have 180 names.
    assert errors == [5729100 if what == "an upsert" else 15], reply


def test_updates_do_not_nest_documents_deeper_than_inserts_may(server):
    deeper = ".".join("a" * 100)
    statements = [{"u": {"$set": {deeper: {"b": 1}}}}, {"u": {"$rename": {"a": "c." + deeper}}}]
    first, second = (reply_to(server.address, bson.encode(update_with(one))) for one in statements)
    assert first["ok"] == 1 and "writeErrors" not in first, first
    assert second["writeErrors"][0]["code"] == 15, second


@pytest.mark.parametrize("operator", ["$and", "$or", "$nor"])
def test_deep_filters_are_answered_or_refused(server, operator):
    condition = {"a": 1}
    for _ in range(60):
        condition = {operator: [condition]}
    assert reply_to(server.address, find_with(bson.encode(condition)))["ok"] in (0, 1)


MESSAGES = {
    "unknown flags": op_msg(PING, flags=0xFF),
    "an unknown section": message(OP_MSG, struct.pack("<I", 0) + b"\x09" + PING),
    "a sequence that lies": message(OP_MSG, struct.pack("<I", 0) + b"\0" + PING + b"\x01" + struct.pack("<i", 1000) + b"documents\0"),
    "two bodies": message(OP_MSG, struct.pack("<I", 0) + b"\0" + PING + b"\0" + PING),
    "a wrong checksum": message(OP_MSG, struct.pack("<I", 1) + b"\0" + PING + b"abcd"),
    "a name without end": message(OP_QUERY, struct.pack("<i", 0) + b"a" * 500),
    "an old insert": message(OP_INSERT, struct.pack("<i", 0) + b"trial.things\0" + PING),
    "an answer": message(OP_REPLY, bytes(40)),
    "operation 0": message(0, b""),
    "operation -1": message(-1, b"x"),
}


@pytest.mark.parametrize("what", MESSAGES)
def test_malformed_messages_are_refused(server, what):
    answer = exchange(server.address, MESSAGES[what])
    assert not answer or reply_of(answer)["ok"] == 0


def http(text):
    return text.replace("\n", "\r\n").encode()


UNCLEAR_BODIES = {
    "two ways of framing": "POST /x HTTP/1.1\nHost: localhost\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\nGET /_up HTTP/1.1\nHost: localhost\n\n",
    "two lengths": "POST /x HTTP/1.1\nHost: localhost\nContent-Length: 4\nContent-Length: 5\n\nabcdGET /_up HTTP/1.1\nHost: localhost\n\n",
    "a negative length": "POST /x HTTP/1.1\nHost: localhost\nContent-Length: -4\n\nabcd",
    "a signed length": "POST /x HTTP/1.1\nHost: localhost\nContent-Length: +4\n\nabcd",
    "a length beyond all": "POST /x HTTP/1.1\nHost: localhost\nContent-Length: 99999999999999999999\n\nabcd",
    "an unknown coding": "POST /x HTTP/1.1\nHost: localhost\nTransfer-Encoding: xchunked\n\n0\n\n",
    "a negative chunk": "POST /x HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n-1\nx\n0\n\n",
    "a chunk beyond all": "POST /x HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\nFFFFFFFFFFFFFFFF\nx\n0\n\n",
    "no host": "GET / HTTP/1.1\n\n",
    "two hosts": "GET / HTTP/1.1\nHost: localhost\nHost: b\n\n",
    "a method that is none": "\x01\x02\x03 / HTTP/1.1\nHost: localhost\n\n",
    "a thousand headers": "GET / HTTP/1.1\nHost: localhost\n" + "".join(f"X-{i}: y\n" for i in range(1000)) + "\n",
    "a long header": "GET / HTTP/1.1\nHost: localhost\nX: " + "y" * 1_000_000 + "\n\n",
    "a long path": "GET /" + "a" * 1_000_000 + " HTTP/1.1\nHost: localhost\n\n",
    "a foreign host": "GET / HTTP/1.1\nHost: evil.example\n\n",
}


@pytest.mark.parametrize("port", ["couch", "http", "elastic", "riak"])
@pytest.mark.parametrize("what", UNCLEAR_BODIES)
def test_unclear_requests_are_refused(server, port, what):
    answer = exchange(server.addresses[port], http(UNCLEAR_BODIES[what]), wait_s=0.7)
    # A long head may be closed while it is still sent: there is no answer then.
    assert not answer or answer.split(b" ")[1][:1] in (b"4", b"5"), answer[:200]
    # Nothing behind the unclear body was taken for a request.
    assert answer.count(b"HTTP/1.1 ") <= 1, answer[:500]


OUTSIDE = ["/files/trial/../../../../etc/passwd", "/files/trial/%2e%2e/%2e%2e/etc/passwd", "/files/trial/a%00b", "/files/trial/%zz",
           "/files/trial/%ff%fe", "/files/../x"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_lead_nowhere_outside(server, path):
    answer = exchange(server.addresses["http"], http(f"GET {path} HTTP/1.1\nHost: localhost\nConnection: close\n\n"), wait_s=60)
    assert answer.split(b" ")[1][:1] == b"4" and b"root:" not in answer


SYSLOG_BYTES = {
    "a count beyond all": b"999999999 <1>x",
    "a line beyond all": b"<1>" + b"x" * 1_000_000 + b"\n",
    "zeros": bytes(1_000_000),
    "no text": bytes(range(128, 256)) * 1000 + b"\n",
    "many structures": b"<1>1 - - - - - " + b"[a b=\"c\"]" * 10_000 + b"\n",
    "a structure without end": b"<1>1 - - - - - [" + b"a" * 100_000 + b"\n",
    "a priority beyond all": b"<99999999999999999999>x\n",
    "RELP: a count beyond all": b"1 open 0\n2 syslog 99999999999999999999 x\n",
    "RELP: a negative count": b"1 open 0\n2 syslog -1 x\n",
    "RELP: a number beyond all": b"1 open 0\n99999999999999999999 syslog 1 x\n",
    "RELP: a command beyond all": b"1 open 0\n2 " + b"x" * 1_000_000,
    "RELP: nothing but opens": b"1 open 0\n" * 10_000,
}


@pytest.mark.parametrize("what", SYSLOG_BYTES)
def test_messages_of_syslog_that_lie_end_the_connection_or_are_texts(server, what):
    exchange(server.addresses["syslog"], SYSLOG_BYTES[what])


def riak(code, message, length=None):
    return struct.pack(">IB", len(message) + 1 if length is None else length, code) + message


RIAK_BYTES = {
    "no length": struct.pack(">I", 0),
    "a length beyond all": riak(11, b"x", 2 ** 32 - 1),
    "an unknown code": riak(200, b""),
    "a field beyond its message": riak(9, b"\x0a\xff\xff\xff\xff\x0fx"),
    "a varint without end": riak(9, b"\xff" * 50),
    "groups within groups": riak(11, b"\x0b" * 10_000),
    "no fields": riak(11, b""),
    "a job that is no JSON": riak(23, b"\x0a\x01{\x12\x10application/json"),
    "a deep job": riak(23, b"\x0a\xa0\x8d\x06" + b"[" * 100_000 + b"\x12\x10application/json"),
    "a clock that lies": riak(11, b"\x0a\x01b\x12\x01k\x1a\x04\xff\xff\xff\xff\x22\x03\x0a\x01v"),
}


@pytest.mark.parametrize("what", RIAK_BYTES)
def test_messages_of_riak_that_lie_are_refused(server, what):
    answer = exchange(server.addresses["riak-pb"], RIAK_BYTES[what])
    # 0: an error.
    assert not answer or answer[4] == 0, answer[:200]
