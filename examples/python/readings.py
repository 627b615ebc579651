"""Readings of sensors, over MongoDB's protocol.

    pip install pymongo
    python readings.py [mongodb://127.0.0.1:27017]
"""

import sys
from datetime import datetime, timedelta

from pymongo import DESCENDING, MongoClient
from pymongo.errors import DuplicateKeyError

client = MongoClient(sys.argv[1] if len(sys.argv) > 1 else "mongodb://127.0.0.1:27017")
readings = client.examples.readings
readings.drop()

# One batch is one flush: when this returns, all readings are on the disk.
start = datetime(2026, 1, 1)
devices = {"attic": 12.0, "cellar": 8.0, "kitchen": 20.0}
readings.insert_many(
    {"device": device, "at": start + timedelta(hours=hour), "celsius": base + hour % 6}
    for hour in range(240)
    for device, base in devices.items()
)
print("stored:", readings.estimated_document_count())

# A device has one reading at a time, and the newest of a device is found without looking at the others.
readings.create_index([("device", 1), ("at", DESCENDING)], unique=True)
newest = readings.find_one({"device": "cellar"}, sort=[("at", DESCENDING)])
print("newest in the cellar:", newest["at"], newest["celsius"])
looked_at = readings.find({"device": "cellar"}).sort("at", DESCENDING).limit(1).explain()["executionStats"]
print("documents looked at for it:", looked_at["totalDocsExamined"])

try:
    readings.insert_one({"device": "cellar", "at": start, "celsius": 99})
except DuplicateKeyError as error:
    print("refused:", error.details["keyValue"]["device"], error.details["keyValue"]["at"])

# Changed where it lies: no reading, changing and writing back, and no other change is lost.
readings.update_many({"device": "attic"}, {"$inc": {"celsius": 0.5}, "$set": {"corrected": True}})

by_day = [
    {"$match": {"at": {"$lt": start + timedelta(days=2)}}},
    {"$group": {"_id": {"day": {"$dateTrunc": {"date": "$at", "unit": "day"}}, "device": "$device"},
                "mean": {"$avg": "$celsius"}, "highest": {"$max": "$celsius"}}},
    {"$sort": {"_id.day": 1, "_id.device": 1}},
]
for group in readings.aggregate(by_day):
    print(f"{group['_id']['day']:%Y-%m-%d} {group['_id']['device']:8} {group['mean']:5.1f} {group['highest']:5.1f}")
