//! Where the copies of an object are: a ring of partitions, all of them on the one node that is there.

use crate::names::Bucket;
use crate::stats::node_name;
use sha1::{Digest, Sha1};

/// The partitions of the ring.
pub(crate) const PARTITIONS: u64 = 64;

/// The tags of Erlang's external term format.
const VERSION: u8 = 131;
const TUPLE: u8 = 104;
const BINARY: u8 = 109;

/// One copy's place.
#[derive(Clone, Debug)]
pub(crate) struct CopyPlace {
    pub(crate) partition: i64,
    pub(crate) node: String,
}

/// The places of an object's copies.
pub(crate) fn of(bucket: &Bucket, key: &[u8], copies: u64) -> Vec<CopyPlace> {
    let first = first(bucket, key);
    let place = |nth: u64| CopyPlace {
        partition: ((first + nth) % PARTITIONS) as i64,
        node: node_name(),
    };
    (0..copies.min(PARTITIONS)).map(place).collect()
}

/// The partition of the first copy, which is the one after the place of the object's hash on the ring: the SHA-1 of bucket and
/// key as an Erlang term (`chash:key_of`), of which six bits choose among the partitions.
fn first(bucket: &Bucket, key: &[u8]) -> u64 {
    let mut hash = Sha1::new();
    hash.update([VERSION, TUPLE, 2]);
    if !bucket.is_default_type() {
        hash.update([TUPLE, 2]);
        add(&mut hash, &bucket.kind);
    }
    add(&mut hash, &bucket.name);
    add(&mut hash, key);
    let place = hash.finalize().first().map_or(0, |&byte| u64::from(byte >> 2));
    (place + 1) % PARTITIONS
}

/// Adds a binary as a term. Names and keys have lengths of less than 32 bits.
fn add(hash: &mut Sha1, bytes: &[u8]) {
    hash.update([BINARY]);
    hash.update((bytes.len() as u32).to_be_bytes());
    hash.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The partitions that a node of Riak with a ring of 64 names.
    #[test]
    fn copies_are_where_riak_has_them() {
        let partitions = |kind: Option<&[u8]>, bucket: &[u8], key: &[u8]| -> Vec<i64> {
            let bucket = Bucket::new(kind, bucket).unwrap();
            of(&bucket, key, 3).iter().map(|place| place.partition).collect()
        };
        assert_eq!(partitions(None, b"b", b"f"), [52, 53, 54]);
        assert_eq!(partitions(Some(b"plain"), b"b", b"f"), [57, 58, 59]);
    }
}
