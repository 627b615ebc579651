//! Counts and sums by key, in an order in which memory is quick.

use anyhow::{Context, Result};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

/// A short key is stored in the table itself, without an allocation.
const SHORT_KEY_BYTES_MAX: usize = 15;

/// Lines that are added together.
const PENDING_MAX: usize = 256;

/// Rows of a new table; a power of two, as those of all tables.
const ROWS_MIN: usize = 1024;

/// The text of a key, in words: up to 15 bytes, then how many.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ShortKey([u64; 2]);

impl ShortKey {
    /// Marks an entry without a key. The empty key, which would look the same, does not count as short.
    const NONE: ShortKey = ShortKey([0, 0]);

    fn of(text: &[u8]) -> Option<ShortKey> {
        if text.is_empty() || text.len() > SHORT_KEY_BYTES_MAX {
            return None;
        }
        let mut bytes = [0; SHORT_KEY_BYTES_MAX + 1];
        bytes[..text.len()].copy_from_slice(text);
        bytes[SHORT_KEY_BYTES_MAX] = text.len() as u8;
        let whole = u128::from_le_bytes(bytes);
        Some(ShortKey([whole as u64, (whole >> 64) as u64]))
    }

    /// The key that a row of the table begins with.
    fn in_row(row: &[i64]) -> ShortKey {
        ShortKey([row[0].cast_unsigned(), row[1].cast_unsigned()])
    }

    fn text(self) -> Vec<u8> {
        let [low, high] = self.0;
        let bytes = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        bytes[..usize::from(bytes[SHORT_KEY_BYTES_MAX])].to_vec()
    }
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
        state.write_u64(self.0[1]);
    }
}

/// For each key how many lines have it, and the sums of their amounts.
///
/// The table is larger than the processor's caches, so that to find a row waits for memory. Keys therefore wait until
/// some are together ([`PENDING_MAX`]): in short loops that do nothing else the processor waits for several rows at a
/// time; between the long work of taking lines apart it would wait for each.
pub struct Tally {
    table: Table,
    /// Those of keys that are not short.
    long: HashMap<Box<[u8]>, Box<[i64]>>,
    pending: Vec<Pending>,
    /// For each pending key its amounts.
    amounts: Vec<i64>,
    sums: usize,
}

/// A key that was not added yet.
struct Pending {
    key: ShortKey,
    hash: u64,
    /// Whether its row is the first one that it may have.
    is_first: bool,
}

impl Tally {
    /// A tally with a number of sums for each key.
    pub fn new(sums: usize) -> Tally {
        Tally {
            table: Table::new(sums + 1),
            long: HashMap::new(),
            pending: Vec::with_capacity(PENDING_MAX),
            amounts: Vec::with_capacity(PENDING_MAX * sums),
            sums,
        }
    }

    /// Counts a key and adds its amounts, one for each sum.
    ///
    /// # Errors
    /// If a sum, this one or one of those before it, goes beyond 64 bits.
    pub fn add(&mut self, key: &[u8], amounts: &[i64]) -> Result<()> {
        let Some(short) = ShortKey::of(key) else {
            if !self.long.contains_key(key) {
                self.long.insert(key.into(), vec![0; self.sums + 1].into());
            }
            let numbers = self.long.get_mut(key).context("it was put there")?;
            return add(numbers, amounts);
        };
        self.pending.push(Pending {
            key: short,
            hash: self.table.hasher.hash_one(short),
            is_first: false,
        });
        self.amounts.extend_from_slice(amounts);
        if self.pending.len() < PENDING_MAX {
            return Ok(());
        }
        self.settle()
    }

    /// Adds what is pending.
    ///
    /// # Errors
    /// If a sum goes beyond 64 bits.
    pub fn settle(&mut self) -> Result<()> {
        self.table.reserve(self.pending.len());
        for pending in &mut self.pending {
            pending.is_first = self.table.key(self.table.first(pending.hash)) == pending.key;
        }
        for (at, pending) in self.pending.drain(..).enumerate() {
            let row = match pending.is_first {
                true => self.table.first(pending.hash),
                false => self.table.find(pending.key, pending.hash),
            };
            let amounts = &self.amounts[at * self.sums..][..self.sums];
            add(self.table.numbers_mut(row), amounts)?;
        }
        self.amounts.clear();
        Ok(())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.table.len + self.long.len()
    }

    /// All keys, each with its count and then its sums.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<u8>, &[i64])> {
        let long = self.long.iter().map(|(key, numbers)| (key.to_vec(), &**numbers));
        self.table.iter().chain(long)
    }
}

fn add(numbers: &mut [i64], amounts: &[i64]) -> Result<()> {
    numbers[0] += 1;
    for (number, amount) in numbers[1..].iter_mut().zip(amounts) {
        *number = number
            .checked_add(*amount)
            .context("a sum of --sum goes beyond 64 bits")?;
    }
    Ok(())
}

/// A hash table with linear probing (Knuth, The Art of Computer Programming 3, section 6.4, algorithm L) whose keys and
/// numbers lie together: a line waits for one place in memory.
struct Table {
    /// Each row: the two words of its key, then its numbers.
    words: Vec<i64>,
    width: usize,
    /// The number of rows, which is a power of two, less one.
    mask: usize,
    len: usize,
    hasher: RandomState,
}

impl Table {
    fn new(numbers: usize) -> Table {
        let width = 2 + numbers;
        Table {
            words: vec![0; ROWS_MIN * width],
            width,
            mask: ROWS_MIN - 1,
            len: 0,
            hasher: RandomState::default(),
        }
    }

    /// The first row where a key may be.
    fn first(&self, hash: u64) -> usize {
        hash as usize & self.mask
    }

    fn key(&self, row: usize) -> ShortKey {
        ShortKey::in_row(&self.words[row * self.width..])
    }

    fn numbers_mut(&mut self, row: usize) -> &mut [i64] {
        &mut self.words[row * self.width..][2..self.width]
    }

    /// The row of a key, which is added if it is not known.
    fn find(&mut self, key: ShortKey, hash: u64) -> usize {
        let mut row = self.first(hash);
        loop {
            let found = self.key(row);
            if found == key {
                return row;
            }
            if found == ShortKey::NONE {
                let at = row * self.width;
                self.words[at..at + 2].copy_from_slice(&key.0.map(u64::cast_signed));
                self.len += 1;
                return row;
            }
            row = (row + 1) & self.mask;
        }
    }

    /// Makes the table larger if more keys would fill over four fifths of it.
    fn reserve(&mut self, more: usize) {
        let rows = ((self.len + more) * 5 / 4).next_power_of_two();
        if rows <= self.mask + 1 {
            return;
        }
        let words = std::mem::replace(&mut self.words, vec![0; rows * self.width]);
        self.mask = rows - 1;
        self.len = 0;
        for row in words.chunks_exact(self.width) {
            let key = ShortKey::in_row(row);
            if key != ShortKey::NONE {
                let at = self.find(key, self.hasher.hash_one(key));
                self.numbers_mut(at).copy_from_slice(&row[2..]);
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Vec<u8>, &[i64])> {
        (0..=self.mask).filter_map(|row| {
            let key = self.key(row);
            let numbers = &self.words[row * self.width..][2..self.width];
            (key != ShortKey::NONE).then(|| (key.text(), numbers))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_key_has_its_own_count_and_sums() {
        let mut tally = Tally::new(2);
        let mut wanted = BTreeMap::<Vec<u8>, Vec<i64>>::new();
        for number in 0..30_000_i64 {
            let length = usize::try_from(number % 20).unwrap();
            let digits = format!("{:020}", number % 7_000);
            let key = digits.as_bytes()[20 - length..].to_vec();
            tally.add(&key, &[number, -1]).unwrap();
            let numbers = wanted.entry(key).or_insert_with(|| vec![0; 3]);
            numbers[0] += 1;
            numbers[1] += number;
            numbers[2] -= 1;
        }
        tally.settle().unwrap();
        assert_eq!(tally.len(), wanted.len());
        let found = tally.iter().map(|(key, numbers)| (key, numbers.to_vec()));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), wanted);
    }

    #[test]
    fn a_sum_beyond_64_bits_is_refused() {
        for key in ["short", "a key that does not fit the table"] {
            let mut tally = Tally::new(1);
            tally.add(key.as_bytes(), &[i64::MAX]).unwrap();
            let beyond = tally.add(key.as_bytes(), &[1]).and_then(|()| tally.settle());
            assert!(beyond.unwrap_err().to_string().contains("64 bits"));
        }
    }
}
