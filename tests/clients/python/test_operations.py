"""What administrators use: status, checks, figures, and notifications to systemd."""

import fcntl
import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pymongo
import pytest
import requests
from server import running
from tls import House, larder

ROOT = Path(__file__).parents[3]
FIGURE = re.compile(r"\b(?:larder|process)_[a-z_]+")
# A busy disk is none of what these tests find out.
PATIENT = ("--flush-warning", "60000", "--flush-critical", "60000")


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A server behind TLS, so that all figures are there."""
    house = House(tmp_path_factory.mktemp("house"))
    with running(tmp_path_factory.mktemp("data"), *house.options()) as server:
        yield server, house


def figures(text):
    return {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}


def check(server, *options):
    done = larder("check", "--server", server.url, *PATIENT, *options)
    return done.returncode, done.stdout


def test_all_figures_are_described_and_no_others(tls):
    server, house = tls
    told = figures(requests.get(server.url.replace("http:", "https:") + "/metrics", verify=str(house.authority)).text)
    described = set(FIGURE.findall((ROOT / "docs/metrics.md").read_text()))
    assert told == described


@pytest.mark.parametrize("file", ["packaging/grafana.json", "packaging/alerts.yml"])
def test_boards_and_rules_ask_for_figures_that_there_are(file):
    text = (ROOT / file).read_text()
    if file.endswith("json"):
        text = json.dumps([panel["targets"] for panel in json.loads(text)["panels"]])
    described = set(FIGURE.findall((ROOT / "docs/metrics.md").read_text()))
    asked = set(FIGURE.findall(text))
    assert asked and asked <= described


def test_a_server_that_is_well(server):
    code, said = check(server, "--disk-warning", 0, "--disk-critical", 0)
    assert (code, said.startswith("LARDER OK - ")) == (0, True), said
    assert re.search(r" \| flush=[\d.]+s;60;60 disk_free=[\d.]+%;0:;0: .*documents=\d+ ", said)
    by_itself = larder("check", "--server", server.url).stdout
    assert re.search(r" \| flush=[\d.]+s;1;5 disk_free=[\d.]+%;20:;10: ", by_itself), by_itself


def test_limits_decide_between_warning_and_critical(server):
    assert check(server, "--disk-warning", 101, "--disk-critical", 0)[0] == 1
    code, said = check(server, "--disk-warning", 101, "--disk-critical", 101)
    assert code == 2 and "disk_free is" in said


def test_the_end_of_a_certificate(tls):
    server, house = tls
    environment = os.environ | {"SSL_CERT_FILE": str(house.authority)}
    command = [os.environ["LARDER_BINARY"], "check", "--server", server.url.replace("http:", "https:"), *PATIENT, "--disk-warning", "0", "--disk-critical", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    # It is signed for nine days.
    assert done.returncode == 1 and re.search(r"certificate_days=(9|8\.\d+);21:;7:", done.stdout), done.stdout
    assert subprocess.run([*command, "--certificate-warning", "3", "--certificate-critical", "1"], env=environment).returncode == 0


def test_a_server_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        done = larder("check", "--server", f"http://127.0.0.1:{free.getsockname()[1]}", "--timeout", 5)
    assert done.returncode == 2 and "cannot be reached" in done.stdout


def test_a_check_that_is_asked_wrongly_knows_nothing():
    for wrong in (["--timeout", "x"], ["--timeout", 0], ["--unheard-of"], ["--server", "nowhere"]):
        done = larder("check", *wrong)
        assert done.returncode == 3 and done.stdout.startswith("LARDER UNKNOWN - "), done
    assert larder("check", "--help").returncode == 0
    assert larder("status", "--unheard-of").returncode == 2


def test_another_port_is_not_taken_for_the_servers_own_http(server, tmp_path):
    for other in (server.couch, server.elastic, server.riak):
        done = larder("check", "--server", other)
        assert done.returncode == 2 and "is not Larder's own HTTP" in done.stdout, done.stdout
        for command in (["status"], ["user", "list"], ["backup", tmp_path / "kept"]):
            done = larder(*command, "--server", other)
            assert done.returncode == 1 and "is not Larder's own HTTP" in done.stderr, done
    command = [os.environ["LARDER_BINARY"], "user", "add", "ann", "--server", server.elastic]
    assert subprocess.run(command, input="secret\n", text=True).returncode == 1
    assert requests.get(f"{server.elastic}/api").status_code == 404


def test_what_a_log_filter_cannot_mean_is_refused():
    for wrong in ("inof", "info,bogus=xx"):
        assert larder("config", "print", "--log", wrong).returncode == 2
    assert 'log = "info,mongo=debug"' in larder("config", "print", "--log", "info,mongo=debug").stdout


def test_the_check_warns_of_old_and_missing_backups(server, tmp_path):
    code, said = check(server, "--backups", tmp_path / "none")
    assert code == 2 and "no backup" in said
    assert larder("backup", tmp_path / "kept", "--server", server.url).returncode == 0
    rules = ("--disk-warning", 0, "--disk-critical", 0, "--backups", tmp_path / "kept")
    code, said = check(server, *rules)
    assert code == 0 and "backup_hours=0" in said, said
    with (tmp_path / "kept" / "LARDER-BACKUPS").open() as mark:
        # As a backup does that is under way.
        fcntl.flock(mark, fcntl.LOCK_EX)
        code, said = check(server, *rules)
        assert code == 0 and "backup_hours=0" in said, said
        assert larder("restore", tmp_path / "kept", "--list").returncode == 0
    os.sync()
    code, said = check(server, *rules, "--backup-warning", 0)
    assert code == 1 and "backup_hours is" in said, said


def test_figures_are_for_those_who_may_read_them(tmp_path):
    with running(tmp_path) as server:
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        code, said = check(server)
        assert code == 3 and "figures cannot be read" in said, said
        known = server.url.replace("//", "//root:secret@")
        done = larder("check", "--server", known, *PATIENT, "--disk-warning", 0, "--disk-critical", 0)
        assert done.returncode == 0 and "secret" not in done.stdout
        assert larder("status", "--server", server.url).returncode == 1


def test_status_prints_the_figures_as_lines_and_as_json(server):
    lines = larder("status", "--server", server.url).stdout
    told = json.loads(larder("status", "--server", server.url, "--json").stdout)
    assert told["larder_uptime_seconds"] >= 0
    assert all(name in lines for name in told)


def test_the_same_figures_as_json_and_as_xml(server):
    told = requests.get(f"{server.url}/metrics", params={"format": "json"}).json()
    assert told["larder_uptime_seconds"] >= 0 and told["larder_memory_held_bytes"]["views"] >= 0
    answer = requests.get(f"{server.url}/metrics", params={"format": "xml"})
    assert answer.headers["Content-Type"].startswith("application/xml")
    figures = ElementTree.fromstring(answer.content)
    assert {figure.get("name") for figure in figures} == told.keys()
    style = re.search(r'xml-stylesheet type="text/css" href="([^"]+)"', answer.text)[1]
    assert requests.get(server.url + style).headers["Content-Type"].startswith("text/css")
    assert requests.get(f"{server.url}/metrics", params={"format": "csv"}).status_code == 400


def test_replications_that_fail_are_a_warning(server):
    rules = ("--disk-warning", 0, "--disk-critical", 0)
    deadline = time.monotonic() + 60
    # What other tests have written may still be on its way into an index.
    while "index_pending=0;" not in check(server, *rules)[1]:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    code, said = check(server, *rules)
    assert code == 0 and "replications_failing=0;0; replication_pending=0;100000;1000000 index_pending=0;" in said, said
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        target = f"http://127.0.0.1:{nobody.getsockname()[1]}/there"
        requests.put(f"{server.couch}/here")
        requests.put(f"{server.couch}/_replicator")
        job = requests.put(f"{server.couch}/_replicator/lost", json={"source": "here", "target": target, "continuous": True})
        assert job.ok, job.text
        deadline = time.monotonic() + 60
        while check(server, *rules)[0] != 1:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        requests.delete(f"{server.couch}/_replicator/lost", params={"rev": requests.get(f"{server.couch}/_replicator/lost").json()["_rev"]})
    deadline = time.monotonic() + 60
    while check(server, *rules)[0] != 0:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_the_configuration_is_printed_with_where_it_comes_from(tmp_path):
    file = tmp_path / "larder.toml"
    file.write_text('memory = "96m"\nlog-format = "json"\n')
    done = larder("config", "print", "--config", file, "--couch-listen", "off")
    lines = done.stdout.splitlines()
    assert 'couch-listen = "off" # given' in lines and f'memory = "96m" # {file}' in lines, done
    assert 'mongo-listen = "127.0.0.1:27017" # default' in lines
    again = tmp_path / "again.toml"
    again.write_text(done.stdout)
    assert 'log-format = "json"' in larder("config", "print", "--config", again).stdout
    file.write_text('memroy = "96m"\n')
    done = larder("config", "print", "--config", file)
    assert done.returncode == 1 and "memroy" in done.stderr


def test_users_of_a_running_server(tmp_path):
    def user(*words, password="", server):
        command = [os.environ["LARDER_BINARY"], "user", *words, "--server", server]
        return subprocess.run(command, input=password, capture_output=True, text=True)

    with running(tmp_path) as server:
        assert user("add", "root", password="secret\n", server=server.url).returncode == 0
        known = server.url.replace("//", "//root:secret@")
        refused = user("list", server=server.url)
        assert refused.returncode == 1 and "401" in refused.stderr, refused
        assert user("add", "ann", "--database", "shop", "--role", "read", "--role", "readWrite@stock", password="pw\n", server=known).returncode == 0
        assert user("list", server=known).stdout.splitlines() == ["root@admin root@admin", "ann@shop read@shop readWrite@stock"]
        with pymongo.MongoClient(server.uri, username="ann", password="pw", authSource="shop") as client:
            assert client.stock.things.insert_one({}).acknowledged
        assert user("password", "ann", "--database", "shop", password="new\n", server=known).returncode == 0
        with pymongo.MongoClient(server.uri, username="ann", password="new", authSource="shop") as client:
            assert client.shop.things.find_one() is None
        assert user("remove", "ann", "--database", "shop", server=known).returncode == 0
        gone = user("remove", "ann", "--database", "shop", server=known)
        assert gone.returncode == 1 and "ann" in gone.stderr, gone
        open_folder = subprocess.run([os.environ["LARDER_BINARY"], "user", "list", "--data", server.folder], capture_output=True, text=True)
        assert open_folder.returncode == 1 and "--server" in open_folder.stderr, open_folder


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_notified_of_start_and_stop(tmp_path, monkeypatch, is_abstract):
    address = f"\0larder-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        with running(tmp_path / "data") as server:
            assert systemd.recv(100).startswith(b"READY=1\n")
            assert {systemd.recv(100) for _ in range(3)} == {b"WATCHDOG=1"}
            server.stop()
            told = []
            while not told or not told[-1].startswith(b"STOPPING=1\n"):
                told.append(systemd.recv(100))


def test_help_for_shells_and_for_man(tmp_path):
    for shell in ("bash", "zsh", "fish"):
        assert "tls-certificate" in larder("completions", shell).stdout
    assert larder("manual", tmp_path / "man1").returncode == 0
    pages = {page.name: page.read_text() for page in (tmp_path / "man1").iterdir()}
    assert {"larder.1", "larder-serve.1", "larder-user-add.1"} <= pages.keys()
    assert "tls\\-certificate" in pages["larder-serve.1"]
    # Everybody may read them.
    assert all(path.stat().st_mode & 0o044 for path in [tmp_path / "man1", *(tmp_path / "man1").iterdir()])


def test_work_on_a_folder_begins_no_new_one(tmp_path):
    """As where a disk is not mounted: a backup of nothing would take the place of good ones."""
    empty = tmp_path / "empty"
    empty.mkdir()
    for words in (
        ["backup", tmp_path / "backups", "--data", empty],
        ["verify", "--data", empty],
        ["export", "--data", empty, "--collection", "a.b"],
        ["user", "list", "--data", empty],
        ["repair", "--data", empty, "--cut-log"],
    ):
        done = larder(*words, folder=tmp_path)
        assert done.returncode == 1 and "there is no data folder" in done.stderr, (words, done)
        assert not list(empty.iterdir()), words
