#!/usr/bin/env python3
"""Lines of logs in Xapian: commands come as lines of JSON, each is answered by a line with a number.

    lines.py FOLDER

["insert", [[milliseconds, device, level, program, message], ...]] commits; ["ask", question, argument...] counts what is found.
"""
import json
import sys

import xapian

TIME, HOUR_AND_LEVEL = 0, 1
NEWEST, WORDED, BEST = 1000, 100, 10


def insert(database, rows):
    generator = xapian.TermGenerator()
    for row in rows:
        at, device, level, _, message = row
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(message)
        document.add_boolean_term("D" + device)
        document.add_value(TIME, xapian.sortable_serialise(at))
        document.add_value(HOUR_AND_LEVEL, f"{at // 3_600_000}{level}")
        document.set_data(json.dumps(row))
        database.add_document(document)
    database.commit()
    return len(rows)


def found(database, query, most, is_newest=True):
    enquire = xapian.Enquire(database)
    if is_newest:
        enquire.set_weighting_scheme(xapian.BoolWeight())
        enquire.set_sort_by_value(TIME, True)
    enquire.set_query(query)
    # Whoever asks wants the lines themselves.
    return len([match.document.get_data() for match in enquire.get_mset(0, most)])


def ask(database, question, *arguments):
    database.reopen()
    if question == "newest":
        return found(database, xapian.Query("D" + arguments[0]), NEWEST)
    if question == "word":
        return found(database, xapian.Query(arguments[0]), WORDED)
    if question == "best":
        return found(database, xapian.Query(arguments[0]), BEST, is_newest=False)
    if question == "phrase":
        return found(database, xapian.Query(xapian.Query.OP_PHRASE, arguments[0].split()), WORDED)
    if question == "hour":
        word, low, high = arguments
        low, high = xapian.sortable_serialise(low), xapian.sortable_serialise(high - 1)
        within = xapian.Query(xapian.Query.OP_VALUE_RANGE, TIME, low, high)
        return found(database, xapian.Query(xapian.Query.OP_FILTER, xapian.Query(word), within), WORDED)
    spy = xapian.ValueCountMatchSpy(HOUR_AND_LEVEL)
    enquire = xapian.Enquire(database)
    enquire.set_query(xapian.Query.MatchAll)
    enquire.add_matchspy(spy)
    enquire.get_mset(0, 0, database.get_doccount())
    return sum(item.termfreq for item in spy.values())


def main(folder):
    writing, reading = None, None
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        if command == "insert":
            writing = writing or xapian.WritableDatabase(folder, xapian.DB_CREATE_OR_OPEN)
            print(insert(writing, *arguments), flush=True)
        else:
            reading = reading or xapian.Database(folder)
            print(ask(reading, *arguments), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
