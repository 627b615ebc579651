//! The errors of files.

use super::DigestKind;
use crate::error::Error;
use value::ObjectId;

/// A refusal or a failure.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FileError {
    /// Another writer has the upload.
    #[error("another client is writing to this upload; wait until it has ended")]
    Busy,
    /// A file with this id exists.
    #[error("a file with the id {0} exists in the bucket")]
    Exists(String),
    /// What was received is not what was declared.
    #[error("the bytes received do not have the declared {0} digest; nothing was kept of them")]
    DigestMismatch(DigestKind),
    /// More bytes than the upload was declared to have.
    #[error("the upload was declared to have {declared} bytes, but {received} came")]
    TooLong {
        /// Bytes declared.
        declared: u64,
        /// Bytes received so far.
        received: u64,
    },
    /// The length of the upload was declared before.
    #[error("the upload was declared to have {declared} bytes before, not {length}; that cannot change")]
    OtherLength {
        /// Bytes declared first.
        declared: u64,
        /// Bytes declared now.
        length: u64,
    },
    /// An upload that was made of parts takes no bytes of its own.
    #[error("the upload was joined of parts; it is whole, nothing can be added to it")]
    Joined,
    /// There is no such part to join.
    #[error("no part {0} is kept: it expired, was joined before, or was not begun as a part")]
    PartMissing(ObjectId),
    /// A part is named twice. Otherwise a few names could make a file of any size.
    #[error("the part {0} is named twice; a part can be joined once")]
    PartTwice(ObjectId),
    /// A part has not all its bytes yet.
    #[error("the part {part} is not finished: it has {received} bytes so far; send the rest of it first")]
    PartUnfinished {
        /// The part.
        part: ObjectId,
        /// Bytes received so far.
        received: u64,
    },
    /// The file would have more chunks than a file may have.
    #[error("the file is too long: at most {0} bytes with this size of chunks")]
    TooManyChunks(u64),
    /// The state of the file is no longer what the writer requires.
    #[error("the file was changed by somebody else meanwhile")]
    ConditionFailed,
    /// The file was deleted, or replaced, while it was read.
    #[error("the file {0} was deleted while it was read")]
    Deleted(String),
    /// What is stored is not a whole file.
    #[error("the file {file} of bucket {bucket} is damaged: {what}")]
    Damaged {
        /// The bucket.
        bucket: String,
        /// The file's id.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl From<store::StoreError> for FileError {
    fn from(error: store::StoreError) -> FileError {
        FileError::Engine(error.into())
    }
}
