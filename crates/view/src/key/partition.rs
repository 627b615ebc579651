//! The part of a key that says which partition a row is of.
//!
//! In partitioned views the partition's name and a colon stand before the encoded key, as CouchDB's `{p, Partition,
//! Key}` (`couch_mrview_updater:inject_partition`). No partition's name has a colon, so the rows of one are one range.

use bytes::Bytes;

/// What the keys of a partition's rows begin with.
pub fn partition_start(name: &str) -> Bytes {
    let mut key = Vec::with_capacity(name.len() + 1);
    store::put_partition(name, &mut key);
    key.into()
}

/// After the keys of all of a partition's rows, and before those of others.
pub fn partition_end(name: &str) -> Bytes {
    [name.as_bytes(), &[store::PARTITION_BEHIND as u8]]
        .concat()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_partition_are_one_range() {
        let row = |partition, key: &[u8]| [&partition_start(partition), key].concat();
        let (start, end) = (partition_start("ab"), partition_end("ab"));
        for key in [&[][..], &[0], &[0xFF, 0xFF]] {
            assert!(row("ab", key) >= start && row("ab", key) < end);
        }
        for other in ["a", "ab!", "ab;", "abc", "b", "ab\u{10FFFF}"] {
            for key in [&[][..], &[0xFF]] {
                assert!(row(other, key) < start || row(other, key) >= end, "{other}");
            }
        }
    }
}
