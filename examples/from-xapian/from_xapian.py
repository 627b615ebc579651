#!/usr/bin/python3
"""Brings the documents of a Xapian database into an index, by Elasticsearch's bulk requests.

A document's data is taken as JSON where it is an object, and else as the text `data`. Its values and the terms with a prefix become
fields where they are named; terms without one were made of the texts, and are made again here. The documents keep their numbers as
their ids, so a second run changes nothing, and `--from` goes on where one has ended.

    from_xapian.py DATABASE [--url http://127.0.0.1:9200] [--index NAME] [--value SLOT=FIELD[:text|number|date]]... [--term PREFIX=FIELD]...
"""

import argparse
import base64
import json
import sys
import urllib.request
from datetime import datetime, timezone

import xapian


def date(value):
    """`20240131` and `20240131123000` as they are written for ranges; else seconds since 1970 as a sortable number."""
    text = value.decode("utf-8", "replace")
    for form in ("%Y%m%d", "%Y%m%d%H%M%S"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=timezone.utc).isoformat()
        except ValueError:
            pass
    return datetime.fromtimestamp(xapian.sortable_unserialise(value), timezone.utc).isoformat()


KINDS = {"text": lambda value: value.decode("utf-8", "replace"), "number": xapian.sortable_unserialise, "date": date}


def value_option(text):
    slot, _, field = text.partition("=")
    field, _, kind = field.partition(":")
    if not slot.isdigit() or not field or (kind or "text") not in KINDS:
        raise argparse.ArgumentTypeError(f"'{text}' is not SLOT=FIELD or SLOT=FIELD:KIND; kinds are {', '.join(KINDS)}")
    return int(slot), field, KINDS[kind or "text"]


def term_option(text):
    prefix, _, field = text.partition("=")
    if not prefix or not field:
        raise argparse.ArgumentTypeError(f"'{text}' is not PREFIX=FIELD")
    return prefix, field


def fields(document, values, terms):
    """A document's fields."""
    data = document.get_data().decode("utf-8", "replace")
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        found = {"data": data}
    found.pop("_id", None)
    for slot, field, kind in values:
        value = document.get_value(slot)
        if value:
            found[field] = kind(value)
    for prefix, field in terms:
        beginning = prefix.encode()
        own = [item.term[len(beginning):] for item in document.termlist() if item.term.startswith(beginning)]
        # Longer prefixes begin alike: after one, a term goes on with a colon or without a capital letter.
        own = [term[1:] if term.startswith(b":") else term for term in own if not term[:1].isupper()]
        own = [term.decode("utf-8", "replace") for term in own]
        if own:
            found[field] = own[0] if len(own) == 1 else own
    return found


class Index:
    """Where documents go, a bulk request for many."""

    def __init__(self, url, name, user):
        self.url = f"{url.rstrip('/')}/{name}/_bulk?filter_path=errors,items.*.error,items.*._id"
        self.headers = {"Content-Type": "application/x-ndjson"}
        if user:
            self.headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()

    def put(self, documents):
        lines = []
        for number, document in documents:
            lines += [json.dumps({"index": {"_id": str(number)}}), json.dumps(document, ensure_ascii=False)]
        request = urllib.request.Request(self.url, ("\n".join(lines) + "\n").encode(), self.headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            result = json.load(answer)
        refused = [item["index"] for item in result.get("items", []) if "error" in item["index"]]
        for item in refused:
            print(f"document {item['_id']} was refused: {item['error']['reason']}", file=sys.stderr)
        return len(refused)


def main():
    parser = argparse.ArgumentParser(description="Brings the documents of a Xapian database into an index.")
    parser.add_argument("database")
    parser.add_argument("--url", default="http://127.0.0.1:9200", help="where Elasticsearch's protocol is spoken")
    parser.add_argument("--index", default="xapian", help="the index, which is made where there is none")
    parser.add_argument("--user", help="NAME:PASSWORD")
    parser.add_argument("--value", type=value_option, action="append", default=[], metavar="SLOT=FIELD[:KIND]")
    parser.add_argument("--term", type=term_option, action="append", default=[], metavar="PREFIX=FIELD")
    parser.add_argument("--from", type=int, default=1, dest="first", metavar="NUMBER", help="the first document's number")
    parser.add_argument("--batch", type=int, default=1000)
    options = parser.parse_args()
    database = xapian.Database(options.database)
    index = Index(options.url, options.index, options.user)
    batch, done, refused = [], 0, 0
    # The posting list of the empty term has every document.
    for posting in database.postlist(""):
        if posting.docid < options.first:
            continue
        batch.append((posting.docid, fields(database.get_document(posting.docid), options.value, options.term)))
        if len(batch) == options.batch:
            refused += index.put(batch)
            done += len(batch)
            print(f"{done} of {database.get_doccount()}, up to number {posting.docid}", file=sys.stderr)
            batch = []
    if batch:
        refused += index.put(batch)
        done += len(batch)
    print(f"{done - refused} documents of {options.database} are in {options.index}, {refused} were refused")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
