"""Debian's rsyslog and syslog-ng bring lines by Elasticsearch's protocol, with their defaults and in bulk."""

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

UNPACKED = Path(os.environ.get("LARDER_SHIPPERS", ""))
LINES = 300

pytestmark = pytest.mark.skipif(not (UNPACKED / "usr/sbin/rsyslogd").exists(), reason="rsyslog and syslog-ng are not unpacked: tools/unpack-shippers")


@contextmanager
def program(command, folder, **environment):
    with open(folder / "output", "w") as output:
        running = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env={**os.environ, **environment})
    try:
        yield
        assert running.poll() is None, (folder / "output").read_text()
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def rsyslog(folder, server, options):
    host, port = server.addresses["elastic"].rsplit(":", 1)
    config = folder / "rsyslog.conf"
    config.write_text(f"""
global(workDirectory="{folder}")
module(load="imfile")
module(load="omelasticsearch")
input(type="imfile" file="{folder}/lines" tag="boiler:" severity="warning")
action(type="omelasticsearch" server="{host}" serverport="{port}" {options})
""")
    libraries = UNPACKED / "usr/lib/x86_64-linux-gnu"
    command = [UNPACKED / "usr/sbin/rsyslogd", "-n", "-f", config, "-i", folder / "pid", "-M", libraries / "rsyslog"]
    return program(command, folder, LD_LIBRARY_PATH=str(libraries))


def syslog_ng(folder, server, options, flags=""):
    config = folder / "syslog-ng.conf"
    config.write_text(f"""@version: 3.38
@include "{UNPACKED}/usr/share/syslog-ng/include/scl/elasticsearch/elastic-http.conf"
options {{ stats-freq(0); }};
source s {{ file("{folder}/lines" follow-freq(0.1) flags({flags})); }};
destination d {{ elasticsearch-http(url("{server.elastic}/_bulk") {options}); }};
log {{ source(s); destination(d); flags(flow-control); }};
""")
    modules = UNPACKED / "usr/lib/syslog-ng"
    files = [option for name in ("persist-file", "pidfile", "control") for option in (f"--{name}", folder / name)]
    command = [UNPACKED / "usr/sbin/syslog-ng", "--foreground", "--no-caps", "--cfgfile", config, "--module-path", modules / "3.38", *files]
    return program(command, folder, LD_LIBRARY_PATH=f"{UNPACKED}/usr/lib/x86_64-linux-gnu:{UNPACKED}/lib/x86_64-linux-gnu:{modules}")


def syslog_ng_5424(folder, server, options):
    return syslog_ng(folder, server, options, "syslog-protocol")


CASES = {
    "rsyslog by itself": (rsyslog, "", "system", "message"),
    "rsyslog in bulk": (rsyslog, 'bulkmode="on" searchIndex="rsyslog-bulk"', "rsyslog-bulk", "message"),
    "syslog-ng by itself": (syslog_ng, 'index("syslog-ng") type("")', "syslog-ng", "MESSAGE"),
    "syslog-ng in bulk, an index a day": (syslog_ng_5424, 'index("syslog-ng-${YEAR}.${MONTH}.${DAY}") type("events") batch-lines(100) batch-timeout(500)',
                          "syslog-ng-2024.03.05", "MESSAGE"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_line_is_found_once(server, tmp_path, case):
    shipper, options, index, field = CASES[case]
    lines = [f"<28>Mar  5 10:20:{n % 60:02} cellar boiler[7]: pressure {n} is low" for n in range(LINES)]
    if shipper is syslog_ng_5424:
        lines = [f"<28>1 2024-03-05T10:20:{n % 60:02}Z cellar boiler 7 - - pressure {n} is low" for n in range(LINES)]
    (tmp_path / "lines").write_text("\n".join(lines) + "\n")
    with shipper(tmp_path, server, options):
        until = time.monotonic() + 60
        count = 0
        while count < LINES and time.monotonic() < until:
            time.sleep(0.1)
            answer = requests.get(f"{server.elastic}/{index}/_count")
            count = answer.json().get("count", 0)
        assert count == LINES, (tmp_path / "output").read_text()
        found = requests.post(f"{server.elastic}/{index}/_search", json={"query": {"match_phrase": {field: "pressure 17"}}}).json()
        hit, = found["hits"]["hits"]
        assert "pressure 17 is low" in hit["_source"][field]
    assert requests.get(f"{server.elastic}/{index}/_count").json()["count"] == LINES
    requests.delete(f"{server.elastic}/{index}")
