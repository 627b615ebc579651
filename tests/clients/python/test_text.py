"""Texts: indexes, searches, scores, and what a restart keeps of them."""
import pymongo
import pytest
from pymongo.errors import OperationFailure

SCORE = {"$meta": "textScore"}


@pytest.fixture
def books(client):
    collection = client["texts"]["books"]
    collection.drop()
    collection.insert_many([
        {"_id": 1, "title": "Running water", "about": "Rivers run to the sea", "shelf": 1},
        {"_id": 2, "title": "The sea", "about": "Waves, whales and a café", "shelf": 1},
        {"_id": 3, "title": "Deserts", "about": "There is no water; nobody runs", "shelf": 2},
        {"_id": 4, "title": "Cooking", "about": ["Salt", "Water", {"deep": "Sea"}], "shelf": 2},
    ])
    collection.create_index([("title", "text"), ("about", "text")], weights={"title": 10})
    return collection


def found(collection, search, **options):
    return sorted(document["_id"] for document in collection.find({"$text": {"$search": search, **options}}))


def test_words_phrases_and_what_is_excluded(books):
    assert found(books, "run") == [1, 3]
    assert found(books, "running SEA") == [1, 2, 3], "stems, any of the words, whatever the case"
    assert found(books, "water -run") == [4]
    assert found(books, '"no water"') == [3]
    assert found(books, '"no water" "the sea"') == []
    assert found(books, 'water -"no water"') == [1, 4]
    assert found(books, "the is") == [], "words that say nothing"
    assert found(books, "-run") == []
    assert found(books, "cafe") == found(books, "CAFÉ") == [2]
    assert found(books, "cafe", **{"$diacriticSensitive": True}) == []
    assert found(books, "Sea", **{"$caseSensitive": True}) == [], "in none of the texts does it begin with a capital"
    assert found(books, "Water", **{"$caseSensitive": True}) == [4]


def test_scores_are_those_of_mongodb(books):
    by_score = books.find({"$text": {"$search": "sea"}}, {"score": SCORE, "title": 1}).sort([("score", SCORE)])
    # "sea" alone in a title of weight 10 where "the" does not count, and one word of three in a text of weight 1.
    assert [(document["_id"], round(document["score"], 6)) for document in by_score] == [(2, 10.0), (1, 0.666667)]
    whole = books.find_one({"$text": {"$search": "cooking"}}, {"score": SCORE})
    assert whole["score"] == pytest.approx(10.0), "the term is a stem, so it is not the whole text"
    stages = [{"$match": {"$text": {"$search": "sea water"}}}, {"$sort": {"score": SCORE}}, {"$limit": 2},
              {"$project": {"_id": 1, "score": SCORE}}]
    scored = list(books.aggregate(stages))
    assert [document["_id"] for document in scored] == [2, 1] and scored[1]["score"] == pytest.approx(10 * 0.75 + 2 / 3)
    assert list(books.aggregate([{"$match": {"$text": {"$search": "sea"}}}, {"$count": "all"}])) == [{"all": 2}]
    best = books.find_one_and_update({"$text": {"$search": "sea"}}, {"$set": {"seen": 1}}, sort=[("score", SCORE)])
    assert best["_id"] == 2
    with pytest.raises(OperationFailure) as unasked:
        books.find_one({}, {"score": SCORE})
    assert unasked.value.code == 40218


def test_the_index_follows_every_write(books):
    books.update_one({"_id": 2}, {"$set": {"about": "Salt in the mountains"}})
    assert found(books, "whale") == [] and found(books, "mountain") == [2]
    books.delete_one({"_id": 2})
    assert found(books, "mountain") == []
    assert books.delete_many({"$text": {"$search": "water"}}).deleted_count == 3
    explained = books.find({"$text": {"$search": "water"}}).explain()["executionStats"]
    assert explained["totalKeysExamined"] == 0 and explained["totalDocsExamined"] == 0


def test_fields_before_the_texts_must_be_equal(client):
    collection = client["texts"]["shelves"]
    collection.drop()
    collection.create_index([("shelf", 1), ("about", "text")])
    collection.insert_many({"_id": at, "shelf": at % 2, "about": "red blue"} for at in range(10))
    query = {"shelf": 1, "$text": {"$search": "red green"}}
    assert collection.count_documents(query) == 5
    assert collection.find(query).explain()["executionStats"]["totalDocsExamined"] == 5
    counted = collection.database.command("explain", {"count": "shelves", "query": query})["executionStats"]
    assert counted["totalDocsExamined"] == 0 and counted["totalKeysExamined"] <= 6, "the index alone can tell"
    with pytest.raises(OperationFailure) as unequal:
        collection.find_one({"$text": {"$search": "red"}})
    assert unequal.value.code == 291
    with pytest.raises(OperationFailure) as several:
        collection.insert_one({"shelf": [1, 2], "about": "red"})
    assert several.value.code == 201


def test_languages_and_all_strings(client):
    collection = client["texts"]["tongues"]
    collection.drop()
    collection.create_index([("$**", "text")], default_language="german", language_override="tongue")
    collection.insert_many([{"_id": 1, "a": {"b": "die Häuser"}},
                            {"_id": 2, "tongue": "french", "a": [["les chevaux"]]},
                            {"_id": 3, "parts": [{"tongue": "none", "c": "die"}, {"c": "Haus"}]}])
    assert found(collection, "Haus") == [1, 3]
    assert found(collection, "cheval", **{"$language": "fr"}) == [2]
    assert found(collection, "die", **{"$language": "none"}) == [3]
    with pytest.raises(OperationFailure) as unknown:
        collection.insert_one({"tongue": "klingon", "a": "nuqneH"})
    assert unknown.value.code == 17262


def test_without_an_index_there_is_no_search(client):
    collection = client["texts"]["plain"]
    collection.drop()
    collection.insert_one({"about": "water"})
    with pytest.raises(OperationFailure) as missing:
        collection.find_one({"$text": {"$search": "water"}})
    assert missing.value.code == 27
    collection.create_index([("about", pymongo.TEXT)])
    assert collection.count_documents({"$or": [{"$text": {"$search": "water"}}, {"_id": 7}]}) == 1
    with pytest.raises(OperationFailure) as unindexed:
        collection.find_one({"$or": [{"$text": {"$search": "water"}}, {"shelf": 7}]})
    assert unindexed.value.code == 291
    collection.database.command("collMod", "plain", index={"name": "about_text", "hidden": True})
    with pytest.raises(OperationFailure) as hidden:
        collection.find_one({"$text": {"$search": "water"}})
    assert hidden.value.code == 291
