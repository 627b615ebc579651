//! Backups of data folders.
//!
//! A **repository** is a folder that holds any number of backups: each is a manifest that names files by parts, and each
//! part is an object named by the BLAKE3 of its bytes, kept once whichever backups need it. A backup is taken from a
//! [`Source`], which lists files and reads them: a folder that stays as it is, or a server. What did not change since the
//! last backup is neither read nor written again ([`take`]). [`restore`] puts the files of a backup into a new folder,
//! [`verify`] reads every object of it; both compare every checksum. If a source archives its changes, its backups have those
//! since the one before; [`reaching`] says which of them lead to a moment between two.
//!
//! What must hold: a manifest is written last, so a backup is there whole or not at all; an object has its name only once
//! it is flushed.
//!
//! Left to others: how a source comes to a state of all its files that belongs together.

mod error;
mod manifest;
mod objects;
mod pace;
mod repository;
mod restore;
mod source;
mod take;
mod until;

pub use error::Error;
pub use manifest::{Archived, File, Manifest, Part};
pub use pace::Pace;
pub use repository::{Repository, readable};
pub use restore::{restore, verify};
pub use source::{FolderSource, Source, SourceFile};
pub use take::{Taken, take};
pub use until::reaching;

/// Called with the number of bytes of every piece that is done, whether it had to be copied or was there.
pub type Progress<'a> = &'a mut (dyn FnMut(u64) + Send);
