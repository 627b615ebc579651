//! Reading from the engine's manifest which logs are still needed, and what is in tables.

use super::fields::Fields;
use super::records::Records;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// The parts of a manifest that concern the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The manifest's own number. Every start begins a new one.
    pub(super) number: u64,
    /// All logs with lower numbers are completely in tables.
    pub(super) first_log: u64,
    /// Everything up to this sequence number is in tables.
    pub(super) in_tables: u64,
    /// Whether tables hold nothing after that, which is known if write buffers became tables since the manifest was begun.
    /// Otherwise a merged table may have lost its sequence numbers.
    pub(super) is_exact: bool,
}

impl Manifest {
    /// Reads the present manifest of a folder. `None` if it cannot be read: then the folder is new, or the engine will refuse
    /// it.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Manifest>> {
        let Some((number, path)) = present(folder) else {
            return Ok(None);
        };
        let Ok(file) = File::open(path) else {
            return Ok(None);
        };
        let mut manifest = Manifest {
            number,
            ..Manifest::default()
        };
        let (mut records, mut edit, mut edits) = (Records::new(file, None)?, Vec::new(), 0);
        while records.next(&mut edit)? {
            if manifest.apply(&edit).is_none() {
                return Ok(None);
            }
            edits += 1;
        }
        // No manifest has such a fragment. The engine would search for its end for ever.
        if records.stopped_at_numbered()? {
            let reason = format!(
                "the manifest (number {number}) is damaged behind byte {}",
                records.position()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok((edits > 0).then_some(manifest))
    }

    /// Applies one change of the set of files. `None` if it has an unknown part.
    fn apply(&mut self, edit: &[u8]) -> Option<()> {
        let mut edit = Fields(edit);
        let (mut is_beginning, mut log, mut newest) = (false, None, None);
        while !edit.0.is_empty() {
            match edit.number()? {
                tag::COMPARATOR => {
                    is_beginning = true;
                    edit.sized()?;
                }
                tag::LOG => log = Some(edit.number()?),
                tag::MIN_LOG => self.first_log = self.first_log.max(edit.number()?),
                tag::NEXT_FILE | tag::LAST_SEQUENCE | tag::PREVIOUS_LOG => {
                    edit.number()?;
                }
                tag::FAMILY | tag::MAX_FAMILY | tag::IN_GROUP => {
                    edit.number()?;
                }
                tag::CURSOR => {
                    edit.number()?;
                    edit.sized()?;
                }
                tag::DELETED_TABLE => {
                    edit.number()?;
                    edit.number()?;
                }
                tag::TABLE => newest = newest.max(Some(table(&mut edit)?)),
                tag::SIZED.. => {
                    edit.sized()?;
                }
                _ => return None,
            }
        }
        self.in_tables = self.in_tables.max(newest.unwrap_or(0));
        if let Some(log) = log {
            self.first_log = self.first_log.max(log);
            // Whatever raises the number of the log has put write buffers into tables.
            self.is_exact |= !is_beginning && newest.is_some();
        }
        Some(())
    }
}

/// The number of the present manifest and where it lies.
pub(super) fn present(folder: &Path) -> Option<(u64, std::path::PathBuf)> {
    let current = fs::read_to_string(folder.join("CURRENT")).ok()?;
    let name = current.trim_end();
    let number = name.strip_prefix("MANIFEST-")?.parse().ok()?;
    Some((number, folder.join(name)))
}

/// The engine's tags for the parts of a change.
mod tag {
    pub(super) const COMPARATOR: u64 = 1;
    pub(super) const LOG: u64 = 2;
    pub(super) const NEXT_FILE: u64 = 3;
    pub(super) const LAST_SEQUENCE: u64 = 4;
    pub(super) const CURSOR: u64 = 5;
    pub(super) const DELETED_TABLE: u64 = 6;
    pub(super) const PREVIOUS_LOG: u64 = 9;
    pub(super) const MIN_LOG: u64 = 10;
    pub(super) const TABLE: u64 = 103;
    pub(super) const FAMILY: u64 = 200;
    pub(super) const MAX_FAMILY: u64 = 203;
    pub(super) const IN_GROUP: u64 = 300;
    /// Parts with this tag or a higher one have a size, so that readers can skip unknown ones.
    pub(super) const SIZED: u64 = 1 << 13;
}

/// A table that is added: its largest sequence number.
fn table(edit: &mut Fields<'_>) -> Option<u64> {
    let (_level, _number, _size) = (edit.number()?, edit.number()?, edit.number()?);
    let (_first, _last) = (edit.sized()?, edit.sized()?);
    let (_smallest, largest) = (edit.number()?, edit.number()?);
    // Further properties, up to the one with number 1.
    while edit.number()? != 1 {
        edit.sized()?;
    }
    Some(largest)
}
