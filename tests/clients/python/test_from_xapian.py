"""A Xapian database is brought over by the example's program, with Debian's python3-xapian."""

import subprocess
from pathlib import Path

import pytest
import requests

PYTHON = "/usr/bin/python3"
PROGRAM = Path(__file__).parents[3] / "examples" / "from-xapian" / "from_xapian.py"

MADE = """
import json, sys, xapian
database = xapian.WritableDatabase(sys.argv[1], xapian.DB_CREATE_OR_OPEN)
generator = xapian.TermGenerator()
generator.set_stemmer(xapian.Stem("en"))
for n in range(2500):
    document = xapian.Document()
    text = f"pressure {n} is low"
    document.set_data(json.dumps({"message": text, "n": n}) if n % 5 else text)
    generator.set_document(document)
    generator.index_text(text)
    document.add_value(0, "202401%02d" % (1 + n % 28))
    document.add_value(1, xapian.sortable_serialise(n / 2))
    document.add_boolean_term(f"XDEVICEd{n % 10}")
    document.add_boolean_term("XDEVICEKIND:boiler")
    database.add_document(document)
for number in range(100, 200):
    database.delete_document(number)
database.commit()
"""


def has_xapian():
    try:
        return subprocess.run([PYTHON, "-c", "import xapian"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not has_xapian(), reason="python3-xapian is not installed")
def test_documents_come_with_their_values_and_terms(server, tmp_path):
    database = tmp_path / "database"
    subprocess.run([PYTHON, "-c", MADE, database], check=True, timeout=60)
    command = [PYTHON, PROGRAM, database, "--url", server.elastic, "--index", "from-xapian", "--value", "0=at:date", "--value", "1=size:number",
               "--term", "XDEVICE=device", "--term", "XDEVICEKIND=kind"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert "2400 documents" in done.stdout
        assert requests.get(f"{server.elastic}/from-xapian/_count").json()["count"] == 2400
    first, second = (requests.get(f"{server.elastic}/from-xapian/_doc/{number}").json()["_source"] for number in (1, 2))
    assert first == {"data": "pressure 0 is low", "at": "2024-01-01T00:00:00+00:00", "device": "d0", "kind": "boiler", "size": 0.0}
    assert second == {"message": "pressure 1 is low", "n": 1, "at": "2024-01-02T00:00:00+00:00", "device": "d1", "kind": "boiler", "size": 0.5}
    query = {"size": 3, "query": {"bool": {"filter": [{"term": {"device.keyword": "d7"}}, {"match": {"message": "pressure"}}]}}, "sort": [{"at": "desc"}, {"n": "desc"}]}
    hits = requests.post(f"{server.elastic}/from-xapian/_search", json=query).json()["hits"]
    assert hits["total"]["value"] == 240 and hits["hits"][0]["_source"]["n"] == 2407
    wrong = subprocess.run([*command, "--value", "a=b"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "SLOT=FIELD" in wrong.stderr
    requests.delete(f"{server.elastic}/from-xapian")
