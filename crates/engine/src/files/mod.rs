//! Files: bytes of any length kept as chunks in two collections, in the layout of MongoDB's GridFS
//! (specification "GridFS" of the MongoDB drivers). Drivers, HTTP and CouchDB's attachments share it.
//!
//! A [`Bucket`] names the collections `NAME.files` (one document a file, its *entry*) and `NAME.chunks` (255 KiB
//! each). [`Files`] is the way in: [`Files::find`] and [`Files::open`] read, [`Files::create`] writes. Uploads that
//! go on after an interruption are also written down in `NAME.uploads` ([`Files::begin_upload`]); several of them can
//! become one file ([`Files::join_uploads`]).
//!
//! What must hold:
//! - an entry is written after all chunks of its file, so a file is there whole or not at all; chunks need no flush of
//!   their own, because no commit survives a crash without those made before it;
//! - a finished [`FileWriter`] is flushed to the disk;
//! - memory does not depend on a file's length: readers and writers hold a few chunks;
//! - nothing of a hot file is served from memory once a commit has changed it;
//! - the sweep removes chunks only where no entry and no live upload names them.
//!
//! Left to others: names in paths, conditions and ranges of a protocol, media types (`web`, `couch`).

mod access;
mod bucket;
mod cache;
mod chunk;
mod delete;
mod digest;
mod entry;
mod error;
mod find;
mod join;
mod list;
mod live;
mod orphans;
mod reader;
mod sweep;
mod unended;
mod uploads;
mod writer;

pub use access::Files;
pub use bucket::Bucket;
pub use digest::{DigestKind, Digests};
pub use entry::FileEntry;
pub use error::FileError;
pub use join::NewJoint;
pub use list::{FilePage, ListRequest};
pub use reader::FileReader;
pub use sweep::ORPHANS_KEPT_MS;
pub use uploads::{NewUpload, Upload, UploadKind};
pub use writer::{Condition, FileWriter, NewFile};

pub(crate) use cache::FileCache;
pub(crate) use live::LiveUploads;
pub(crate) use orphans::Orphans;

/// Bytes of a chunk by default (GridFS specification).
pub const CHUNK_BYTES_DEFAULT: u32 = 255 * 1024;
