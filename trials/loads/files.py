"""Files: put whole, resumed by tus, in GridFS."""

import base64
import hashlib
import os
import time

import gridfs

from . import LOST, HttpLoad, MongoLoad, Wrong

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = TUS | {"Content-Type": "application/offset+octet-stream"}


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Kept(HttpLoad):
    """The part of a load of files that says what must be there."""

    def prepare(self):
        self.kept, self.deleted, self.next = {}, set(), 0

    def url(self, name):
        return f"{self.machine.http}/files/{self.name}/{name}"

    def new_name(self):
        self.next += 1
        return f"file{self.next}"

    def check(self):
        for name, expected in self.kept.items():
            answer = self.request("GET", self.url(name))
            if answer.status_code != 200:
                raise Wrong(f"{name} is lost: {answer.status_code} {answer.text[:200]}")
            if digest(answer.content) != expected:
                raise Wrong(f"{name} has other bytes")
        for name in self.deleted:
            if self.request("GET", self.url(name)).status_code != 404:
                raise Wrong(f"{name} was deleted and is there")


class Puts(Kept):
    def step(self):
        name, content = self.new_name(), os.urandom(self.chance.choice([10, 5_000, 70_000, 900_000]))
        answer = self.request("PUT", self.url(name), data=content)
        if answer.status_code not in (200, 201):
            raise Wrong(f"PUT {name}: {answer.status_code} {answer.text}")
        self.kept[name] = digest(content)
        if self.chance.random() < 0.5:
            name, _ = self.kept.popitem()
            if self.request("DELETE", self.url(name)).status_code in (200, 204):
                self.deleted.add(name)


class Resumed(Kept):
    """Uploads in pieces, which go on where the server says that they stopped."""

    def step(self):
        name, content = self.new_name(), os.urandom(self.chance.choice([100, 300_000, 1_500_000]))
        metadata = "filename " + base64.b64encode(name.encode()).decode()
        created = self.request("POST", f"{self.machine.http}/uploads/{self.name}",
                               headers=TUS | {"Upload-Length": str(len(content)), "Upload-Metadata": metadata})
        if created.status_code != 201:
            raise Wrong(f"creation: {created.status_code} {created.text}")
        upload, offset = self.machine.http + created.headers["Location"], 0
        while offset < len(content):
            offset = self.append(upload, content, offset)
        self.kept[name] = digest(content)

    def append(self, upload, content, offset):
        """Sends a piece; returns how far the upload is then, by the server's own word where the answer is lost."""
        piece = content[offset:offset + self.chance.choice([50_000, 200_000, 700_000])]
        try:
            answer = self.request("PATCH", upload, data=piece, headers=BYTES | {"Upload-Offset": str(offset)})
            if answer.status_code != 204:
                raise Wrong(f"PATCH at {offset}: {answer.status_code} {answer.text}")
            return offset + len(piece)
        except LOST:
            reached = self.reached(upload)
            if reached < offset:
                raise Wrong(f"{offset} bytes were acknowledged, {reached} are there") from None
            return reached

    def reached(self, upload):
        for _ in range(600):
            try:
                answer = self.request("HEAD", upload, headers=TUS)
            except LOST:
                time.sleep(0.05)
                continue
            if answer.status_code != 200:
                raise Wrong(f"HEAD of an upload after a death: {answer.status_code}")
            return int(answer.headers["Upload-Offset"])
        raise Wrong("the server does not come back")


class Grid(MongoLoad):
    """GridFS files, in pymongo's chunks."""

    def prepare(self):
        self.bucket = gridfs.GridFSBucket(self.database, self.name)
        self.kept, self.next = {}, 0

    def step(self):
        content, self.next = os.urandom(self.chance.randrange(1, 700_000)), self.next + 1
        self.kept[self.bucket.upload_from_stream(f"file{self.next}", content)] = digest(content)
        if self.chance.random() < 0.5:
            id, _ = self.kept.popitem()
            self.bucket.delete(id)

    def check(self):
        for id, expected in self.kept.items():
            if digest(self.bucket.open_download_stream(id).read()) != expected:
                raise Wrong(f"GridFS file {id} has other bytes")
