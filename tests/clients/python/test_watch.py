"""The server watches its machine while a document asks for it."""

import datetime
import time

import pymongo
from server import running


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)
    return found


def test_figures_and_the_log_are_kept_while_a_document_asks_for_it(tmp_path):
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        database = client.larder
        time.sleep(2.5)
        assert database.list_collection_names() == [], "nobody asked"
        database.watched.insert_one({"_id": "machine"})
        figure = until(database.figures.find_one)
        assert 0 <= figure["cpu_percent"] <= 100
        assert figure["memory_available_bytes"] > 0 and figure["disk_free_bytes"] > 0
        assert abs(figure["time"] - datetime.datetime.now(datetime.UTC).replace(tzinfo=None)) < datetime.timedelta(seconds=60)
        line = until(lambda: database.log.find_one({"target": "larder::watch"}))
        assert line["level"] == "info" and "watching this machine" in line["message"]
        assert database.figures.index_information()["time_1"]["expireAfterSeconds"] == 30 * 24 * 3600
        assert database.log.options() == {"capped": True, "size": 16 << 20}
        database.figures.drop()
    with running(tmp_path) as server, pymongo.MongoClient(server.uri) as client:
        database = client.larder
        database.figures.drop()
        until(database.figures.find_one)
        database.watched.delete_one({"_id": "machine"})
        until(lambda: any("watched no more" in line for line in server.log))
        figures = database.figures.count_documents({})
        time.sleep(2.5)
        assert database.figures.count_documents({}) == figures
