"""Documents of a collection that a full-text index follows, and searches of it."""

import json
import time

import pymongo

from . import LOST, HttpLoad, Wrong

INDEX = "lines"
MAPPING = {"mappings": {"properties": {"@timestamp": {"type": "date"}, "writer": {"type": "keyword"}, "value": {"type": "long"},
                                       "message": {"type": "text"}}}}
START_MS = 1_767_312_000_000
# From a thousand documents on there is an index; these never change.
STEADY = 1_500
SPREAD_MS = 30 * 24 * 3600 * 1000


def word(writer, value):
    """A word that only the documents of this writer and value have."""
    return f"v{value}x{writer}"


class Searched(HttpLoad):
    """The part of a load of such documents that all have: each write has a value that no other has."""

    def __init__(self, machine, number, seed):
        self.client = pymongo.MongoClient(machine.mongo, maxPoolSize=2)
        self.documents = self.client.default[INDEX]
        self.last_value = 0
        super().__init__(machine, number, seed)

    def new_value(self):
        self.last_value += 1
        return self.last_value

    def document(self, value):
        return {"@timestamp": START_MS + self.chance.randrange(SPREAD_MS), "writer": self.name, "value": value,
                "message": f"the device says a line {word(self.name, value)}"}

    def bulk(self, operations):
        """Sends actions, each with what belongs to it; the results in that order."""
        lines = [json.dumps(line) for operation in operations for line in operation]
        answer = self.request("POST", f"{self.machine.elastic}/{INDEX}/_bulk", data="\n".join(lines) + "\n",
                              headers={"Content-Type": "application/x-ndjson"})
        if answer.status_code != 200:
            raise Wrong(f"bulk: {answer.status_code} {answer.text[:300]}")
        results = [result for item in answer.json()["items"] for result in item.values()]
        if failed := [result for result in results if result["status"] not in (200, 201)]:
            raise Wrong(f"{len(failed)} of a bulk: {failed[:3]}")
        return results

    def search(self, **body):
        answer = self.request("POST", f"{self.machine.elastic}/{INDEX}/_search", json={"track_total_hits": True} | body)
        if answer.status_code != 200 or answer.json()["timed_out"]:
            raise Wrong(f"search: {answer.status_code} {answer.text[:300]}")
        return answer.json()

    def stored(self):
        """The values of its documents, by their ids."""
        return {found["_id"]: found["value"] for found in self.documents.find({"writer": self.name}, {"value": 1})}


class Arrivals(Searched):
    """Lines that come by `_bulk` and stay; each batch is of one value."""

    BATCH = 250

    def prepare(self):
        self.acknowledged, self.lost = set(), set()

    def step(self):
        value = self.new_value()
        try:
            self.bulk([({"create": {}}, self.document(value)) for _ in range(self.BATCH)])
        except LOST:
            self.lost.add(value)
            raise
        self.acknowledged.add(value)
        time.sleep(0.03)

    def check(self):
        of_writer = [{"$match": {"writer": self.name}}, {"$group": {"_id": "$value", "count": {"$sum": 1}}}]
        stored = {batch["_id"]: batch["count"] for batch in self.documents.aggregate(of_writer)}
        if broken := [value for value in self.acknowledged if stored.get(value) != self.BATCH]:
            raise Wrong(f"{len(broken)} batches are not whole: {[(value, stored.get(value)) for value in broken[:5]]}")
        if strange := stored.keys() - self.acknowledged - self.lost:
            raise Wrong(f"{len(strange)} batches that nobody sent: {sorted(strange)[:5]}")
        if double := [value for value in self.lost if stored.get(value, 0) > self.BATCH]:
            raise Wrong(f"batches that came twice: {double[:5]}")


class Edits(Searched):
    """Documents made, replaced, changed in part and deleted by `_bulk`."""

    IDS = 2_000

    def prepare(self):
        # What is there, and of writes whose answers were lost what may be there as well.
        self.known, self.maybe = {}, {}

    def step(self):
        numbers = self.chance.sample(range(self.IDS), self.chance.choice([1, 20, 200]))
        ids = [id for id in (f"{self.name}-{number}" for number in numbers) if id not in self.maybe]
        if not ids:
            return
        edits = {id: self.edit(id) for id in ids}
        after = {id: value for id, (value, _) in edits.items()}
        try:
            self.bulk([operation for _, operation in edits.values()])
        except LOST:
            self.maybe.update(after)
            raise
        self.known.update(after)

    def edit(self, id):
        """The value that a document gets, none where it is deleted; and the operation that does it."""
        value, dice = self.new_value(), self.chance.random()
        document = self.document(value)
        if self.known.get(id) is None:
            return value, ({"create" if dice < 0.5 else "index": {"_id": id}}, document)
        if dice < 0.3:
            return None, ({"delete": {"_id": id}},)
        if dice < 0.6:
            return value, ({"update": {"_id": id}}, {"doc": {"value": value, "message": document["message"]}})
        return value, ({"index": {"_id": id}}, document)

    def check(self):
        stored = self.stored()
        for id in stored.keys() | self.known.keys() | self.maybe.keys():
            known, found = self.known.get(id), stored.get(id)
            if found not in (known, self.maybe.get(id, known)):
                raise Wrong(f"{id} is {found}, {known} was acknowledged, {self.maybe.get(id)} perhaps")
        self.known, self.maybe = stored, {}


class Branches(Searched):
    """Branches of documents as CouchDB's replication brings them: the greatest one that is not deleted is what is found."""

    IDS = 500

    def prepare(self):
        # By ids, the value of each leaf by its path: the number of its last revision, and hashes from that one down.
        self.leaves, self.unsure = {}, []

    def step(self):
        # What got no answer is brought again, as a replication does it.
        self.unsure = self.unsure or [self.write(id) for id in self.chance.sample(range(self.IDS), self.chance.choice([1, 10, 100]))]
        docs = [document for _, _, _, document in self.unsure]
        answer = self.request("POST", f"{self.machine.couch}/{INDEX}/_bulk_docs", json={"new_edits": False, "docs": docs})
        if answer.status_code != 201 or answer.json():
            raise Wrong(f"_bulk_docs: {answer.status_code} {answer.text[:300]}")
        for write in self.unsure:
            self.grow(self.leaves, write)
        self.unsure = []

    def write(self, number):
        """A revision that goes on with a leaf, or begins a branch: its id, the leaf, the new one, the document."""
        id = f"{self.name}-{number}"
        leaves, dice = sorted(self.leaves.get(id, {})), self.chance.random()
        leaf = self.chance.choice(leaves) if leaves and dice < 0.6 else None
        start, hashes = leaf or (self.chance.choice([0, 0, 1, 2]), ())
        ancestors = hashes or tuple(self.new_hash() for _ in range(start))
        new = (start + 1, (self.new_hash(), *ancestors))
        value = None if leaf and dice < 0.2 else self.new_value()
        content = {"_deleted": True} if value is None else self.document(value)
        return id, leaf, (new, value), content | {"_id": id, "_rev": f"{new[0]}-{new[1][0]}",
                                                  "_revisions": {"start": new[0], "ids": list(new[1])}}

    def new_hash(self):
        return f"{self.chance.getrandbits(128):032x}"

    @staticmethod
    def grow(leaves, write):
        id, leaf, (new, value), _ = write
        leaves[id] = {path: value for path, value in leaves.get(id, {}).items() if path != leaf} | {new: value}

    @staticmethod
    def winner(leaves):
        alive = [(path[0], path[1][0], value) for path, value in leaves.items() if value is not None]
        return max(alive)[2] if alive else None

    def check(self):
        after = {}
        for write in self.unsure:
            after[write[0]] = dict(self.leaves.get(write[0], {}))
            self.grow(after, write)
        stored = self.stored()
        for id in stored.keys() | self.leaves.keys() | after.keys():
            leaves = self.leaves.get(id, {})
            if stored.get(id) not in (self.winner(leaves), self.winner(after.get(id, leaves))):
                raise Wrong(f"{id} is {stored.get(id)}, of {leaves} or {after.get(id)}")


class Searches(Searched):
    """Searches while others write. Its check compares all that is found with the documents, as they are then."""

    def prepare(self):
        made = self.request("PUT", f"{self.machine.elastic}/{INDEX}", json=MAPPING)
        assert made.status_code == 200, made.text
        # By which the documents themselves are found.
        self.documents.create_index([("writer", 1), ("value", 1)])
        self.bulk([({"create": {}}, self.document(self.new_value())) for _ in range(STEADY)])

    def step(self):
        time.sleep(0.05)
        found = self.search(size=STEADY + 1, query={"term": {"writer": self.name}})["hits"]
        if found["total"]["value"] != STEADY or len({hit["_id"] for hit in found["hits"]}) != STEADY or len(found["hits"]) != STEADY:
            raise Wrong(f"of {STEADY} documents that nobody changes, {found['total']} and {len(found['hits'])} hits are found")
        self.find(self.name, self.chance.randrange(STEADY) + 1)

    def check(self):
        self.compare()
        self.wait_until_followed()
        self.compare()

    def compare(self):
        by_writer = [{"$group": {"_id": "$writer", "count": {"$sum": 1}, "sum": {"$sum": "$value"}, "max": {"$max": "$value"}}}]
        stored = {found["_id"]: found for found in self.documents.aggregate(by_writer)}
        self.compare_totals(stored)
        self.compare_newest()
        samples = [(found["writer"], found["value"]) for found in self.documents.aggregate([{"$sample": {"size": 40}}])]
        # Among those, values that were written over or deleted.
        samples += [(writer, self.chance.randrange(of["max"]) + 1) for writer, of in stored.items() for _ in range(20)]
        for writer, value in samples:
            self.find(writer, value)

    def compare_totals(self, stored):
        total = sum(of["count"] for of in stored.values())
        writers = {"terms": {"field": "writer", "size": 100}, "aggs": {"sum": {"sum": {"field": "value"}}}}
        found = self.search(size=0, aggs={"writers": writers})
        buckets = {bucket["key"]: (bucket["doc_count"], bucket["sum"]["value"]) for bucket in found["aggregations"]["writers"]["buckets"]}
        if buckets != {writer: (of["count"], of["sum"]) for writer, of in stored.items()}:
            raise Wrong(f"an aggregation finds {buckets}, stored are {stored}")
        for query in [{"match_all": {}}, {"match": {"message": "device"}}, {"range": {"value": {"gte": 0}}}]:
            found = self.search(size=10, query=query)["hits"]
            if (found["total"]["value"], len(found["hits"])) != (total, 10):
                raise Wrong(f"{query} finds {found['total']['value']} of {total}")
        for writer, of in stored.items():
            count = self.search(size=0, query={"term": {"writer": writer}})["hits"]["total"]["value"]
            if count != of["count"]:
                raise Wrong(f"{count} of {of['count']} by {writer} are found")

    def compare_newest(self):
        newest = list(self.documents.find({}, {"@timestamp": 1}).sort("@timestamp", -1).limit(200))
        hits = self.search(size=200, sort=[{"@timestamp": "desc"}])["hits"]["hits"]
        if [hit["_source"]["@timestamp"] for hit in hits] != [found["@timestamp"] for found in newest]:
            raise Wrong("the newest that are found are not the newest")
        if len({hit["_id"] for hit in hits}) != len(hits):
            raise Wrong("among the newest, one comes twice")

    def find(self, writer, value):
        """By a word, all that have it."""
        stored = sorted(str(found["_id"]) for found in self.documents.find({"writer": writer, "value": value}, {"_id": 1}))
        found = self.search(size=1_000, query={"match": {"message": word(writer, value)}})["hits"]
        hits = sorted(hit["_id"] for hit in found["hits"])
        if hits != stored or found["total"]["value"] != len(stored):
            raise Wrong(f"{word(writer, value)}: {found['total']['value']}, {hits[:5]} are found, {stored[:5]} are stored")

    def wait_until_followed(self):
        """Until the index has reached the last change; that it stays behind is said by the log, and wrong."""
        deadline = time.monotonic() + 60
        while self.behind():
            if time.monotonic() > deadline:
                raise Wrong(f"the index stays {self.behind()} changes behind")
            time.sleep(0.1)
        if said := [line for line in self.machine.server.log if "WARN" in line and "full-text" in line]:
            raise Wrong(said[-1])

    def behind(self):
        metrics = self.request("GET", f"{self.machine.http}/metrics").text.splitlines()
        return next(float(line.split()[1]) for line in metrics if line.startswith("larder_index_pending_changes "))
