//! Rows that wait until they are requested: in memory, or in a file if there is a pause and memory has no room for them.

use crate::Result;
use crate::kept::no_room;
use crate::row::Row;
use memory::Share;
use query::spill::{SpillFolder, SpillRun, Spilled};
use std::collections::VecDeque;

/// Rows in their order.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// The next ones.
    first: VecDeque<Row>,
    /// Those after them.
    in_file: Option<SpillRun>,
    /// The last ones; empty if there is no file.
    last: VecDeque<Row>,
}

impl From<Vec<Row>> for Waiting {
    fn from(rows: Vec<Row>) -> Waiting {
        Waiting {
            first: rows.into(),
            ..Waiting::default()
        }
    }
}

impl Waiting {
    /// Whether no row waits. A file counts until its end has been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.in_file.is_none()
    }

    /// Takes the first row.
    pub(crate) fn pop(&mut self) -> Result<Option<Row>> {
        if self.first.is_empty()
            && let Some(row) = self.read()?
        {
            return Ok(Some(row));
        }
        Ok(self.first.pop_front())
    }

    /// Takes up to `count` rows.
    pub(crate) fn take(&mut self, count: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(count.min(self.first.len()));
        while rows.len() < count
            && let Some(row) = self.pop()?
        {
            rows.push(row);
        }
        Ok(rows)
    }

    /// Adds rows after the others.
    pub(crate) fn extend(&mut self, rows: Vec<Row>) {
        match self.in_file {
            None => self.first.extend(rows),
            Some(_) => self.last.extend(rows),
        }
    }

    /// Adds a row before the others.
    pub(crate) fn push_front(&mut self, row: Row) {
        self.first.push_front(row);
    }

    /// To be called before a pause: rows in memory are counted under `idle`, or move into a file if that has no room.
    pub(crate) fn rest(&mut self, idle: &mut Share, spill: Option<&SpillFolder>) -> Result<()> {
        let bytes = self
            .first
            .iter()
            .chain(&self.last)
            .map(Row::size_bytes)
            .sum::<usize>();
        if idle.fit_or_spill(idle.bytes() + bytes, spill.is_some()) {
            if let Some(file) = &mut self.in_file {
                file.rest();
            }
            return Ok(());
        }
        let folder = spill.ok_or_else(|| no_room(idle, bytes))?;
        let (mut writer, mut item) = (folder.create()?, Vec::new());
        // All in their order: what is left of an older file is no more than what one page of work gave.
        while let Some(row) = self.pop()? {
            item.clear();
            row.save(&mut item);
            writer.push(&[], &item)?;
        }
        let mut file = writer.finish()?;
        file.rest();
        self.in_file = Some(file);
        Ok(())
    }

    /// The next row of the file; at its end those after it are the first.
    fn read(&mut self) -> Result<Option<Row>> {
        let Some(file) = &mut self.in_file else {
            return Ok(None);
        };
        let (mut key, mut item) = (Vec::new(), Vec::new());
        if file.next(&mut key, &mut item)? {
            return Row::load(&item).map(Some);
        }
        self.in_file = None;
        self.first = std::mem::take(&mut self.last);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use memory::{Budget, Holder};
    use value::{Value, doc};

    fn rows(numbers: std::ops::Range<i32>) -> Vec<Row> {
        let row = |number| Row::Tree(doc! {"n": number, "text": "x".repeat(10_000)});
        numbers.map(row).collect()
    }

    fn numbers(rows: Vec<Row>) -> Vec<i32> {
        let number = |row: Row| match row.into_document().get("n") {
            Some(Value::Int32(number)) => *number,
            other => panic!("{other:?}"),
        };
        rows.into_iter().map(number).collect()
    }

    #[test]
    fn rows_that_memory_has_no_room_for_come_back_from_a_file_in_order() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = SpillFolder::open(scratch.path().join("spill")).unwrap();
        let memory = Budget::new(64 * 1024);
        let mut waiting = Waiting::from(rows(0..10));
        let mut idle = memory.share(Holder::Cursors);
        waiting.rest(&mut idle, Some(&folder)).unwrap();
        assert!(idle.bytes() == 0 && folder.bytes() > 100_000);
        // Some rows are taken, one is put back, others are added behind, and nothing more is requested.
        assert_eq!(numbers(waiting.take(3).unwrap()), [0, 1, 2]);
        waiting.push_front(rows(2..3).remove(0));
        waiting.extend(rows(10..12));
        waiting.rest(&mut idle, Some(&folder)).unwrap();
        assert_eq!(idle.bytes(), 0);
        waiting.extend(rows(12..13));
        assert!(!waiting.is_empty());
        assert_eq!(numbers(waiting.take(20).unwrap()), (2..13).collect::<Vec<_>>());
        assert!(waiting.is_empty());
        assert_eq!(folder.bytes(), 0);
    }

    #[test]
    fn rows_that_fit_stay_in_memory_and_others_are_refused_without_files() {
        let memory = Budget::new(1024 * 1024);
        let mut waiting = Waiting::from(rows(0..2));
        let mut idle = memory.share(Holder::Cursors);
        waiting.rest(&mut idle, None).unwrap();
        assert!(idle.bytes() > 20_000);
        waiting.extend(rows(2..20));
        let refused = waiting
            .rest(&mut memory.share(Holder::Cursors), None)
            .unwrap_err();
        assert_eq!(refused.code(), Code::EXCEEDED_MEMORY_LIMIT);
        assert_eq!(waiting.take(20).unwrap().len(), 20);
    }
}
