//! The layout of shards in the single keyspace of the engine.
//!
//! A key is the shard's prefix followed by the caller's key. The prefix is one byte, the number of bytes of the shard's
//! number, and then these bytes (big-endian, no leading zeros). No prefix begins another, and most take two
//! bytes. The head's key is the prefix and [`HEAD_KEY`], below all of the caller's keys. Our own entries begin with
//! [`OWN_PREFIX`].

use crate::{Error, FIRST_KEY_BYTE, Head, KeyRange, ShardId, after_prefix};
use bytes::Bytes;
use std::ops::Bound;

/// The head's key in its shard.
const HEAD_KEY: u8 = 0x00;

/// The first byte of our own entries. No shard's prefix begins with it.
const OWN_PREFIX: u8 = 0x09;

/// The key of one of our own entries of a kind.
pub(super) fn own_key(kind: u8, key: &[u8]) -> Vec<u8> {
    [&[OWN_PREFIX, kind], key].concat()
}

/// The range of our own keys of a kind: the first key, and the first key after it.
pub(super) fn own_range(kind: u8) -> (Vec<u8>, Vec<u8>) {
    (vec![OWN_PREFIX, kind], vec![OWN_PREFIX, kind + 1])
}

/// The shard of a key of the engine; `None` for our own entries.
pub(super) fn shard_of(key: &[u8]) -> Option<ShardId> {
    let (&bytes, rest) = key.split_first()?;
    let number = rest.get(..usize::from(bytes))?;
    let fold = |shard, byte: &u8| shard << 8 | u64::from(*byte);
    (bytes < OWN_PREFIX).then(|| ShardId(number.iter().fold(0, fold)))
}

/// A shard's part of the keyspace.
#[derive(Clone, Debug)]
pub(super) struct ShardKeys {
    prefix: Vec<u8>,
}

impl ShardKeys {
    pub(super) fn new(shard: ShardId) -> ShardKeys {
        let number = shard.0.to_be_bytes();
        let leading = (shard.0.leading_zeros() / 8) as usize;
        let mut prefix = Vec::with_capacity(9);
        prefix.push((8 - leading) as u8);
        prefix.extend_from_slice(&number[leading..]);
        ShardKeys { prefix }
    }

    /// The size of the prefix, to be cut from what is read.
    pub(super) fn prefix_bytes(&self) -> usize {
        self.prefix.len()
    }

    /// The key of the head.
    pub(super) fn head(&self) -> Vec<u8> {
        self.key(&[HEAD_KEY])
    }

    /// A key of the caller.
    pub(super) fn key(&self, key: &[u8]) -> Vec<u8> {
        [&self.prefix, key].concat()
    }

    /// Puts a key of the caller into a buffer that is used again for many keys.
    pub(super) fn key_into(&self, key: &[u8], buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(&self.prefix);
        buffer.extend_from_slice(key);
    }

    /// The range of the whole shard with its head: the first key, and the first key after it.
    pub(super) fn all(&self) -> (Vec<u8>, Vec<u8>) {
        (self.prefix.clone(), self.end())
    }

    /// A range of the caller's keys: the first key, and the first key after it. It never holds the head.
    pub(super) fn range(&self, range: &KeyRange) -> (Vec<u8>, Vec<u8>) {
        let first = self.key(&[FIRST_KEY_BYTE]);
        let low = match &range.low {
            Bound::Included(key) => self.key(key).max(first),
            Bound::Excluded(key) => self.key(&behind(key)).max(first),
            Bound::Unbounded => first,
        };
        let high = match &range.high {
            Bound::Included(key) => self.key(&behind(key)),
            Bound::Excluded(key) => self.key(key),
            Bound::Unbounded => self.end(),
        };
        (low, high)
    }

    /// The first key after the shard.
    fn end(&self) -> Vec<u8> {
        // The first byte is at most 8, so there is one.
        after_prefix(self.prefix.clone()).unwrap_or_default()
    }
}

/// The smallest key that is greater.
fn behind(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// The bytes of a head: its sequence, 8 bytes big-endian, then the caller's state.
pub(super) fn encode_head(head: &Head) -> Vec<u8> {
    [&head.sequence.to_be_bytes(), head.state.as_ref()].concat()
}

/// Reads what [`encode_head`] wrote.
pub(super) fn decode_head(bytes: &[u8]) -> Result<Head, Error> {
    let Some((sequence, state)) = bytes.split_first_chunk() else {
        return Err(Error::Corrupt(format!("a head of {} bytes", bytes.len())));
    };
    Ok(Head {
        sequence: u64::from_be_bytes(*sequence),
        state: Bytes::copy_from_slice(state),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [u64; 9] = [0, 1, 0xFE, 0xFF, 0x100, 0xFFFF, 0x1_0000, u64::MAX - 1, u64::MAX];

    #[test]
    fn no_key_of_a_shard_lies_in_another() {
        for shard in NUMBERS {
            let (start, end) = ShardKeys::new(ShardId(shard)).all();
            for other in NUMBERS {
                for key in [&[0x00][..], &[0x01], &[0x10, 0xFF], &[0xFF; 20]] {
                    let key = ShardKeys::new(ShardId(other)).key(key);
                    assert_eq!(
                        start <= key && key < end,
                        shard == other,
                        "{shard} {other} {key:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_key_tells_its_shard() {
        for shard in NUMBERS {
            let key = ShardKeys::new(ShardId(shard)).key(&[0x10, 0xFF]);
            assert_eq!(shard_of(&key), Some(ShardId(shard)));
        }
        assert_eq!(shard_of(&own_key(1, &[])), None);
    }

    #[test]
    fn a_range_never_holds_the_head() {
        let keys = ShardKeys::new(ShardId(7));
        for low in [Bound::Unbounded, Bound::Included(vec![]), Bound::Excluded(vec![])] {
            let (first, behind) = keys.range(&KeyRange {
                low,
                high: Bound::Unbounded,
            });
            assert!(first > keys.head() && behind > keys.key(&[0xFF; 9]));
        }
    }

    #[test]
    fn a_head_reads_back() {
        let head = Head {
            sequence: 300,
            state: Bytes::from_static(b"counts"),
        };
        assert_eq!(decode_head(&encode_head(&head)).unwrap(), head);
        assert!(matches!(decode_head(&[1, 2]), Err(Error::Corrupt(_))));
    }
}
