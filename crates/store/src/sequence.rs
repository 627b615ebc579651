//! Positions in the change log.

use crate::RecordId;
use std::fmt;
use std::str::FromStr;
use value::varint;

/// A position in a collection's change log: after one change, before the next.
///
/// A follower of the log keeps the position that it has reached, and asks for the changes after it. Positions are ordered and
/// otherwise opaque: no caller counts with them or makes one, so that a collection of several shards could have a number for
/// each shard, and its followers would stay as they are. For the same reason it is not `Copy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(u64);

impl Sequence {
    /// Before the first change.
    pub const START: Sequence = Sequence(0);
    /// After every change that can come.
    pub const END: Sequence = Sequence(u64::MAX);

    /// The position after the change with this number.
    pub(crate) fn after_change(number: u64) -> Sequence {
        Sequence(number)
    }

    /// The number of the change before it.
    pub(crate) fn number(&self) -> u64 {
        self.0
    }

    /// How many changes were numbered between an earlier position and this one; 0 if it is not earlier. The log may
    /// name fewer, since it names each document once.
    pub fn changes_since(&self, earlier: &Sequence) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The position after the change that inserted a record.
    pub fn after_insert_of(record: RecordId) -> Sequence {
        Sequence(record.0)
    }

    /// Whether a record was inserted before this position.
    pub fn is_after_insert_of(&self, record: RecordId) -> bool {
        record.0 <= self.0
    }

    /// Appends its bytes, for those who keep a position.
    pub fn encode(&self, out: &mut Vec<u8>) {
        varint::put(self.0, out);
    }

    /// Takes the bytes that [`Sequence::encode`] wrote; `None` if they are cut off.
    pub fn decode(bytes: &mut &[u8]) -> Option<Sequence> {
        varint::take(bytes).map(Sequence)
    }
}

/// The text for clients, which [`Sequence::from_str`] reads again.
impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The text is not one that a position has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position in a change log")]
pub struct InvalidSequence;

impl FromStr for Sequence {
    type Err = InvalidSequence;

    fn from_str(text: &str) -> Result<Sequence, InvalidSequence> {
        text.parse().map(Sequence).map_err(|_| InvalidSequence)
    }
}
