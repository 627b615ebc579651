"""`larder import --from riak`: from Larder itself, and from a server that answers as real Riak does."""

import http.server
import json
import os
import subprocess
import threading
from contextlib import contextmanager

import pytest
import requests
from server import running

TEXT = {"Content-Type": "text/plain"}


def imported(source, target, folder, *options, code=0):
    command = [os.environ["LARDER_BINARY"], "import", "--from", "riak", source, "--riak", target, "--quiet", *options]
    done = subprocess.run(command, cwd=folder, timeout=120, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.fixture
def target(tmp_path):
    with running(tmp_path / "target") as server:
        yield server.riak


def siblings(url):
    answer = requests.get(url, headers={"Accept": "multipart/mixed"})
    assert answer.status_code == 300
    mark = answer.headers["Content-Type"].split("boundary=")[1]
    return sorted(part.split("\r\n\r\n", 1)[1].strip() for part in answer.text.split("--" + mark)[1:-1])


def test_objects_come_with_siblings_metadata_terms_and_properties(server, target, tmp_path):
    old = f"{server.riak}/buckets/im1"
    requests.put(f"{old}/props", json={"props": {"allow_mult": True, "n_val": 2}})
    headers = TEXT | {"X-Riak-Meta-Colour": "red", "X-Riak-Index-age_int": "7", "Link": '</buckets/im1/keys/b>; riaktag="next"'}
    requests.put(f"{old}/keys/a%2F1%20%C3%A9", data=b"\x00\xff", headers=headers)
    for value in "xyz":
        requests.put(f"{old}/keys/many", data=value, headers=TEXT)
    requests.put(f"{old}/keys/gone", data="g", headers=TEXT)
    requests.delete(f"{old}/keys/gone")
    told = imported(server.riak, target, tmp_path, "--buckets", "im1")
    assert "imported 2 objects" in told
    new = f"{target}/buckets/im1"
    got = requests.get(f"{new}/keys/a%2F1%20%C3%A9")
    assert (got.content, got.headers["X-Riak-Meta-Colour"]) == (b"\x00\xff", "red")
    assert 'keys/b>; riaktag="next"' in got.headers["Link"]
    assert requests.get(f"{new}/index/age_int/7").json()["keys"] == ["a/1 é"]
    assert siblings(f"{new}/keys/many") == ["x", "y", "z"]
    assert requests.get(f"{new}/keys/gone").status_code == 404
    properties = requests.get(f"{new}/props").json()["props"]
    assert (properties["n_val"], properties["allow_mult"]) == (2, True)
    # Once more makes nothing more, and what the target has besides stays.
    requests.put(f"{new}/keys/many", data="own", headers=TEXT)
    imported(server.riak, target, tmp_path, "--buckets", "im1")
    assert siblings(f"{new}/keys/many") == ["own", "x", "y", "z"]


def test_data_types_come_by_their_values(server, target, tmp_path):
    def post(kind, bucket, key, body):
        assert requests.post(f"{server.riak}/types/{kind}/buckets/{bucket}/datatypes/{key}", json=body).status_code == 204

    post("counters", "imd", "c", {"increment": 5})
    post("sets", "imd", "s", {"add_all": ["a", "b"]})
    post("maps", "imd", "m", {"update": {"n_register": {"assign": "x"}, "f_flag": "enable", "c_counter": 3,
                                         "in_map": {"update": {"s_set": {"add_all": ["q"]}}}}})
    requests.put(f"{server.riak}/buckets/imc/props", json={"props": {"allow_mult": True}})
    requests.post(f"{server.riak}/buckets/imc/counters/k", data="4")
    for _ in range(2):
        imported(server.riak, target, tmp_path, "--bucket-types", "counters,sets,maps", "--buckets", "imd,imc")
        value = lambda kind, key: requests.get(f"{target}/types/{kind}/buckets/imd/datatypes/{key}").json()["value"]
        assert (value("counters", "c"), sorted(value("sets", "s"))) == (5, ["a", "b"])
        assert value("maps", "m") == {"c_counter": 3, "f_flag": True, "in_map": {"s_set": ["q"]}, "n_register": "x"}
        assert requests.get(f"{target}/buckets/imc/counters/k").text == "4"


# What real Riak 2.2 does and Larder does not: a first empty page, several pages in one piece and one in two pieces, a deletion
# among siblings with its own mark, keys that are listed although they are gone, links of the old form, answers of 503 when busy.
class Quirks(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = 2
    fails = None
    asked = []

    def log_message(self, *_):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", len(body))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/ping":
            return self.answer(200, b"OK")
        if path == "/buckets":
            return self.answer(200, b'{"buckets":["quirks"]}')
        if path == "/buckets/quirks/props":
            return self.answer(200, json.dumps({"props": {"name": "quirks", "allow_mult": False, "n_val": 3, "precommit": [
                {"mod": "m", "fun": "f"}], "linkfun": {"mod": "m", "fun": "f"}}}).encode())
        if path == "/buckets/quirks/keys":
            pieces = [b'{"keys":[]}{"keys":["one"', b',"two"]}{"keys":["gone"]}', b'{"keys":["three"]}']
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in [*pieces, b""]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return None
        key = path.rsplit("/", 1)[1]
        type(self).asked.append(key)
        if key == "one" and type(self).busy:
            type(self).busy -= 1
            return self.answer(503, b"overload")
        if key == type(self).fails:
            return self.answer(500, b"Error:\ntimeout")
        if key == "one":
            return self.answer(200, b'{"n": 1}', Content_Type="application/json", X_Riak_Vclock="a85hYGBg",
                               Link='</riak/quirks>; rel="up", </riak/quirks/two>; riaktag="t"', Vary="Accept-Encoding")
        if key == "two":
            parts = b"".join(b"\r\n--Q7\r\n" + part for part in (
                b"Content-Type: text/plain\r\nX-Riak-Deleted: true\r\n\r\n",
                b"Content-Type: text/plain\r\nEtag: 1\r\n\r\nnew",
                b"Content-Type: text/plain\r\nEtag: 2\r\n\r\nold"))
            return self.answer(300, parts + b"\r\n--Q7--\r\n", Content_Type="multipart/mixed; boundary=Q7")
        if key == "three":
            return self.answer(200, b"3", Content_Type="text/plain; charset=utf-8")
        return self.answer(404, b"not found\n", X_Riak_Vclock="a85h", X_Riak_Deleted="true")


@contextmanager
def quirks():
    Quirks.busy, Quirks.fails, Quirks.asked = 2, None, []
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quirks)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    thread.join()


def test_what_real_riak_does_otherwise_is_understood(target, tmp_path):
    with quirks() as source:
        assert "imported 3 objects" in imported(source, target, tmp_path)
    one = requests.get(f"{target}/buckets/quirks/keys/one")
    assert one.content == b'{"n": 1}' and 'keys/two>; riaktag="t"' in one.headers["Link"]
    assert siblings(f"{target}/buckets/quirks/keys/two") == ["new", "old"]
    assert requests.get(f"{target}/buckets/quirks/keys/three").headers["Content-Type"] == "text/plain; charset=utf-8"
    assert requests.get(f"{target}/buckets/quirks/props").json()["props"]["allow_mult"] is False


def test_an_import_goes_on_where_it_was_cut_off(target, tmp_path):
    with quirks() as source:
        Quirks.fails = "two"
        told = imported(source, target, tmp_path, code=1)
        assert "rejected 1" in told and "default/quirks/two" in told
        assert "quirks" in (tmp_path / "rejected.ndjson").read_text()
        Quirks.fails, Quirks.asked = None, []
        told = imported(source, target, tmp_path)
        assert "3 were imported before" in told and Quirks.asked == ["two"]
        assert not (tmp_path / "riak-import.state").exists()


def test_what_cannot_be_is_said(target, tmp_path):
    assert "is not of the form" in imported("nowhere", target, tmp_path, code=1)
    with quirks() as source:
        (tmp_path / "riak-import.state").write_text("http://elsewhere:8098\n/buckets/b/k\n")
        assert "state of an import from http://elsewhere:8098" in imported(source, target, tmp_path, code=1)


def test_a_wrong_address_is_no_obstacle_for_the_right_one(target, tmp_path):
    with quirks() as source:
        assert "/ping" in imported(source + "/nowhere", target, tmp_path, code=1)
        assert "imported 3 objects" in imported(source, target, tmp_path)
