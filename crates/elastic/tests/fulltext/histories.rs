//! Generates random writes.

use engine::{Edit, EditOrigin, RevisionHash, RevisionPath};
use serde_json::{Value, json};
use testing::Random;
use value::{DocumentBuf, doc};

/// The ids written so far.
#[derive(Debug, Default)]
pub struct History {
    next: u64,
}

pub const WORDS: [&str; 12] = [
    "error", "warn", "disk", "full", "the", "quick", "fox", "Fox", "retry", "line", "5", "naïve",
];
pub const LEVELS: [&str; 4] = ["info", "warn", "error", "deep.level"];

pub fn word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len() as u64) as usize]
}

pub fn text(random: &mut Random) -> String {
    let count = random.below(6);
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

pub fn level(random: &mut Random) -> &'static str {
    LEVELS[random.below(4) as usize]
}

/// A time in a few hours, often one that others have too.
pub fn time(random: &mut Random) -> i64 {
    1_600_000_000_000 + random.below(40) as i64 * 360_000
}

impl History {
    /// Revisions of existing documents from other stores: if one wins, the document changes without a greater number.
    pub fn branches(&mut self, random: &mut Random) -> Vec<Edit> {
        let mut edits = Vec::new();
        for _ in 0..random.below(8) {
            let id = random.below(self.next.max(1)).to_string();
            let path = RevisionPath {
                generation: 1 + random.below(2),
                hashes: vec![RevisionHash::parse(&format!("{:032x}", random.below(u64::MAX)))],
            };
            let deleted = random.below(4) == 0;
            let document = match deleted {
                true => doc! {"_id": id},
                false => {
                    doc! {"_id": id, "message": text(random), "level": level(random), "size": random.below(20) as i64}
                }
            };
            edits.push(Edit {
                document: DocumentBuf::from(&document),
                deleted,
                origin: EditOrigin::Given(path),
            });
        }
        edits
    }

    /// A bulk request: mostly inserts, some changes and deletes of existing documents.
    pub fn writes(&mut self, random: &mut Random) -> String {
        let mut lines = String::new();
        let mut push = |value: &Value| {
            lines.push_str(&value.to_string());
            lines.push('\n');
        };
        if random.below(4) == 0 {
            // Documents without an id are inserted without reading existing ones.
            for _ in 0..random.below(100) + 20 {
                push(&json!({"create": {"_index": "lines"}}));
                push(&document(random));
            }
        }
        for _ in 0..random.below(150) + 20 {
            let is_new = self.next == 0 || random.below(10) < 6;
            let id = match is_new {
                true => self.next,
                false => random.below(self.next),
            };
            self.next = self.next.max(id + 1);
            let head = json!({"_index": "lines", "_id": id.to_string()});
            if !is_new && random.below(3) == 0 {
                push(&json!({"delete": head}));
            } else {
                push(&json!({"index": head}));
                push(&document(random));
            }
        }
        lines
    }
}

/// A vector of small numbers, so that distances are often equal.
pub fn vector(random: &mut Random) -> [u64; 3] {
    std::array::from_fn(|_| 1 + random.below(4))
}

/// For zeros too.
fn sign(random: &mut Random) -> f64 {
    [1.0, -1.0][random.below(2) as usize]
}

fn document(random: &mut Random) -> Value {
    let mut document = json!({"message": text(random), "level": level(random), "size": random.below(20)});
    if random.below(10) > 0 {
        document["@timestamp"] = json!(time(random));
    }
    if random.below(3) == 0 {
        document["labels"] = json!({"app": word(random), "at": {"zone": [level(random), random.below(3)]}});
    }
    if random.below(4) > 0 {
        document["vector"] = json!(vector(random));
    }
    match random.below(8) {
        0 => document["message"] = json!([text(random), text(random)]),
        1 => document["size"] = json!([random.below(20), -1]),
        2 => document["late"] = json!(word(random)),
        3 => {
            document["host"] =
                json!({"name": word(random), "up": [random.below(2) == 0, random.below(2) == 0]});
        }
        4 => document["ratio"] = json!((random.below(9) as f64 / 4.0 - 1.0) * sign(random)),
        5 => document["level"] = json!(null),
        6 => document["level"] = json!([level(random), level(random)]),
        7 => {
            document["tags"] = json!([level(random), level(random), level(random)]);
            document["large"] = json!(u64::MAX - random.below(3) * (1 << 62));
        }
        _ => {}
    }
    document
}
