//! The rows of a leaf, decoded column by column: a row is made only where one is asked for.

use super::columns::shared_and_rests;
use super::row::{Position, Row};
use bytes::Bytes;
use std::ops::Range;
use value::varint;

/// No column of a page comes near; a larger one is damage.
const COLUMN_BYTES_MAX: usize = 1 << 30;

/// The rows of a leaf, in order.
#[derive(Clone, Debug)]
pub struct LeafRows {
    sort_keys: Cells,
    ids: Cells,
    emissions: Vec<u32>,
    keys: Cells,
    values: Cells,
}

/// The entries of one column, whole, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    bytes: Bytes,
    ends: Vec<u32>,
}

impl LeafRows {
    /// Takes the columns off the front of what stands after the number of rows in a leaf; `None` if the bytes do not have the
    /// form of them.
    pub(super) fn take(rest: &mut &[u8], count: usize) -> Option<LeafRows> {
        let sort_keys = Cells::take(rest, count)?;
        let ids = Cells::take(rest, count)?;
        let emissions = (0..count).map(|_| u32::try_from(varint::take(rest)?).ok());
        Some(LeafRows {
            sort_keys,
            ids,
            emissions: emissions.collect::<Option<_>>()?,
            keys: Cells::take(rest, count)?,
            values: Cells::take(rest, count)?,
        })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.emissions.len()
    }

    /// About how many bytes it takes in memory.
    pub fn size_bytes(&self) -> usize {
        let cells = [&self.sort_keys, &self.ids, &self.keys, &self.values];
        let bytes: usize = cells.map(Cells::size_bytes).iter().sum();
        bytes + size_of_val(&*self.emissions)
    }

    /// How many rows are before a place.
    pub fn rank(&self, place: &Position) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.is_before(middle, place) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    fn is_before(&self, at: usize, place: &Position) -> bool {
        let own = (self.sort_keys.get(at), self.ids.get(at), self.emissions[at]);
        own < (&place.sort_key, &place.id, place.emission)
    }

    /// The row at a place.
    pub fn find(&self, place: &Position) -> Option<Row> {
        let at = self.rank(place);
        let row = (at < self.len()).then(|| self.row(at))?;
        (row.position == *place).then_some(row)
    }

    /// The rows of a range of ranks, which ends at [`LeafRows::len`] at most.
    pub fn rows(&self, ranks: Range<usize>) -> impl DoubleEndedIterator<Item = Row> {
        ranks.map(|at| self.row(at))
    }

    fn row(&self, at: usize) -> Row {
        Row {
            position: Position {
                sort_key: self.sort_keys.slice(at),
                id: self.ids.slice(at),
                emission: self.emissions[at],
            },
            key: self.keys.slice(at),
            value: self.values.slice(at),
        }
    }
}

impl Cells {
    /// Takes a column off the front: for each entry how many bytes it begins with of the one before it; then the sizes of the
    /// rests; then the rests.
    pub(super) fn take(rest: &mut &[u8], count: usize) -> Option<Cells> {
        let (shared, sizes) = shared_and_rests(rest, count)?;
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(count);
        let mut before = 0;
        for (shared, size) in shared.into_iter().zip(sizes) {
            let start = bytes.len();
            let shared = before..before + shared as usize;
            if shared.end > start || start > COLUMN_BYTES_MAX {
                return None;
            }
            bytes.extend_from_within(shared);
            let (own, behind) = rest.split_at_checked(size as usize)?;
            bytes.extend_from_slice(own);
            *rest = behind;
            ends.push(u32::try_from(bytes.len()).ok()?);
            before = start;
        }
        bytes.shrink_to_fit();
        Some(Cells {
            bytes: bytes.into(),
            ends,
        })
    }

    /// All entries.
    pub(super) fn all(&self) -> impl Iterator<Item = Bytes> {
        (0..self.ends.len()).map(|at| self.slice(at))
    }

    fn range(&self, at: usize) -> Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        start..self.ends[at] as usize
    }

    fn get(&self, at: usize) -> &[u8] {
        &self.bytes[self.range(at)]
    }

    fn slice(&self, at: usize) -> Bytes {
        self.bytes.slice(self.range(at))
    }

    fn size_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.ends)
    }
}
