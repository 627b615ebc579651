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

test("a schema defines its search indexes, and a model searches by them", async () => {
  const schema = new mongoose.Schema({ title: String, year: Number });
  schema.searchIndex({ name: "films", definition: { mappings: { dynamic: true } } });
  const Film = mongoose.model("Film", schema);
  await Film.createCollection();
  await Film.createSearchIndexes();
  await Film.create([{ title: "The River Wild", year: 1994 }, { title: "Mystic Harbour", year: 2003 }]);
  const [index] = await Film.listSearchIndexes();
  assert.equal(index.name, "films");
  const found = await Film.aggregate().search({ index: "films", text: { query: "river", path: "title" } });
  assert.deepEqual(found.map((film) => film.year), [1994]);
  await Film.dropSearchIndex("films");
  assert.deepEqual(await Film.listSearchIndexes(), []);
});
