//! Sorting, in memory as long as that suffices and then in files. Only items that can still be among the results are kept.
//!
//! Items are kept as bytes everywhere, so that a sort knows how much memory it takes, and does not hold on to the pages that the
//! items came from.

mod arena;
mod files;
mod merge;
mod smallest;
mod sorted;

pub use sorted::Sorted;

use crate::spill::{SpillFolder, SpillRun, Spilled};
use crate::{Code, QueryError, Result};
use arena::Arena;
use files::SortFiles;
use language::interruption::steps;
use memory::{Budget, Holder, Share};
use merge::Merge;
use smallest::Smallest;
use std::marker::PhantomData;
use std::sync::Arc;

/// The most bytes that one sort keeps in memory if it may not use files (MongoDB's limit).
pub const SORT_BYTES_MAX: usize = 100 * 1024 * 1024;

/// The bytes that it keeps in memory before it uses files. The rest of the 100 MB is for returning the results.
const BYTES_BEFORE_FILES: usize = 64 * 1024 * 1024;

/// The least size of a file that is written because others have the memory: merging many small files would need more
/// memory than they save.
const RUN_BYTES_MIN: usize = 1024 * 1024;

/// One sort may take one part in this many of the memory for all stages and sorts.
const SHARE_OF_LIMIT: usize = 3;

/// Collects items with their sort keys and returns them in order.
#[derive(Debug)]
pub struct Sorter<T> {
    kept: Kept,
    share: Share,
    results_max: usize,
    bytes_max: usize,
    /// The folder for items that exceed the memory; `None` if no files may be used.
    spill: Option<Arc<SpillFolder>>,
    runs: Vec<SpillRun>,
    files: SortFiles,
    spilled: usize,
    things: PhantomData<T>,
}

/// The items in memory.
#[derive(Debug)]
enum Kept {
    /// All items.
    All(Arena),
    /// The smallest `results_max`, if the number of results is limited.
    Smallest(Smallest),
}

impl Kept {
    fn new(results_max: usize) -> Kept {
        match results_max {
            usize::MAX => Kept::All(Arena::default()),
            _ => Kept::Smallest(Smallest::new(results_max)),
        }
    }

    fn push(&mut self, key: &[u8], item: &impl Spilled) {
        match self {
            Kept::All(arena) => arena.push(key, item),
            Kept::Smallest(smallest) => smallest.push(key, item),
        }
    }

    fn len(&self) -> usize {
        match self {
            Kept::All(arena) => arena.len(),
            Kept::Smallest(smallest) => smallest.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Kept::All(arena) => arena.bytes(),
            Kept::Smallest(smallest) => smallest.bytes(),
        }
    }

    /// Sorts them, to be taken from the first on.
    fn sort(&mut self) -> Result<()> {
        match self {
            Kept::All(arena) => arena.sort(),
            Kept::Smallest(smallest) => smallest.sort(),
        }
    }

    /// Items whose keys are not below this one are not kept; `None` as long as any may be.
    fn limit(&self) -> Option<&[u8]> {
        match self {
            Kept::All(_) => None,
            Kept::Smallest(smallest) => smallest.limit(),
        }
    }

    /// The key and the item of the next to be taken.
    fn peek(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Kept::All(arena) => arena.peek(),
            Kept::Smallest(smallest) => smallest.peek(),
        }
    }

    /// Steps past what [`Kept::peek`] returns.
    fn advance(&mut self) {
        match self {
            Kept::All(arena) => arena.advance(),
            Kept::Smallest(smallest) => smallest.advance(),
        }
    }
}

impl<T: Spilled> Sorter<T> {
    /// A sorter that returns the first `results_max` items, and spills into files if a folder is given.
    pub fn new(results_max: Option<u64>, spill: Option<Arc<SpillFolder>>, memory: &Budget) -> Sorter<T> {
        let results_max = results_max.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        let share = memory.share(Holder::Stages);
        let bytes_max = match spill {
            Some(_) => BYTES_BEFORE_FILES,
            None => SORT_BYTES_MAX,
        };
        Sorter {
            kept: Kept::new(results_max),
            results_max,
            bytes_max: bytes_max.min(share.limit() / SHARE_OF_LIMIT),
            share,
            spill,
            runs: Vec::new(),
            files: SortFiles::default(),
            spilled: 0,
            things: PhantomData,
        }
    }

    /// Adds an item. Fails if the items to keep exceed the memory and no files may be used.
    pub fn push(&mut self, key: &[u8], item: &T) -> Result<()> {
        steps(1)?;
        self.kept.push(key, item);
        let bytes = self.kept.bytes();
        if bytes > self.bytes_max {
            return self.spill();
        }
        if self.share.fit(bytes) {
            return Ok(());
        }
        // Others have the memory.
        match bytes > RUN_BYTES_MIN || self.spill.is_none() {
            true => self.spill(),
            false => {
                self.share.charge(bytes);
                Ok(())
            }
        }
    }

    /// Items whose keys are not below this one will not be kept; `None` as long as any may be.
    pub fn limit(&self) -> Option<&[u8]> {
        self.kept.limit()
    }

    /// The number of items, including those in files.
    pub fn count(&self) -> usize {
        self.spilled + self.kept.len()
    }

    /// The bytes that are kept in memory.
    pub fn bytes(&self) -> usize {
        self.kept.bytes()
    }

    /// Whether files are used.
    pub fn uses_disk(&self) -> bool {
        !self.runs.is_empty()
    }

    /// All items, in order.
    pub fn into_sorted(mut self) -> Result<Sorted<T>> {
        self.kept.sort()?;
        let in_memory = InMemory {
            kept: self.kept,
            share: self.share,
        };
        let merge = Merge::new(self.runs, self.spill.as_deref(), self.bytes_max, self.results_max)?;
        Ok(Sorted::new(
            in_memory,
            merge,
            self.files,
            self.spill,
            self.results_max,
        ))
    }

    /// Writes what is in memory into a file, in order.
    fn spill(&mut self) -> Result<()> {
        let Some(folder) = &self.spill else {
            let mut message = format!(
                "Sort exceeded memory limit of {} bytes, but did not opt in to external sorting. Aborting operation. Pass \
                 allowDiskUse:true to opt in.",
                self.bytes_max
            );
            if self.kept.bytes() <= self.bytes_max {
                message = format!("{message} {}", self.share.full(self.kept.bytes()));
            }
            return Err(QueryError::new(
                Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
                message,
            ));
        };
        // Each run keeps up to `results_max` items; [`Sorted`] ends their merge after as many.
        let mut kept = std::mem::replace(&mut self.kept, Kept::new(self.results_max));
        self.spilled += kept.len();
        // In order, so that the results are a merge that reads each file once, from its beginning.
        kept.sort()?;
        self.runs.push(self.files.write(&mut kept, folder)?);
        drop(kept);
        self.share.charge(0);
        Ok(())
    }
}

/// The items that a sort has in memory at its end, and its share of the memory.
#[derive(Debug)]
struct InMemory {
    kept: Kept,
    share: Share,
}

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
        std::iter::from_fn(|| sorted.pop().unwrap()).collect()
    }

    #[test]
    fn keeps_the_smallest_in_order_and_ties_as_they_came() {
        let mut sorter = Sorter::new(Some(3), None, &Budget::default());
        for (key, item) in [(5, 0), (1, 1), (1, 2), (9, 3), (0, 4)] {
            sorter.push(&[key], &item).unwrap();
        }
        assert_eq!(sorter.count(), 3);
        assert_eq!(drained(sorter), [4, 1, 2]);
    }

    #[test]
    fn refuses_to_keep_too_much_but_not_to_pass_much_by() {
        let mut sorter = Sorter::new(Some(1), None, &Budget::default());
        sorter.bytes_max = 80;
        for key in (0..10u8).rev() {
            sorter.push(&[key], &0u64).unwrap();
        }
        let mut all = Sorter::new(None, None, &Budget::default());
        all.bytes_max = 50;
        all.push(&[0], &0u64).unwrap();
        assert!(all.push(&[1], &0).unwrap_err().is_out_of_memory());
    }

    #[test]
    fn goes_on_in_files_and_keeps_the_order_of_ties() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        for limit in [None, Some(500)] {
            let mut sorter = Sorter::new(limit, Some(folder.clone()), &Budget::default());
            sorter.bytes_max = 10_000;
            for item in 0..1_000u64 {
                sorter.push(&[(item % 7) as u8], &item).unwrap();
            }
            assert!(sorter.uses_disk());
            let mut expected: Vec<u64> = (0..1_000).collect();
            expected.sort_by_key(|item| item % 7);
            expected.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
            assert_eq!(drained(sorter), expected);
        }
    }

    #[test]
    fn the_rest_of_an_idle_sort_goes_to_a_file_where_cursors_have_no_room() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let memory = Budget::new(2 << 20);
        let held = |holder: Holder| memory.usage()[holder as usize].held_bytes;
        let mut sorter = Sorter::new(None, Some(folder), &memory);
        for item in 0..2_000u64 {
            sorter.push(&(item % 50).to_be_bytes(), &item).unwrap();
        }
        let mut sorted = sorter.into_sorted().unwrap();
        assert_eq!(sorted.pop().unwrap(), Some(0));
        assert!(held(Holder::Stages) > 80_000 && held(Holder::Cursors) == 0);
        let mut idle = memory.share(Holder::Cursors);
        sorted.rest(&mut idle).unwrap();
        assert!(held(Holder::Stages) == 0 && held(Holder::Cursors) > 80_000);
        let mut others = memory.share(Holder::Cursors);
        idle.charge(0);
        others.charge(others.limit());
        sorted.rest(&mut idle).unwrap();
        assert!(idle.bytes() < 1_000, "a record is read ahead of each file");
        assert_eq!(
            std::fs::read_dir(scratch.path().join("spill")).unwrap().count(),
            1
        );
        let rest: Vec<u64> = std::iter::from_fn(|| {
            idle.charge(0);
            sorted.rest(&mut idle).unwrap();
            sorted.pop().unwrap()
        })
        .collect();
        let mut expected: Vec<u64> = (0..2_000).collect();
        expected.sort_by_key(|item| item % 50);
        assert_eq!(rest, expected[1..]);
    }

    #[test]
    fn many_files_are_merged_to_few_before_they_are_read_and_keep_the_order_of_ties() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        for limit in [None, Some(700)] {
            let mut sorter = Sorter::new(limit, Some(folder.clone()), &Budget::default());
            sorter.bytes_max = 2_000;
            for item in 0..10_000u64 {
                sorter.push(&[(item % 7) as u8], &item).unwrap();
            }
            assert!(sorter.runs.len() > 100);
            let mut sorted = sorter.into_sorted().unwrap();
            let files = std::fs::read_dir(scratch.path().join("spill")).unwrap().count();
            assert!(files < 10, "{files} files are read at once");
            let given: Vec<u64> = std::iter::from_fn(|| sorted.pop().unwrap()).collect();
            let mut expected: Vec<u64> = (0..10_000).collect();
            expected.sort_by_key(|item| item % 7);
            expected.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
            assert_eq!(given, expected);
            drop(sorted);
            assert_eq!(folder.bytes(), 0);
        }
    }

    #[test]
    fn temporary_files_have_a_limit_together_and_give_their_room_back() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        folder.limit(20_000);
        let fill = |items: u64| {
            let mut sorter = Sorter::new(None, Some(folder.clone()), &Budget::default());
            sorter.bytes_max = 4_000;
            let pushed = (0..items).try_for_each(|item| sorter.push(&[1], &item));
            pushed.map(|()| sorter)
        };
        let small = fill(400).unwrap();
        assert!(folder.bytes() > 4_000);
        let refused = fill(4_000).unwrap_err();
        assert_eq!(refused.code(), Code::OUT_OF_DISK_SPACE);
        assert!(refused.message().contains("--temporary-max"), "{refused}");
        drop(small);
        assert_eq!(folder.bytes(), 0);
        folder.ask(|| Err("the disk is nearly full".to_owned()));
        let refused = fill(400).unwrap_err();
        assert!(refused.message().contains("nearly full"), "{refused}");
    }

    #[test]
    fn a_sort_of_many_ends_when_its_operation_must() {
        let mut sorter = Sorter::new(None, None, &Budget::default());
        for item in 0..200_000u64 {
            sorter
                .push(&(item * 7_919 % 200_000).to_be_bytes(), &item)
                .unwrap();
        }
        let killed = language::Interruption::default();
        killed.kill.with(Code::INTERRUPTED);
        let error = language::interruption::within(&killed, || sorter.into_sorted()).unwrap_err();
        assert_eq!(error.code(), Code::INTERRUPTED);
    }

    #[test]
    fn sorts_that_find_no_memory_go_on_in_files_or_say_so() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let memory = Budget::new(64 << 20);
        let mut others = memory.share(Holder::Stages);
        others.charge(64 << 20);
        let mut sorter = Sorter::new(None, Some(folder), &memory);
        for at in 0..60_000u64 {
            sorter.push(&at.to_be_bytes(), &7u64).unwrap();
        }
        assert!(sorter.uses_disk());
        let mut refused = Sorter::new(None, None, &memory);
        let error = refused.push(&[0; 100], &7u64).unwrap_err();
        assert!(error.message().contains("--memory"), "{error}");
    }

    #[test]
    fn keys_of_any_length_come_in_their_order_with_their_items() {
        let keys = ["", "a", "ab", "abcdefgh", "abcdefgh\0", "abcdefghij", "b"];
        let mut sorter = Sorter::new(None, None, &Budget::default());
        for at in [3, 0, 6, 5, 1, 4, 2] {
            sorter.push(keys[at].as_bytes(), &(at as u64)).unwrap();
        }
        let mut sorted = sorter.into_sorted().unwrap();
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(sorted.pop().unwrap(), Some(at as u64));
            assert_eq!(sorted.key(), key.as_bytes());
        }
        assert_eq!(sorted.pop().unwrap(), None);
    }

    #[test]
    fn an_item_that_is_not_taken_is_offered_again() {
        let mut sorter = Sorter::new(None, None, &Budget::default());
        for item in 0..3u64 {
            sorter.push(&[item as u8], &item).unwrap();
        }
        let mut sorted = sorter.into_sorted().unwrap();
        assert_eq!(sorted.next_if(|key, _| key == [1]).unwrap(), None);
        assert_eq!(sorted.pop().unwrap(), Some(0));
        assert_eq!(sorted.next_if(|key, _| key == [1]).unwrap(), Some(1));
    }

    #[test]
    fn items_with_another_key_come_later_also_from_files() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let mut sorter = Sorter::new(Some(100), Some(folder), &Budget::default());
        sorter.bytes_max = 1_000;
        for item in 0..100u64 {
            sorter.push(&[(item % 10) as u8], &item).unwrap();
        }
        assert!(sorter.uses_disk() && sorter.bytes() > 0);
        let mut sorted = sorter.into_sorted().unwrap();
        for key in 0..10u8 {
            assert_eq!(sorted.pop_of(&[key + 1]).unwrap(), None);
            assert_eq!(sorted.next_if(|other, _| other == [99]).unwrap(), None);
            let of_key = std::iter::from_fn(|| sorted.pop_of(&[key]).unwrap());
            assert_eq!(of_key.count(), 10, "{key}");
        }
        assert_eq!(
            (sorted.pop().unwrap(), sorted.pop_of(&[9]).unwrap()),
            (None, None)
        );
    }

    #[test]
    fn next_records_of_many_files_are_given_back_while_nobody_reads_and_read_again() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let memory = Budget::new(1 << 20);
        let mut sorter = Sorter::new(None, Some(folder), &memory);
        sorter.bytes_max = 100_000;
        // With keys of 200 bytes, the next records of all files are more than may stay in memory during a pause.
        let key = |item: u64| [&(item % 50).to_be_bytes()[..], &[b'x'; 200]].concat();
        for item in 0..20_000u64 {
            sorter.push(&key(item), &item).unwrap();
        }
        let mut sorted = sorter.into_sorted().unwrap();
        let (mut idle, mut others) = (memory.share(Holder::Cursors), memory.share(Holder::Cursors));
        others.charge(others.limit());
        let mut given = Vec::new();
        loop {
            // Sometimes it pauses twice, which changes nothing.
            for _ in 0..1 + given.len() % 2 {
                idle.charge(0);
                sorted.rest(&mut idle).unwrap();
            }
            assert!(idle.bytes() <= 4 << 10);
            match sorted.pop().unwrap() {
                Some(item) => given.push(item),
                None => break,
            }
            // Some items come without a pause between them.
            given.extend((0..50).map_while(|_| sorted.pop().unwrap()));
        }
        let mut expected: Vec<u64> = (0..20_000).collect();
        expected.sort_by_key(|item| item % 50);
        assert_eq!(given, expected);
        assert!(sorted.is_empty());
    }
}
