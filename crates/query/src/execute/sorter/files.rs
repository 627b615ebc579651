//! The files of a sort: writing and reading items.

use super::Kept;
use crate::Result;
use crate::spill::{LongItems, NAME_BYTES, SpillFolder, SpillRun, Spilled, damaged};
use language::interruption::steps;

/// An item of at least this many bytes is written once, and the records that are merged contain its name.
const LONG_BYTES: usize = 16 << 10;

/// The first byte of a record's item: what follows is the whole item, or the name of a long one.
const WHOLE: u8 = 0;
const NAMED: u8 = 1;

/// The long items of one sort, if there are any.
#[derive(Debug, Default)]
pub(super) struct SortFiles {
    long: Option<LongItems>,
}

impl SortFiles {
    /// Writes the items that are left in memory into a file, in order.
    pub(super) fn write(&mut self, kept: &mut Kept, folder: &SpillFolder) -> Result<SpillRun> {
        let mut writer = folder.create()?;
        while let Some((key, item)) = kept.peek() {
            steps(1)?;
            match item.len() {
                LONG_BYTES.. => writer.push_parts(key, [&[NAMED], &self.name(item, folder)?])?,
                _ => writer.push_parts(key, [&[WHOLE], item])?,
            }
            kept.advance();
        }
        writer.finish()
    }

    fn name(&mut self, item: &[u8], folder: &SpillFolder) -> Result<[u8; NAME_BYTES]> {
        let long = match self.long.take() {
            Some(long) => long,
            None => folder.create_items()?,
        };
        self.long.insert(long).push(item)
    }

    /// The item of a record.
    pub(super) fn load<T: Spilled>(&mut self, item: &[u8]) -> Result<T> {
        match (item.split_first(), &mut self.long) {
            (Some((&WHOLE, item)), _) => T::load(item),
            (Some((&NAMED, name)), Some(long)) => T::load(&long.read(name)?),
            _ => Err(damaged()),
        }
    }

    /// To be called before a pause: closes the file until it is read again.
    pub(super) fn rest(&mut self) {
        if let Some(long) = &mut self.long {
            long.rest();
        }
    }
}
