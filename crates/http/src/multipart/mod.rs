//! Multipart bodies (RFC 2046, section 5.1): parts with headers of their own between delimiters.
//!
//! [`MultipartParser`] takes bytes as they come and says what they are; [`MultipartReader`] does so with a body, part
//! by part. A reader is itself something to read from, so a part that is multipart again is read by a second one.
//!
//! What must hold: memory is bounded by the pieces that come and by [`PART_HEAD_BYTES_MAX`], whatever a body holds.

mod boundary;
mod parser;
mod reader;

pub use boundary::{boundary, parameter};
pub use parser::{Event, MultipartParser, PART_HEAD_BYTES_MAX, PartHead};
pub use reader::{MultipartReader, Pieces};

use crate::BodyError;

/// Why a multipart body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MultipartError {
    /// The media type is not a multipart one with a usable boundary.
    #[error("the content type names no boundary")]
    NoBoundary,
    /// A line in the head of a part is no header.
    #[error("bad part header")]
    BadHeader,
    /// The head of a part is longer than is taken.
    #[error("the headers of a part have more than {PART_HEAD_BYTES_MAX} bytes")]
    HeadTooLong,
    /// The body ended before its last delimiter.
    #[error("expected more data")]
    Ended,
    /// The body itself could not be read.
    #[error(transparent)]
    Body(#[from] BodyError),
}
