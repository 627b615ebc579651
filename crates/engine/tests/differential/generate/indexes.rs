//! Random indexes of all kinds that queries use.

use super::filters::PATHS;
use super::{Random, one_in, pick};
use value::{Document, Value, doc};

/// Specifications of some indexes, as `createIndexes` takes them.
pub fn indexes(random: &mut Random) -> Vec<Document> {
    (0..random.below(5))
        .map(|number| {
            let mut spec = index(random);
            spec.push("name", format!("index_{number}"));
            spec
        })
        .collect()
}

fn index(random: &mut Random) -> Document {
    match random.below(12) {
        0..=3 => wildcard(random),
        4 => doc! {"key": (Document::new().with(pick(random, &["a", "b", "c.x"]), "hashed"))},
        5 => doc! {"key": (unique_key(random)), "unique": true},
        _ => {
            let mut spec = doc! {"key": (key(random))};
            if one_in(random, 4) {
                spec.push("sparse", true);
            } else if one_in(random, 4) {
                spec.push("partialFilterExpression", partial(random));
            }
            spec
        }
    }
}

fn key(random: &mut Random) -> Document {
    let mut key = Document::new();
    for _ in 0..pick(random, &[1u32, 1, 2, 2, 3]) {
        let path = pick(random, &PATHS);
        // The index on _id alone exists already.
        let is_taken = key.contains(path) || key.is_empty() && path == "_id";
        if !is_taken {
            key.push(path, direction(random));
        }
    }
    if key.is_empty() {
        key.push("a", 1);
    }
    key
}

/// No two documents have the same `u`.
fn unique_key(random: &mut Random) -> Document {
    match random.below(3) {
        0 => doc! {"u": (direction(random))},
        1 => doc! {"u": 1, (pick(random, &["a", "c.x"])): (direction(random))},
        _ => doc! {(pick(random, &["b", "d"])): (direction(random)), "u": 1},
    }
}

pub fn direction(random: &mut Random) -> i32 {
    if one_in(random, 3) { -1 } else { 1 }
}

fn partial(random: &mut Random) -> Document {
    match random.below(6) {
        0 => doc! {"a": {"$gt": 2}},
        1 => doc! {"b": {"$exists": true}},
        2 => doc! {"a": {"$gte": 1}, "b": {"$lte": 3}},
        3 => doc! {"c.x": {"$type": "number"}},
        4 => doc! {"$or": [{"a": 1}, {"b": {"$in": [1, 2]}}]},
        _ => doc! {"c": {"$exists": true}, "d": {"$exists": true}},
    }
}

/// One on everything, on one field, with a projection, or compound.
fn wildcard(random: &mut Random) -> Document {
    let direction = direction(random);
    match random.below(8) {
        0 => doc! {"key": {"c.$**": direction}},
        1 => doc! {"key": {"$**": direction}, "wildcardProjection": {"a": 1, "c.x": 1}},
        2 => doc! {"key": {"$**": direction}, "wildcardProjection": {"b": 0, "d.x": 0}},
        3 => doc! {"key": {"a": 1, "$**": direction}, "wildcardProjection": {"a": 0}},
        4 => doc! {"key": {"c.$**": direction, "a": -1}},
        5 => doc! {"key": {"b": 1, "d.$**": direction, "a": 1}},
        6 => doc! {"key": {"$**": direction}, "wildcardProjection": {"_id": 1, "u": 0}},
        _ => doc! {"key": {"$**": direction}},
    }
}

/// Whether one of its fields is a wildcard.
pub fn is_wildcard(index: &Document) -> bool {
    match index.get("key") {
        Some(Value::Document(key)) => key.iter().any(|(path, _)| path.contains("$**")),
        other => panic!("an index without a key: {other:?}"),
    }
}
