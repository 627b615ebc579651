//! Sorting, keeping only what can still be among the results, in memory as long as that is enough and then in files.

use crate::spill::{SpillFolder, SpillRun, Spilled};
use crate::{Code, QueryError, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The bytes that one sort keeps in memory at most (MongoDB's limit).
pub const SORT_BYTES_MAX: usize = 100 * 1024 * 1024;

/// Collects things with their sort keys and gives them back in order.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    /// Where the number of results is limited, a heap with the largest on top, so that it can make place for a smaller one.
    limited: BinaryHeap<Entry<T>>,
    /// Where it is not, all of them as they came.
    all: Vec<Entry<T>>,
    results_max: usize,
    bytes: usize,
    bytes_max: usize,
    arrivals: u64,
    /// Where more goes than memory takes; none where it may not.
    spill: Option<Arc<SpillFolder>>,
    runs: Vec<SpillRun>,
    spilled: usize,
}

#[derive(Debug)]
struct Entry<T> {
    key: Vec<u8>,
    /// Equal keys stay in the order in which they came.
    arrival: u64,
    bytes: usize,
    item: T,
}

impl<T: Spilled> Sorter<T> {
    /// A sorter that gives back the first `results_max`, and goes on in files where a folder is given.
    pub(crate) fn new(results_max: Option<u64>, spill: Option<Arc<SpillFolder>>) -> Sorter<T> {
        let results_max = results_max.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        Sorter {
            limited: BinaryHeap::new(),
            all: Vec::new(),
            results_max,
            bytes: 0,
            bytes_max: SORT_BYTES_MAX,
            arrivals: 0,
            spill,
            runs: Vec::new(),
            spilled: 0,
        }
    }

    /// Takes one more, of so many bytes. Fails where more than memory takes would have to be kept and no files may be used.
    pub(crate) fn push(&mut self, key: Vec<u8>, item: T, bytes: usize) -> Result<()> {
        if self.limited.len() >= self.results_max {
            match self.limited.peek() {
                Some(largest) if key < largest.key => {}
                _ => return Ok(()),
            }
            if let Some(dropped) = self.limited.pop() {
                self.bytes -= dropped.bytes;
            }
        }
        let bytes = bytes + key.len() + size_of::<Entry<T>>();
        self.bytes += bytes;
        self.arrivals += 1;
        let entry = Entry {
            key,
            arrival: self.arrivals,
            bytes,
            item,
        };
        match self.results_max {
            usize::MAX => self.all.push(entry),
            _ => self.limited.push(entry),
        }
        if self.bytes > self.bytes_max {
            self.spill()?;
        }
        Ok(())
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.spilled + self.limited.len() + self.all.len()
    }

    /// The bytes that are kept in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether files are used.
    pub(crate) fn uses_disk(&self) -> bool {
        !self.runs.is_empty()
    }

    /// All that are kept, in order.
    pub(crate) fn into_sorted(mut self) -> Result<Sorted<T>> {
        let memory = self.take_sorted().into_iter();
        let mut heads = BinaryHeap::new();
        for (at, run) in self.runs.iter_mut().enumerate() {
            if let Some((key, item)) = run.next()? {
                heads.push(Reverse(Head { key, run: at, item }));
            }
        }
        Ok(Sorted {
            memory: memory.peekable(),
            runs: self.runs,
            heads,
            left: self.results_max,
            next: None,
        })
    }

    fn take_sorted(&mut self) -> Vec<Entry<T>> {
        let mut entries = std::mem::take(&mut self.all);
        entries.append(&mut std::mem::take(&mut self.limited).into_vec());
        entries.sort_unstable();
        entries
    }

    /// Writes what is in memory into a file, in order.
    fn spill(&mut self) -> Result<()> {
        let Some(folder) = self.spill.clone() else {
            return Err(QueryError::new(
                Code(292),
                format!(
                    "Sort exceeded memory limit of {} bytes, but did not opt in to external sorting. Aborting operation. Pass \
                     allowDiskUse:true to opt in.",
                    self.bytes_max
                ),
            ));
        };
        let mut writer = folder.create()?;
        let mut item = Vec::new();
        let entries = self.take_sorted();
        self.spilled += entries.len();
        for entry in entries {
            item.clear();
            entry.item.save(&mut item);
            writer.push(&entry.key, &item)?;
        }
        self.runs.push(writer.finish()?);
        self.bytes = 0;
        Ok(())
    }
}

/// What was sorted, from the first on: what is in memory merged with the files.
#[derive(Debug)]
pub(crate) struct Sorted<T> {
    memory: std::iter::Peekable<std::vec::IntoIter<Entry<T>>>,
    runs: Vec<SpillRun>,
    heads: BinaryHeap<Reverse<Head>>,
    left: usize,
    /// What was looked at and not taken.
    next: Option<(Vec<u8>, T)>,
}

/// The next record of a file. Files are older the lower their number, and what is in memory is newest.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    key: Vec<u8>,
    run: usize,
    item: Vec<u8>,
}

impl<T: Spilled> Sorted<T> {
    /// The next with its key; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(Vec<u8>, T)>> {
        match self.next.take() {
            Some(next) => Ok(Some(next)),
            None => self.advance(),
        }
    }

    /// The next, if it is wanted.
    pub(crate) fn next_if(&mut self, wanted: impl FnOnce(&[u8], &T) -> bool) -> Result<Option<(Vec<u8>, T)>> {
        let Some((key, item)) = self.next()? else {
            return Ok(None);
        };
        if wanted(&key, &item) {
            return Ok(Some((key, item)));
        }
        self.next = Some((key, item));
        Ok(None)
    }

    fn advance(&mut self) -> Result<Option<(Vec<u8>, T)>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let from_file = match (self.heads.peek(), self.memory.peek()) {
            (Some(Reverse(head)), Some(entry)) => head.key <= entry.key,
            (head, _) => head.is_some(),
        };
        if !from_file {
            return Ok(self.memory.next().map(|entry| (entry.key, entry.item)));
        }
        let Some(Reverse(Head { key, run, item })) = self.heads.pop() else {
            return Ok(None);
        };
        if let Some((key, item)) = self.runs[run].next()? {
            self.heads.push(Reverse(Head { key, run, item }));
        }
        Ok(Some((key, T::load(&item)?)))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key).then(self.arrival.cmp(&other.arrival))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    impl Spilled for u64 {
        fn save(&self, out: &mut Vec<u8>) {
            out.extend(self.to_le_bytes());
        }

        fn load(bytes: &[u8]) -> Result<u64> {
            Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
        }
    }

    fn drained(sorter: Sorter<u64>) -> Vec<u64> {
        let mut sorted = sorter.into_sorted().unwrap();
        std::iter::from_fn(|| sorted.next().unwrap().map(|(_, item)| item)).collect()
    }

    #[test]
    fn keeps_the_smallest_in_order_and_ties_as_they_came() {
        let mut sorter = Sorter::new(Some(3), None);
        for (key, item) in [(5, 0), (1, 1), (1, 2), (9, 3), (0, 4)] {
            sorter.push(vec![key], item, 1).unwrap();
        }
        assert_eq!(sorter.len(), 3);
        assert_eq!(drained(sorter), [4, 1, 2]);
    }

    #[test]
    fn refuses_to_keep_too_much_but_not_to_pass_much_by() {
        let mut sorter = Sorter::new(Some(1), None);
        for key in (0..10u8).rev() {
            sorter.push(vec![key], 0u64, SORT_BYTES_MAX / 2).unwrap();
        }
        let mut all = Sorter::new(None, None);
        all.push(vec![0], 0u64, SORT_BYTES_MAX / 2).unwrap();
        assert_eq!(
            all.push(vec![1], 0, SORT_BYTES_MAX / 2).unwrap_err().code,
            Code(292)
        );
    }

    #[test]
    fn goes_on_in_files_and_keeps_the_order_of_ties() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        for limit in [None, Some(500)] {
            let mut sorter = Sorter::new(limit, Some(folder.clone()));
            sorter.bytes_max = 10_000;
            for item in 0..1_000u64 {
                sorter.push(vec![(item % 7) as u8], item, 100).unwrap();
            }
            assert!(sorter.uses_disk());
            let mut expected: Vec<u64> = (0..1_000).collect();
            expected.sort_by_key(|item| item % 7);
            expected.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
            assert_eq!(drained(sorter), expected);
        }
    }
}
