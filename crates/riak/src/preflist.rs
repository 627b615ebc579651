//! Where the copies of an object are: a ring of partitions, all of them on the one node that is there.

use crate::names::Bucket;
use crate::stats::node_name;
use std::hash::Hasher;

/// The partitions of the ring.
pub(crate) const PARTITIONS: u64 = 64;

/// One copy's place.
#[derive(Clone, Debug)]
pub(crate) struct CopyPlace {
    pub(crate) partition: i64,
    pub(crate) node: String,
}

/// The places of an object's copies.
pub(crate) fn of(bucket: &Bucket, key: &[u8], copies: u64) -> Vec<CopyPlace> {
    // Any hash that is the same each time will do.
    #[allow(
        deprecated,
        reason = "it is the one of the standard library without a random seed"
    )]
    let mut hasher = std::hash::SipHasher::new();
    for part in [&bucket.kind, &bucket.name, key] {
        hasher.write(part);
        hasher.write_u8(0);
    }
    let first = hasher.finish() % PARTITIONS;
    let place = |nth: u64| CopyPlace {
        partition: ((first + nth) % PARTITIONS) as i64,
        node: node_name(),
    };
    (0..copies.min(PARTITIONS)).map(place).collect()
}
