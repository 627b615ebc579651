//! Which shard of an index a document is on.

use crate::murmur::murmur3;
use crate::shard_counts::Counts;
use serde_json::{Map, Value};

/// The binary digits of the number of parts that shards are made of, where settings do not say it.
const PARTS_BITS: u32 = 10;

/// The shards of an index, as its settings have them.
#[derive(Clone, Copy, Debug)]
pub struct Shards {
    count: u32,
    /// The parts that shards are made of, so that they can be split later.
    parts: u32,
}

impl Shards {
    /// Reads them from settings.
    pub fn of(settings: &Map<String, Value>) -> Shards {
        let Counts {
            shards,
            routing_shards,
            ..
        } = Counts::of(settings);
        let parts = routing_shards.unwrap_or_else(|| usual_parts(shards));
        Shards {
            count: shards,
            parts: parts.max(shards),
        }
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The parts that all of them together are made of.
    pub fn parts(self) -> u32 {
        self.parts
    }

    /// The shard of a document, by its routing or else by its id.
    pub fn shard(self, text: &str) -> u32 {
        let part = i64::from(hash(text).cast_signed()).rem_euclid(i64::from(self.parts)) as u32;
        part / (self.parts / self.count)
    }
}

/// The parts that so many shards are made of, where settings do not say it.
pub fn usual_parts(shards: u32) -> u32 {
    let bits = u32::BITS - shards.saturating_sub(1).leading_zeros();
    shards << PARTS_BITS.saturating_sub(bits).max(1)
}

/// The hash by which Elasticsearch places a routing.
fn hash(text: &str) -> u32 {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    murmur3(&bytes, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_have_the_hashes_that_elasticsearch_gives_them() {
        for (text, expected) in [
            ("hell", 0x5a0c_b7c3),
            ("hello", 0xd7c3_1989),
            ("hello w", 0x22ab_2984),
            ("The quick brown fox jumps over the lazy dog", 0xe07d_b09c),
        ] {
            assert_eq!(hash(text), expected, "{text}");
        }
    }

    #[test]
    fn documents_are_on_one_of_the_shards() {
        let settings = json!({"number_of_shards": "5"});
        let five = Shards::of(settings.as_object().expect("an object"));
        assert!((0..20).all(|n| five.shard(&n.to_string()) < five.count()));
        assert_eq!(Shards::of(&Map::new()).shard("a"), 0);
    }
}
