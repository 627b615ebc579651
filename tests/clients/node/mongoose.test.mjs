import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import mongoose from "mongoose";
import { startServer } from "./server.mjs";

let server;

before(async () => {
  server = await startServer();
  await mongoose.connect(server.uri, { dbName: "goose" });
});

after(async () => {
  await mongoose.disconnect();
  await server?.stop();
});

test("a model is validated, indexed, saved, populated and updated", async () => {
  const Author = mongoose.model("Author", new mongoose.Schema({ name: { type: String, required: true, unique: true } }));
  const Book = mongoose.model("Book", new mongoose.Schema(
    { title: String, tags: [String], author: { type: mongoose.Schema.Types.ObjectId, ref: "Author" } },
    { timestamps: true },
  ));
  await Author.init();
  const author = await Author.create({ name: "Tove" });
  await assert.rejects(Author.create({ name: "Tove" }), { code: 11000 });
  await assert.rejects(Author.create({}), mongoose.Error.ValidationError);
  await Book.create([{ title: "Comet", tags: ["moomin"], author }, { title: "Winter", tags: ["moomin", "snow"], author }]);
  const found = await Book.findOne({ tags: "snow" }).populate("author");
  assert.equal(found.author.name, "Tove");
  found.tags.push("sea");
  await found.save();
  assert.equal(await Book.countDocuments({ tags: "sea" }), 1);
  assert.equal((await Book.updateMany({}, { $addToSet: { tags: "classic" } })).modifiedCount, 2);
});
