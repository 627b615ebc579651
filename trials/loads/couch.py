"""Documents with revisions, and a view over them."""

from collections import Counter

from . import LOST, HttpLoad, Wrong

VIEWS = {"views": {"count": {"map": "function (doc) { emit(doc.group, 1) }", "reduce": "_count"},
                   "sum": {"map": "function (doc) { emit(doc.group, doc.value) }",
                           "reduce": "function (keys, values) { return sum(values) }"}}}


class Revisions(HttpLoad):
    def prepare(self):
        self.url = f"{self.machine.couch}/{self.name}"
        assert self.request("PUT", self.url).status_code == 201
        assert self.request("PUT", f"{self.url}/_design/by", json=VIEWS).status_code == 201
        self.known = {}
        self.lost = set()

    def step(self):
        id = f"doc{self.chance.randrange(200)}"
        if id in self.lost:
            self.learn(id)
        revision, _ = self.known.get(id, (None, None))
        value = self.chance.randrange(1_000_000)
        try:
            if revision and self.chance.random() < 0.1:
                answer = self.request("DELETE", f"{self.url}/{id}", params={"rev": revision})
                value = None
            else:
                document = {"value": value, "group": value % 7} | ({"_rev": revision} if revision else {})
                answer = self.request("PUT", f"{self.url}/{id}", json=document)
        except LOST:
            self.lost.add(id)
            raise
        if answer.status_code not in (200, 201):
            raise Wrong(f"{id} at {revision}: {answer.status_code} {answer.text}")
        if value is None:
            del self.known[id]
        else:
            self.known[id] = (answer.json()["rev"], value)
        if self.chance.random() < 0.05:
            self.view("count")

    def learn(self, id):
        """Reads what became of a write whose answer was lost."""
        answer = self.request("GET", f"{self.url}/{id}")
        self.known.pop(id, None)
        if answer.status_code == 200:
            self.known[id] = (answer.json()["_rev"], answer.json()["value"])
        self.lost.discard(id)

    def view(self, name):
        answer = self.request("GET", f"{self.url}/_design/by/_view/{name}", params={"group": "true"})
        if answer.status_code != 200:
            raise Wrong(f"view {name}: {answer.status_code} {answer.text}")
        return {row["key"]: row["value"] for row in answer.json()["rows"]}

    def check(self):
        for id in list(self.lost):
            self.learn(id)
        rows = self.request("GET", f"{self.url}/_all_docs", params={"include_docs": "true"}).json()["rows"]
        present = {row["id"]: row["doc"] for row in rows if not row["id"].startswith("_")}
        stored = {id: (document["_rev"], document["value"]) for id, document in present.items()}
        if stored != self.known:
            differing = [id for id in stored.keys() | self.known.keys() if stored.get(id) != self.known.get(id)]
            raise Wrong(f"{[(id, stored.get(id), self.known.get(id)) for id in differing[:5]]} (stored, acknowledged)")
        counts, sums = Counter(), Counter()
        for document in present.values():
            counts[document["group"]] += 1
            sums[document["group"]] += document["value"]
        if self.view("count") != dict(counts) or self.view("sum") != dict(sums):
            raise Wrong("a view differs from the documents")
        self.check_changes(present)
        if self.request("GET", self.url).json()["doc_count"] != len(rows):
            raise Wrong("doc_count differs from the documents")

    def check_changes(self, present):
        changes = self.request("GET", f"{self.url}/_changes").json()["results"]
        listed = [change["id"] for change in changes]
        if len(set(listed)) != len(listed):
            raise Wrong("_changes lists a document twice")
        alive = {change["id"] for change in changes if not change.get("deleted") and not change["id"].startswith("_")}
        if alive != set(present):
            raise Wrong(f"_changes and _all_docs differ by {list(alive ^ set(present))[:5]}")
