"""`larder import` and `larder export`, through a server and into a folder."""

import csv
import datetime
import gzip
import json
import os
import subprocess

import pymongo
from bson import Decimal128, Int64, ObjectId, json_util
from server import running


def larder(*arguments, input=None, cwd=None, code=0):
    done = subprocess.run([os.environ["LARDER_BINARY"], *map(str, arguments)], input=input, cwd=cwd, timeout=60,
                          capture_output=True, text=not isinstance(input, bytes))
    assert done.returncode == code, done.stderr
    return done


def imported(server, tmp_path, name, content, *options, code=0):
    """Imports a file and gives what the collection then holds."""
    file = tmp_path / name
    file.write_bytes(content)
    larder("import", file, "--collection", "imports.things", "--server", server.uri, *options, cwd=tmp_path, code=code)
    with pymongo.MongoClient(server.uri) as client:
        found = list(client.imports.things.find({}, {"_id": 0}))
        client.imports.things.drop()
        return found


def test_ndjson_keeps_extended_json_types(server, tmp_path):
    lines = b'{"n": 1, "big": {"$numberLong": "5"}, "at": {"$date": "2026-01-01T00:00:00Z"}}\n\n{"n": 2.5}\n'
    assert imported(server, tmp_path, "a.ndjson", lines) == [
        {"n": 1, "big": Int64(5), "at": datetime.datetime(2026, 1, 1)}, {"n": 2.5}]


def test_logs_are_imported_by_their_format(server, tmp_path):
    at = datetime.datetime(2026, 1, 31, 12)
    line = b"2026-01-31T12:00:00Z pi sshd[7]: hello\nno syslog\n"
    assert imported(server, tmp_path, "a.log", line, "--format", "syslog", code=1) == [
        {"time": at, "host": "pi", "program": "sshd", "pid": 7, "message": "hello"}]
    line = b'::1 - - [31/Jan/2026:13:00:00 +0100] "GET / HTTP/1.1" 200 5 "-" "curl"\n'
    assert imported(server, tmp_path, "a.log", line, "--format", "combined") == [
        {"time": at, "client": "::1", "method": "GET", "path": "/", "protocol": "HTTP/1.1", "status": 200, "bytes": 5,
         "agent": "curl", "message": "GET / HTTP/1.1"}]
    assert imported(server, tmp_path, "a.log", b'n=3 msg="a b"\n', "--format", "logfmt") == [{"n": 3, "msg": "a b"}]


def test_a_json_array_is_imported_compressed_too(server, tmp_path):
    array = json.dumps([{"i": i, "text": "],{\""} for i in range(2500)]).encode()
    found = imported(server, tmp_path, "a.json.gz", gzip.compress(array))
    assert [d["i"] for d in found] == list(range(2500))


def test_csv_types_are_inferred_or_given(server, tmp_path):
    text = b"zip,at,v,note,a.b\n01001,2014-04-01 00:00:00,18.3,\"x, y\",true\n2,2014-04-01,,,\n"
    found = imported(server, tmp_path, "a.csv", text, "--types", "zip=string")
    assert found == [
        {"zip": "01001", "at": datetime.datetime(2014, 4, 1), "v": 18.3, "note": "x, y", "a": {"b": True}},
        {"zip": "2", "at": datetime.datetime(2014, 4, 1)},
    ]


def test_lines_are_taken_apart_by_a_pattern(server, tmp_path):
    log = b"2026-01-01 10:00:00 sshd ok\nnonsense\n"
    pattern = r"^(?<at>\S+ \S+) (?<program>\S+) (?<message>.*)$"
    found = imported(server, tmp_path, "a.log", log, "--pattern", pattern, code=1)
    assert found == [{"at": datetime.datetime(2026, 1, 1, 10), "program": "sshd", "message": "ok"}]
    rejected = json.loads((tmp_path / "rejected.ndjson").read_text())
    assert rejected["text"] == "nonsense" and rejected["place"].endswith("a.log:2")


TRACE = b"ERROR broken\n  at a.py:1\n\n  at b.py:2\nINFO fine\r\nno record\nINFO last"


def test_lines_that_belong_together_are_one_record(server, tmp_path):
    pattern = r"(?s)^(?<level>[A-Z]+) (?<message>.*)$"
    starts = ["--pattern", pattern, "--record-starts", "^[A-Z]+ "]
    assert imported(server, tmp_path, "a.log", TRACE, *starts) == [
        {"level": "ERROR", "message": "broken\n  at a.py:1\n\n  at b.py:2"}, {"level": "INFO", "message": "fine\nno record"},
        {"level": "INFO", "message": "last"}]
    continues = ["--pattern", pattern, "--record-continues", r"^(\s|$)"]
    found = imported(server, tmp_path, "a.log", TRACE, *continues, code=1)
    assert [record["message"] for record in found] == ["broken\n  at a.py:1\n\n  at b.py:2", "fine", "last"]
    rejected = json.loads((tmp_path / "rejected.ndjson").read_text())
    assert rejected["text"] == "no record" and rejected["place"].endswith("a.log:6")
    syslog = b"2026-01-31T12:00:00Z pi app[7]: broken\n\tat a.py:1\n2026-01-31T12:00:01Z pi app[7]: fine\n"
    found = imported(server, tmp_path, "b.log", syslog, "--format", "syslog", "--record-continues", r"^\s")
    assert [record["message"] for record in found] == ["broken\n\tat a.py:1", "fine"]


def test_what_was_sent_twice_is_kept_once(server, tmp_path):
    lines = b"host=a n=1 msg=one\nhost=a n=2 msg=two\nhost=a n=1 msg=one\nhost=b n=1 msg=other\nmsg=lost\n"
    (tmp_path / "a.log").write_bytes(lines)
    command = ["import", "a.log", "--collection", "imports.once", "--format", "logfmt", "--id", "host,n"]
    with running(tmp_path / "own") as own, pymongo.MongoClient(own.uri) as client:
        for kept, left_out in ((3, 1), (0, 4)):
            done = larder(*command, "--skip-existing", "--server", own.uri, cwd=tmp_path, code=1)
            assert f"imported {kept} documents" in done.stderr and f"left out {left_out} whose _id" in done.stderr
            assert "there is no field 'host'" in done.stderr and "1 of the lines were rejected" in done.stderr
        assert [found["_id"] for found in client.imports.once.find().sort("_id")] == [
            {"host": "a", "n": 1}, {"host": "a", "n": 2}, {"host": "b", "n": 1}]
        done = larder(*command, "--server", own.uri, cwd=tmp_path, code=1)
        assert "5 of the lines were rejected" in done.stderr and "left out" not in done.stderr
        # What another index refuses is no repetition.
        client.imports.other.create_index("msg", unique=True)
        (tmp_path / "b.log").write_bytes(b"n=7 msg=same\nn=8 msg=same\n")
        command = ["import", "b.log", "--collection", "imports.other", "--format", "logfmt", "--id", "n", "--skip-existing"]
        done = larder(*command, "--server", own.uri, cwd=tmp_path, code=1)
        assert "1 of the lines were rejected" in done.stderr
        assert client.imports.other.find_one() == {"_id": 7, "msg": "same"}
        folder = tmp_path / "folder"
        for code in (0, 0):
            larder("import", "b.log", "--data", folder, "--collection", "db.x", "--format", "logfmt", "--id", "n",
                   "--skip-existing", cwd=tmp_path, code=code)


PARKING = (b"2015-01-01T16:44:31 2015-01-01T20:44:31 00043064\n2015-01-02T00:00:00  2015-01-02T00:00:01\t00043064\r\n"
           b"2015-01-01T16:44:31 2015-01-01T16:44:31 00000001")
FIELDS = ["--fields", "start=date,end=date,car=string"]


def test_columns_get_the_names_and_types_given(server, tmp_path):
    found = imported(server, tmp_path, "parking.txt", PARKING, *FIELDS)
    assert found[0] == {"start": datetime.datetime(2015, 1, 1, 16, 44, 31), "car": "00043064",
                        "end": datetime.datetime(2015, 1, 1, 20, 44, 31)}
    assert len(found) == 3 and found[2]["car"] == "00000001"
    assert imported(server, tmp_path, "b.txt", b"a::1\n", "--fields", "x,y,z", "--delimiter", ":") == [{"x": "a", "z": 1}]


def test_groups_are_imported_in_place_of_lines(server, tmp_path):
    file = tmp_path / "parking.txt"
    file.write_bytes(PARKING + b"\nno car\n2015-01-01T16:44:31 2015-13-01T16:44:31 00000001\n")
    done = larder("import", file, "--collection", "imports.cars", "--server", server.uri, *FIELDS, "--group-by", "car",
                  "--sum", "parked=end-start", cwd=tmp_path, code=1)
    assert "read 3 lines in 2 groups" in done.stderr
    with pymongo.MongoClient(server.uri) as client:
        found = {car.pop("_id"): car for car in client.imports.cars.find()}
        client.imports.cars.drop()
    assert found == {"00043064": {"count": 2, "parked": 4 * 3_600_000 + 1000}, "00000001": {"count": 1, "parked": 0}}
    rejected = [json.loads(line) for line in (tmp_path / "rejected.ndjson").read_text().splitlines()]
    assert [line["text"] for line in rejected] == ["no car", "2015-01-01T16:44:31 2015-13-01T16:44:31 00000001"]


def test_columns_and_groups_that_make_no_sense_are_refused(server, tmp_path):
    (tmp_path / "a.txt").write_bytes(PARKING)
    wrong = [(["--group-by", "car"], "columns need names"), ([*FIELDS, "--group-by", "bus"], "no column 'bus'"),
             ([*FIELDS, "--sum", "x=end"], "--group-by"), ([*FIELDS, "--types", "car=int"], "--types"),
             ([*FIELDS, "--group-by", "car", "--sum", "x=car"], "the type int or date"),
             ([*FIELDS, "--record-starts", "x"], "join lines of text"),
             ([*FIELDS, "--group-by", "car", "--record-starts", "x"], "not records of several lines"),
             ([*FIELDS, "--format", "csv"], "--format columns"), (["--format", "columns"], "columns need names")]
    for options, reason in wrong:
        done = larder("import", "a.txt", "--collection", "imports.no", "--server", server.uri, *options, cwd=tmp_path, code=1)
        assert reason in done.stderr, options


def test_bad_lines_and_refused_documents_are_rejected_not_dropped(server, tmp_path):
    lines = b'{"_id": 1}\n{"_id": 1}\n{broken\n{"_id": 2}\n'
    assert len(imported(server, tmp_path, "a.ndjson", lines, code=1)) == 2
    rejected = [json.loads(line) for line in (tmp_path / "rejected.ndjson").read_text().splitlines()]
    assert sorted(r["place"].rsplit(":", 1)[1] for r in rejected) == ["2", "3"]
    assert any("E11000" in r["reason"] for r in rejected)


def test_standard_input_is_imported(server):
    larder("import", "-", "--collection", "imports.piped", "--server", server.uri, input='{"a": 1}\n')
    with pymongo.MongoClient(server.uri) as client:
        assert client.imports.piped.find_one({}, {"_id": 0}) == {"a": 1}
        client.imports.piped.drop()


def test_an_export_gives_the_same_back(tmp_path):
    documents = [{"_id": ObjectId(), "n": Int64(1), "d": Decimal128("1.10"), "x": 1.0, "in": {"list": [1, None]}},
                 {"_id": "a,b", "text": "line\nbreak \"quoted\""}]
    source, copy = tmp_path / "source", tmp_path / "copy"
    with running(source) as server, pymongo.MongoClient(server.uri) as client:
        client.db.things.insert_many(documents)
    for form in ("ndjson", "json"):
        file = tmp_path / f"out.{form}"
        larder("export", "--data", source, "--collection", "db.things", "--format", form, "--output", file)
        larder("import", file, "--data", copy, "--collection", f"db.{form}")
    with running(copy) as server, pymongo.MongoClient(server.uri) as client:
        for form in ("ndjson", "json"):
            found = list(client.db[form].find())
            assert [json_util.dumps(d) for d in found] == [json_util.dumps(d) for d in documents]


def test_csv_export_has_the_columns_asked_for(server, tmp_path):
    with pymongo.MongoClient(server.uri) as client:
        client.exports.things.insert_many([{"_id": 1, "a": {"b": "x,y"}, "c": 1.5}, {"_id": 2}])
        out = larder("export", "--server", server.uri, "--collection", "exports.things", "--format", "csv", "--fields",
                     "_id,a.b,c").stdout
        client.exports.things.drop()
    assert list(csv.reader(out.splitlines())) == [["_id", "a.b", "c"], ["1", "x,y", "1.5"], ["2", "", ""]]


def test_a_user_logs_in(tmp_path, monkeypatch):
    with running(tmp_path / "data") as server:
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", "ann", pwd="s:cret", roles=["root"])
        known = server.uri.replace("//", "//ann:s%3Acret@")
        larder("import", "-", "--collection", "db.x", "--server", known, input='{"_id": 1}\n')
        monkeypatch.setenv("LARDER_SERVER", known)
        assert larder("export", "--collection", "db.x").stdout == '{"_id":{"$numberInt":"1"}}\n'
        refused = larder("export", "--collection", "db.x", "--server", known.replace("cret", "x"), code=1)
        assert "cannot log in as ann" in refused.stderr


def test_a_folder_is_named_although_a_variable_names_a_server(tmp_path, monkeypatch):
    monkeypatch.setenv("LARDER_SERVER", "mongodb://nowhere.invalid")
    larder("import", "-", "--collection", "db.x", "--data", tmp_path / "data", input='{"_id": 1}\n')
    assert '"_id"' in larder("export", "--collection", "db.x", "--data", tmp_path / "data").stdout
    both = ["--data", tmp_path / "data", "--server", "mongodb://nowhere.invalid"]
    assert "in place of a server" in larder("export", "--collection", "db.x", *both, code=2).stderr


def test_marks_of_utf_8_are_no_text(server, tmp_path):
    mark = b"\xef\xbb\xbf"
    one, two = {"a": 1}, {"a": 2}
    assert imported(server, tmp_path, "a.json", mark + b'[{"a": 1}, {"a": 2}]') == [one, two]
    assert imported(server, tmp_path, "b.json", mark + b'{"a": 1}\n{"a": 2}\n') == [one, two]
    assert imported(server, tmp_path, "c.csv", gzip.compress(mark + b"a\n1\n2\n")) == [one, two]
    assert imported(server, tmp_path, "d.log", mark + b"x", "--format", "lines") == [{"line": "x"}]
    (tmp_path / "wide.json").write_bytes('[{"a": 1}]'.encode("utf-16"))
    (tmp_path / "none.csv").write_bytes(b'{"a": 1}\n')
    (tmp_path / "two.json").write_bytes(b'[{"a": 1}]\n[{"a": 2}]\n')
    for name, reason in (("wide.json", "is UTF-16"), ("none.csv", "as JSON does"), ("two.json", "several arrays")):
        done = larder("import", name, "--collection", "imports.no", "--server", server.uri, cwd=tmp_path, code=1)
        assert reason in done.stderr


def test_lines_of_another_encoding_are_rejected_with_what_to_do(server, tmp_path):
    for name, options in (("a.csv", []), ("a.log", []), ("a.txt", ["--fields", "a"])):
        text = "a\nä\nb\n".encode("latin-1")
        assert len(imported(server, tmp_path, name, text, *options, code=1)) >= 1
        rejected = json.loads((tmp_path / "rejected.ndjson").read_text())
        assert rejected["place"].endswith(f"{name}:2") and "iconv -f LATIN1" in rejected["reason"]


def test_an_import_that_breaks_off_says_how_far_it_came(server, tmp_path):
    lines = b"".join(b'{"_id": %d}\n' % n for n in range(50_000))
    (tmp_path / "cut.ndjson.gz").write_bytes(gzip.compress(lines)[:-1000])
    done = larder("import", "cut.ndjson.gz", "--collection", "imports.cut", "--server", server.uri, cwd=tmp_path, code=1)
    with pymongo.MongoClient(server.uri) as client:
        count = client.imports.cut.count_documents({})
        client.imports.cut.drop()
    assert count and f"{count} documents were imported, and then it failed" in done.stderr


def test_a_document_that_is_too_long_is_rejected_by_its_line(server, tmp_path):
    lines = b'{"n": 1}\n{"text": "%s"}\n{"n": 3}\n' % (b"x" * (16 << 20))
    assert imported(server, tmp_path, "a.ndjson", lines, code=1) == [{"n": 1}, {"n": 3}]
    rejected = json.loads((tmp_path / "rejected.ndjson").read_text())
    assert rejected["place"].endswith("a.ndjson:2") and "bytes; at most 16777216" in rejected["reason"]


def test_options_that_would_lose_something_or_say_nothing_are_refused(server, tmp_path):
    (tmp_path / "a.ndjson").write_bytes(b'{"a": 1}\n')
    (tmp_path / "a.csv").write_bytes(b"a,a.b\n1,2\n")
    (tmp_path / "a.txt").write_bytes(b"a b c\n")
    wrong = [("a.ndjson", ["--types", "a=int"], "--types gives types to"), ("a.ndjson", ["--delimiter", ";"], "--delimiter separates"),
             ("a.txt", ["--types", "a=int"], "--types gives types to"), ("a.csv", [], "'a' and 'a.b'"),
             ("a.txt", ["--pattern", "(?<x>.)", "--types", "y=int"], "the groups of --pattern are x"),
             ("a.txt", ["--pattern", "(?<x>.)", "--fields", "a,b,c"], "leave one of them out"),
             ("a.txt", ["--fields", "a,a,c"], "--fields names 'a' twice"), ("a.csv", ["--id", "b,b"], "--id names 'b' twice"),
             ("a.csv", ["--delimiter", '"'], "are quoted by"),
             ("a.csv", ["--types", "a=int,a=string"], "--types names 'a' twice"),
             ("a.txt", ["--fields", "a=int,b,c", "--group-by", "b", "--sum", "count=a"], "--sum names 'count' twice"),
             ("a.ndjson", ["--reject", "missing/r.ndjson"], "cannot write missing/r.ndjson"),
             ("a.ndjson", ["--reject", "./a.ndjson"], "which is to be imported"),
             ("a.ndjson", ["--server", server.url.replace("http:", "mongodb:")], "speaks HTTP")]
    for name, options, reason in wrong:
        place = [] if "--server" in options else ["--server", server.uri]
        done = larder("import", name, "--collection", "imports.no", *place, *options, cwd=tmp_path, code=1)
        assert reason in done.stderr, (options, done.stderr)
    for options in (["--state", "s"], ["--buckets", "b"], ["--delimiter", "é"], ["--delimiter", "\n"]):
        larder("import", "a.csv", "--collection", "imports.no", *options, cwd=tmp_path, code=2)
    larder("export", "--collection", "imports.no", "--server", server.uri, "--fields", "a", code=1)


def test_a_folder_that_a_server_has_open_is_refused(server, tmp_path):
    file = tmp_path / "a.ndjson"
    file.write_text("{}\n")
    refused = larder("import", file, "--data", server.folder, "--collection", "db.x", code=1)
    assert "in use by another process" in refused.stderr
