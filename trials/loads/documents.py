"""Documents written one at a time, in bulk, counted, queued, taken away."""

import os
from collections import Counter

from pymongo.errors import DuplicateKeyError

from . import LOST, MongoLoad, Wrong


def ids(found):
    """The ids of some documents; raises where one comes twice."""
    listed = [document["_id"] for document in found]
    once = set(listed)
    if len(listed) != len(once):
        raise Wrong(f"{[id for id, n in Counter(listed).items() if n > 1][:5]} come twice")
    return once


def ids_by_every_index(collection):
    """What a scan finds, after each index has found the same."""
    scanned = ids(collection.find({}, {"_id": 1}).hint([("$natural", 1)]))
    for name in collection.index_information():
        indexed = ids(collection.find({}, {"_id": 1}).hint(name))
        if indexed != scanned:
            raise Wrong(f"{collection.name}: {name} has {len(indexed)} of {len(scanned)}: {list(indexed ^ scanned)[:5]}")
    counted = collection.estimated_document_count()
    if counted != len(scanned):
        raise Wrong(f"{collection.name}: counts {counted}, has {len(scanned)}")
    return scanned


class Inserts(MongoLoad):
    """One document or hundreds, small or beyond what a record holds, under two indexes."""

    def prepare(self):
        self.acknowledged, self.lost, self.next = set(), set(), 0
        self.collection.create_index([("group", 1), ("share", -1)])
        self.collection.create_index("tags")

    def step(self):
        several = self.chance.choice([1, 1, 5, 300])
        payload = os.urandom(70_000) if several == 5 else b"small"
        new = [f"{self.name}-{self.next + i}" for i in range(several)]
        self.next += several
        try:
            self.collection.insert_many([{"_id": id, "group": self.chance.randrange(50), "share": self.chance.random(),
                                          "tags": ["x", self.chance.randrange(20)], "payload": payload} for id in new],
                                        ordered=self.chance.random() < 0.5)
        except LOST:
            self.lost.update(new)
            raise
        self.acknowledged.update(new)

    def check(self):
        present = ids_by_every_index(self.collection)
        if missing := self.acknowledged - present:
            raise Wrong(f"{len(missing)} inserts are lost: {sorted(missing)[:5]}")
        if strange := present - self.acknowledged - self.lost:
            raise Wrong(f"{len(strange)} documents that nobody wrote: {sorted(strange)[:5]}")


class Counters(MongoLoad):
    """Increments, which a retry must not repeat."""

    def prepare(self):
        self.acknowledged, self.lost = Counter(), Counter()

    def step(self):
        key = self.chance.randrange(20)
        try:
            self.collection.update_one({"_id": key}, {"$inc": {"n": 1, "nested.twice": 2}}, upsert=True)
        except LOST:
            self.lost[key] += 1
            raise
        self.acknowledged[key] += 1

    def check(self):
        counted = {document["_id"]: document for document in self.collection.find()}
        for key, least in self.acknowledged.items():
            if key not in counted:
                raise Wrong(f"counter {key} is lost")
            n = counted[key]["n"]
            if not least <= n <= least + self.lost[key] or counted[key]["nested"]["twice"] != 2 * n:
                raise Wrong(f"counter {key}: {counted[key]}, {least} acknowledged and {self.lost[key]} unknown")


class Upserts(MongoLoad):
    """Upserts under a unique index: one document a key, whoever comes first."""

    def prepare(self):
        self.acknowledged, self.lost = Counter(), Counter()
        self.collection.create_index("key", unique=True)

    def step(self):
        key = self.chance.randrange(500)
        try:
            self.collection.update_one({"key": key}, {"$inc": {"n": 1}}, upsert=True)
        except DuplicateKeyError:
            return
        except LOST:
            self.lost[key] += 1
            raise
        self.acknowledged[key] += 1

    def check(self):
        ids_by_every_index(self.collection)
        found = list(self.collection.find())
        if len({document["key"] for document in found}) != len(found):
            raise Wrong("two documents have one unique key")
        counted = {document["key"]: document["n"] for document in found}
        for key, least in self.acknowledged.items():
            if not least <= counted.get(key, 0) <= least + self.lost[key]:
                raise Wrong(f"key {key}: {counted.get(key)}, {least} acknowledged and {self.lost[key]} unknown")


class Deletes(MongoLoad):
    """Inserts and deletes; what was deleted stays away."""

    def prepare(self):
        self.alive, self.deleted, self.lost, self.next = set(), set(), set(), 0
        self.collection.create_index("value")

    def step(self):
        id, self.next = f"{self.name}-{self.next}", self.next + 1
        try:
            self.collection.insert_one({"_id": id, "value": self.chance.randrange(100)})
        except LOST:
            self.lost.add(id)
            raise
        self.alive.add(id)
        if self.chance.random() < 0.7:
            gone = self.alive.pop()
            try:
                removed = self.collection.delete_one({"_id": gone}).deleted_count
            except LOST:
                self.lost.add(gone)
                raise
            if removed != 1:
                raise Wrong(f"delete of {gone} removed {removed}")
            self.deleted.add(gone)

    def check(self):
        present = ids_by_every_index(self.collection)
        if missing := self.alive - present:
            raise Wrong(f"{len(missing)} inserts are lost: {sorted(missing)[:5]}")
        if back := self.deleted & present:
            raise Wrong(f"{len(back)} deletes are lost: {sorted(back)[:5]}")


class Queue(MongoLoad):
    """A queue of jobs: each is handed out once."""

    def prepare(self):
        self.pushed, self.taken, self.lost, self.lost_takes, self.next = set(), set(), set(), 0, 0

    def step(self):
        job, self.next = f"{self.name}-{self.next}", self.next + 1
        try:
            self.collection.insert_one({"_id": job, "priority": self.chance.randrange(5)})
        except LOST:
            self.lost.add(job)
            raise
        self.pushed.add(job)
        if self.chance.random() < 0.9:
            try:
                taken = self.collection.find_one_and_delete({}, sort=[("priority", 1)])
            except LOST:
                self.lost_takes += 1
                raise
            if taken:
                if taken["_id"] in self.taken:
                    raise Wrong(f"{taken['_id']} is handed out twice")
                self.taken.add(taken["_id"])

    def check(self):
        waiting = ids_by_every_index(self.collection)
        if back := waiting & self.taken:
            raise Wrong(f"{sorted(back)[:5]} were taken and are there again")
        missing = self.pushed - self.taken - waiting
        if len(missing) > self.lost_takes:
            raise Wrong(f"{len(missing)} jobs are missing, {self.lost_takes} may have been taken")
