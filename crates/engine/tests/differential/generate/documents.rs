//! Random documents of all types, with nested arrays and documents.

use super::{Random, one_in, pick};
use value::{Binary, Document, ObjectId, Regex, Timestamp, Value, doc};

/// The fields at the top of a document that queries ask for.
pub const FIELDS: [&str; 4] = ["a", "b", "c", "d"];
/// The fields of embedded documents.
pub const INNER: [&str; 3] = ["x", "y", "z"];

/// The documents of a collection at most; a prime number, so that multiples of another run through all below it.
const COUNT_MAX: u64 = 151;

/// Documents of increasing `_id`; `u` tells each from all others.
pub fn documents(random: &mut Random) -> Vec<Document> {
    // Mostly few; now and then so many that plans run against each other for a while.
    let most = if one_in(random, 15) { COUNT_MAX } else { 24 };
    let (count, style) = (random.below(most) as i32, Style::any(random));
    let one = |id: i32| {
        let mut document = doc! {"_id": id, "u": (id * 7 % COUNT_MAX as i32)};
        fill(random, &style, &mut document);
        document
    };
    (0..count).map(one).collect()
}

/// What a replacement puts into a document.
pub fn replacement(random: &mut Random) -> Document {
    // Another `u` than those of all documents.
    let mut document = doc! {"u": (1000 + random.below(1 << 20) as i32)};
    let style = Style::any(random);
    fill(random, &style, &mut document);
    document
}

/// What the documents of a collection have in common: without arrays indexes are read in other ways.
struct Style {
    arrays: bool,
    scalars: bool,
}

impl Style {
    fn any(random: &mut Random) -> Style {
        Style {
            arrays: one_in(random, 2),
            scalars: one_in(random, 4),
        }
    }
}

fn fill(random: &mut Random, style: &Style, document: &mut Document) {
    for name in FIELDS {
        if !one_in(random, 4) {
            let deep = matches!(name, "c" | "d") && !style.scalars;
            document.push(name, value_of(random, style, if deep { 3 } else { 1 }));
        }
    }
}

fn value_of(random: &mut Random, style: &Style, depth: u32) -> Value {
    match random.below(if style.scalars || depth == 0 { 8 } else { 16 }) {
        0..=7 => scalar(random),
        8..=11 => {
            let mut inner = Document::new();
            for name in INNER {
                if one_in(random, 2) {
                    inner.push(name, value_of(random, style, depth - 1));
                }
            }
            Value::Document(inner)
        }
        _ if style.arrays => (0..random.below(4))
            .map(|_| value_of(random, style, depth - 1))
            .collect(),
        _ => scalar(random),
    }
}

/// A value to compare with: of the kinds that documents have.
pub fn value(random: &mut Random) -> Value {
    let style = Style {
        arrays: true,
        scalars: false,
    };
    value_of(random, &style, 1)
}

/// A value that is neither document nor array.
pub fn scalar(random: &mut Random) -> Value {
    match random.below(30) {
        0..=11 => Value::Int32(random.below(6) as i32),
        12..=13 => Value::Int64(random.below(6) as i64 - 1),
        14..=15 => Value::Double(random.below(12) as f64 / 2.0),
        16 => Value::Decimal128(
            pick(random, &["1.5", "2", "-3.25", "4"])
                .parse()
                .expect("a decimal"),
        ),
        17 => Value::Double(pick(random, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0])),
        18..=22 => Value::from(pick(random, &["", "a", "ab", "abc", "b", "ba", "Ab", "\u{e9}"])),
        23..=24 => Value::Null,
        25 => Value::Bool(one_in(random, 2)),
        26 => Value::DateTime(random.below(4) as i64 * 1000 - 1000),
        27 => Value::ObjectId(ObjectId::from_bytes([random.below(3) as u8; 12])),
        28 => Value::Binary(Binary {
            subtype: pick(random, &[0, 4]),
            bytes: vec![1; random.below(3) as usize],
        }),
        _ => pick(
            random,
            &[
                Value::Timestamp(Timestamp {
                    seconds: 1,
                    increment: 2,
                }),
                Value::Regex(Regex {
                    pattern: "^a".to_owned(),
                    options: String::new(),
                }),
                Value::MinKey,
                Value::MaxKey,
            ],
        ),
    }
}
