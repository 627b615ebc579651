"""What whoever runs a server asks it: status, checks, figures, and what systemd is told."""

import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pymongo
import pytest
import requests
from server import running
from tls import House, larder

ROOT = Path(__file__).parents[3]
FIGURE = re.compile(r"\b(?:larder|process)_[a-z_]+")


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A server behind TLS, so that all figures are there."""
    house = House(tmp_path_factory.mktemp("house"))
    with running(tmp_path_factory.mktemp("data"), *house.options()) as server:
        yield server, house


def figures(text):
    return {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}


def check(server, *options):
    done = larder("check", "--server", server.url, *options)
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
    assert re.search(r" \| flush=[\d.]+s;1;5 disk_free=[\d.]+%;0:;0: .*documents=\d+ ", said)


def test_limits_decide(server):
    assert check(server, "--disk-warning", 101, "--disk-critical", 0)[0] == 1
    code, said = check(server, "--disk-warning", 101, "--disk-critical", 101)
    assert code == 2 and "disk_free is" in said


def test_the_end_of_a_certificate(tls):
    server, house = tls
    environment = os.environ | {"SSL_CERT_FILE": str(house.authority)}
    command = [os.environ["LARDER_BINARY"], "check", "--server", server.url.replace("http:", "https:"), "--disk-warning", "0", "--disk-critical", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    # It is signed for nine days.
    assert done.returncode == 1 and re.search(r"certificate_days=(9|8\.\d+);21:;7:", done.stdout), done.stdout
    assert subprocess.run([*command, "--certificate-warning", "3", "--certificate-critical", "1"], env=environment).returncode == 0


def test_a_server_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        done = larder("check", "--server", f"http://127.0.0.1:{free.getsockname()[1]}", "--timeout", 5)
    assert done.returncode == 2 and "cannot be reached" in done.stdout


def test_backups_grow_old(server, tmp_path):
    code, said = check(server, "--backups", tmp_path / "none")
    assert code == 2 and "no backup" in said
    assert larder("backup", tmp_path / "kept", "--server", server.url).returncode == 0
    rules = ("--disk-warning", 0, "--disk-critical", 0, "--backups", tmp_path / "kept")
    code, said = check(server, *rules)
    assert code == 0 and "backup_hours=0" in said, said
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
        done = larder("check", "--server", known, "--disk-warning", 0, "--disk-critical", 0)
        assert done.returncode == 0 and "secret" not in done.stdout
        assert larder("status", "--server", server.url).returncode == 1


def test_status(server):
    lines = larder("status", "--server", server.url).stdout
    told = json.loads(larder("status", "--server", server.url, "--json").stdout)
    assert told["larder_uptime_seconds"] >= 0
    assert all(name in lines for name in told)


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_told(tmp_path, monkeypatch, is_abstract):
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
