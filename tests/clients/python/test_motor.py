"""The same server through motor, asyncio's driver."""

import asyncio

from motor.motor_asyncio import AsyncIOMotorClient


def test_motor_writes_and_reads_concurrently(server):
    async def work():
        client = AsyncIOMotorClient(server.uri)
        things = client.motor_db.things
        await things.drop()
        await asyncio.gather(*(things.insert_one({"_id": i}) for i in range(100)))
        found = [d["_id"] async for d in things.find().sort("_id")]
        client.close()
        return found

    assert asyncio.run(work()) == list(range(100))
