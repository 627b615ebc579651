//! Named limits of the protocol; going past one is an error that names it.

use std::time::Duration;

/// The most files in one page of a listing, and how many there are by default.
pub const LIST_FILES_MAX: usize = 1_000;

/// How long a resumable upload is kept while nothing comes.
pub const UPLOADS_KEPT_MS: u64 = 24 * 60 * 60 * 1_000;

/// Bytes of one PATCH of a resumable upload that comes with a checksum: they are kept in memory until it was checked.
pub const CHECKED_UPLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Parts of which one file is made.
pub const JOINED_PARTS_MAX: usize = 1_000;

/// Bytes of a command in Extended JSON: about what 16 MiB of BSON take.
pub const COMMAND_BYTES_MAX: usize = 48 * 1024 * 1024;

/// Bytes of a file's name.
pub const NAME_BYTES_MAX: usize = 1_024;

/// Files in one form.
pub const FORM_FILES_MAX: usize = 1_000;

/// A file up to this length is read before the answer begins, so that damage is an error and not an answer cut off.
pub const READ_AHEAD_BYTES_MAX: u64 = 1024 * 1024;

/// Wrong passwords of one user from one address, after which the page's form has to wait.
pub const SIGN_INS_FAILED_MAX: u32 = 10;

/// The pause after the last of them.
pub const SIGN_IN_PAUSE: Duration = Duration::from_secs(60);
