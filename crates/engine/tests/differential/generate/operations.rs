//! Random operations.

use super::documents::{FIELDS, replacement, scalar};
use super::filters::{PATHS, filter};
use super::indexes::direction;
use super::{Random, one_in, pick};
use value::{Document, Value, array, doc};

/// What is asked of a collection.
#[derive(Clone, Debug)]
pub enum Operation {
    Find(Find),
    Count(Find),
    Distinct {
        field: String,
        filter: Document,
    },
    /// The first stage is a `$match` of this filter.
    Pipeline {
        filter: Document,
        stages: Vec<Value>,
    },
    Write(Write),
}

impl Operation {
    /// The operation as a document, to be read.
    pub fn described(&self) -> Document {
        match self {
            Operation::Find(find) => find.described("find"),
            Operation::Count(find) => find.described("count"),
            Operation::Distinct { field, filter } => doc! {"distinct": field, "filter": (filter.clone())},
            Operation::Pipeline { filter, stages } => {
                let first = Value::Document(doc! {"$match": (filter.clone())});
                doc! {"pipeline": (std::iter::once(first).chain(stages.iter().cloned()).collect::<Value>())}
            }
            Operation::Write(write) => write.described(),
        }
    }
}

impl Find {
    fn described(&self, command: &str) -> Document {
        let mut described = Document::new().with(command, self.filter.clone());
        for (name, part) in [("sort", &self.sort), ("projection", &self.projection)] {
            if !part.is_empty() {
                described.push(name, part.clone());
            }
        }
        described.push("skip", self.skip as i64);
        described.push(
            "limit",
            self.limit.map_or(Value::Null, |limit| Value::Int64(limit as i64)),
        );
        described
    }
}

/// A find, of which a count takes filter, skip and limit.
#[derive(Clone, Debug, Default)]
pub struct Find {
    pub filter: Document,
    pub sort: Document,
    pub projection: Document,
    pub skip: u64,
    pub limit: Option<u64>,
    /// Documents in a batch.
    pub batch_size: u64,
}

/// A change of documents.
#[derive(Clone, Debug)]
pub struct Write {
    pub filter: Document,
    /// `None` deletes.
    pub update: Option<Document>,
    pub reach: Reach,
}

impl Write {
    /// The change as a document, to be read.
    pub fn described(&self) -> Document {
        let command = match (&self.update, &self.reach) {
            (_, Reach::First(_)) => "findAndModify",
            (Some(_), _) => "update",
            (None, _) => "delete",
        };
        let mut described = Document::new().with(command, self.filter.clone());
        if let Some(update) = &self.update {
            described.push("update", update.clone());
        }
        match &self.reach {
            Reach::All => described.push("all", true),
            Reach::One => {}
            Reach::First(sort) => described.push("sort", sort.clone()),
        }
        described
    }

    /// Whether the whole document is replaced.
    pub fn replaces(&self) -> bool {
        let has_operators = |update: &Document| update.iter().any(|(name, _)| name.starts_with('$'));
        self.update.as_ref().is_some_and(|update| !has_operators(update))
    }
}

/// Which of the documents that match are changed.
#[derive(Clone, Debug)]
pub enum Reach {
    All,
    One,
    /// The first of a sort, by findAndModify.
    First(Document),
}

/// An operation; few write, because each plan of these needs a collection of its own.
pub fn operation(random: &mut Random) -> Operation {
    match random.below(20) {
        0..=11 => Operation::Find(find(random)),
        12..=13 => Operation::Count(Find {
            filter: filter(random),
            skip: skip(random),
            limit: limit(random),
            ..Find::default()
        }),
        14..=15 => Operation::Distinct {
            field: pick(random, &PATHS).to_owned(),
            filter: filter(random),
        },
        16..=18 => Operation::Pipeline {
            filter: filter(random),
            stages: stages(random),
        },
        _ => Operation::Write(write(random)),
    }
}

fn find(random: &mut Random) -> Find {
    let projected = one_in(random, 3);
    Find {
        filter: filter(random),
        sort: if one_in(random, 2) {
            sort(random)
        } else {
            Document::new()
        },
        projection: if projected {
            projection(random)
        } else {
            Document::new()
        },
        // Which of equal documents are given is up to the plan: a projection may hide which they were.
        skip: if projected { 0 } else { skip(random) },
        limit: limit(random).filter(|_| !projected),
        batch_size: pick(random, &[1, 2, 5, 1000]),
    }
}

fn skip(random: &mut Random) -> u64 {
    if one_in(random, 3) { random.below(4) } else { 0 }
}

fn limit(random: &mut Random) -> Option<u64> {
    one_in(random, 3).then(|| 1 + random.below(6))
}

fn sort(random: &mut Random) -> Document {
    let mut sort = Document::new();
    for _ in 0..pick(random, &[1u32, 1, 2, 3]) {
        let path = pick(random, &PATHS);
        if !sort.contains(path) {
            sort.push(path, direction(random));
        }
    }
    sort
}

fn projection(random: &mut Random) -> Document {
    match random.below(7) {
        0 => doc! {"_id": 0, "a": 1},
        1 => doc! {"_id": 0, "a": 1, "b": 1},
        2 => doc! {"_id": 0, "c.x": 1},
        3 => doc! {"_id": 1},
        4 => doc! {"a": 0, "c.y": 0},
        5 => doc! {"u": 1, "d.x": 1, "_id": 0},
        _ => doc! {"b": 1, "c": 1},
    }
}

/// Stages behind a `$match`. What depends on the order of equal documents does not come.
fn stages(random: &mut Random) -> Vec<Value> {
    let mut stages = Vec::new();
    for _ in 0..random.below(4) {
        let field = format!("${}", pick(random, &FIELDS));
        match random.below(11) {
            0 => stages.push(doc! {"$match": (filter(random))}),
            1 => stages.push(doc! {"$project": (projection_kept(random))}),
            2 => stages.push(doc! {"$addFields": {"a": (field)}}),
            3 => stages.push(doc! {"$unwind": {"path": (field), "preserveNullAndEmptyArrays": (one_in(random, 2))}}),
            4 => stages.push(doc! {"$group": {"_id": (field), "n": {"$sum": 1}, "a": {"$min": "$u"}, "b": {"$max": "$_id"}}}),
            5 => stages.push(doc! {"$sort": {"u": 1, "_id": 1}}),
            6 => stages.push(doc! {"$sortByCount": (field)}),
            7 => {
                stages.push(doc! {"$sort": {"u": (direction(random)), "_id": 1}});
                stages.push(doc! {"$limit": (1 + random.below(5) as i32)});
                // Of equal documents any may be the last.
                return ended(stages);
            }
            8 | 9 => {
                stages.push(doc! {"$lookup": (lookup(random))});
                stages.push(doc! {"$addFields": {"joined": {"$sortArray": {"input": "$joined", "sortBy": {"_id": 1}}}}});
            }
            _ => stages.push(doc! {"$match": {(pick(random, &FIELDS)): {"$exists": true}}}),
        }
    }
    if one_in(random, 5) {
        stages.push(doc! {"$count": "n"});
    }
    stages.into_iter().map(Value::Document).collect()
}

/// A join of the collection with itself.
fn lookup(random: &mut Random) -> Document {
    let (local, foreign) = (pick(random, &PATHS), pick(random, &PATHS));
    let mut lookup = doc! {"from": "coll", "as": "joined"};
    if one_in(random, 4) {
        let operator = pick(random, &["$eq", "$lt", "$gte"]);
        let (local, foreign) = (format!("${local}"), format!("${foreign}"));
        let comparison = Document::new().with(operator, Value::Array(array![foreign, "$$local"]));
        lookup.push("let", doc! {"local": local});
        lookup.push("pipeline", array![{"$match": {"$expr": comparison}}]);
        return lookup;
    }
    lookup.push("localField", local);
    lookup.push("foreignField", foreign);
    if one_in(random, 3) {
        lookup.push("pipeline", array![{"$match": (filter(random))}]);
    }
    lookup
}

/// A limit shows only how many there are where documents may have become equal.
fn ended(stages: Vec<Document>) -> Vec<Value> {
    let mut stages: Vec<Value> = stages.into_iter().map(Value::Document).collect();
    stages.extend(array![{"$count": "n"}]);
    stages
}

fn projection_kept(random: &mut Random) -> Document {
    match random.below(3) {
        0 => doc! {"a": 1, "u": 1, "c.x": 1},
        1 => doc! {"b": 0, "d.x": 0},
        _ => doc! {"u": 1, "a": "$b", "d": 1},
    }
}

/// A change of documents.
pub fn write(random: &mut Random) -> Write {
    Write {
        filter: filter(random),
        update: (!one_in(random, 4)).then(|| update(random)),
        reach: match random.below(4) {
            0 => Reach::One,
            1 => Reach::First(sort(random)),
            _ => Reach::All,
        },
    }
}

fn update(random: &mut Random) -> Document {
    let path = pick(random, &["a", "b", "c", "d", "c.x", "d.y", "d.x.x"]);
    let (operator, operand) = match random.below(12) {
        0..=1 => ("$set", super::documents::value(random)),
        2 => ("$unset", Value::from("")),
        3..=4 => ("$inc", Value::Int32(1 + random.below(3) as i32)),
        5 => ("$min", scalar(random)),
        6 => ("$max", scalar(random)),
        7 => ("$push", scalar(random)),
        8 => ("$addToSet", scalar(random)),
        9 => ("$pull", Value::Int32(random.below(5) as i32)),
        10 => ("$pop", Value::Int32(1)),
        _ => return replacement(random),
    };
    Document::new().with(operator, Value::Document(Document::new().with(path, operand)))
}
