"""Indexes and collections that come and go."""

from pymongo.errors import OperationFailure

from . import MongoLoad, Wrong
from .documents import ids_by_every_index

INDEX_NOT_FOUND = 27


class Indexes(MongoLoad):
    """Indexes made and dropped beside inserts."""

    def prepare(self):
        # True: it must be there, False: it must not, None: nobody knows.
        self.state = {}

    def step(self):
        self.collection.insert_many([{"a": i % 7, "b": {"c": [i, i % 3]}} for i in range(20)])
        field = self.chance.choice(["a", "b.c"])
        wanted = self.chance.random() < 0.6
        self.state[field] = None
        try:
            if wanted:
                self.collection.create_index([(field, 1)], name=field)
            else:
                self.collection.drop_index(field)
        except OperationFailure as refused:
            if refused.code != INDEX_NOT_FOUND:
                raise
        self.state[field] = wanted

    def check(self):
        ids_by_every_index(self.collection)
        present = self.collection.index_information()
        for field, wanted in self.state.items():
            if wanted is not None and (field in present) != wanted:
                raise Wrong(f"index {field} is {'lost' if wanted else 'back'}")


class Replaced(MongoLoad):
    """`$out`: the collection is always whole, of one generation."""

    def prepare(self):
        self.acknowledged, self.tried = 0, 0

    def step(self):
        generation = self.tried + 1
        n = self.chance.randrange(300, 2000)
        self.tried = generation
        self.collection.replace_one({"_id": 1}, {"r": list(range(n)), "generation": generation, "n": n}, upsert=True)
        self.collection.aggregate([{"$unwind": "$r"}, {"$project": {"_id": "$r", "generation": 1, "n": 1}},
                                   {"$out": self.name + "_out"}])
        self.acknowledged = generation

    def check(self):
        generations = list(self.database[self.name + "_out"].aggregate(
            [{"$group": {"_id": {"generation": "$generation", "n": "$n"}, "count": {"$sum": 1}}}]))
        if not generations:
            if self.acknowledged:
                raise Wrong("the result of $out is lost")
            return
        [one] = generations
        if one["count"] != one["_id"]["n"] or not self.acknowledged <= one["_id"]["generation"] <= self.tried:
            raise Wrong(f"$out left {one}; {self.acknowledged} acknowledged, {self.tried} tried")


class Collections(MongoLoad):
    """Collections filled, renamed and dropped."""

    def prepare(self):
        self.next, self.dropped, self.renamed = 0, set(), set()

    def step(self):
        name, self.next = f"{self.name}_{self.next}", self.next + 1
        self.database[name].insert_many([{"x": i} for i in range(50)])
        if self.chance.random() < 0.5:
            self.database[name].rename(name + "_moved")
            self.renamed.add(name)
            name += "_moved"
        self.database[name].drop()
        self.dropped.add(name)

    def check(self):
        if back := (self.dropped | self.renamed) & set(self.database.list_collection_names()):
            raise Wrong(f"collections are back: {sorted(back)[:5]}")
