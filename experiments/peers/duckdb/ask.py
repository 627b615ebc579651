"""DuckDB on one thread: commands come as lines of JSON, each is answered by a line of JSON.

["load", table, file] makes a table with a column `doc` of a file with a document a line; ["ask", sql] is answered by rows of texts.
"""
import json
import sys

import duckdb


def main():
    database = duckdb.connect()
    database.execute("SET threads = 1")
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        if command == "load":
            table, file = arguments
            database.execute(f"CREATE TABLE {table} AS SELECT json AS doc FROM read_json_objects(?)", [file])
            answer = []
        else:
            rows = database.execute(arguments[0]).fetchall()
            answer = [[None if value is None else str(value) for value in row] for row in rows]
        print(json.dumps(answer), flush=True)


main()
