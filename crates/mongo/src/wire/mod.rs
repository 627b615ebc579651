//! Messages: bytes from a socket to requests, replies to bytes.
//!
//! Protocol: MongoDB's "Wire Protocol" page and the driver specifications for OP_MSG and OP_COMPRESSED.
//!
//! [`MessageReader`] cuts a stream into messages, [`Message::parse`] makes requests of them, [`Reply::encode`]
//! makes bytes of an answer. All bytes here may come from anybody: every length is checked before it is believed,
//! nothing is allocated for bytes that have not arrived, and an idle connection holds no buffer.

use code::Code;

mod compression;
mod header;
mod message;
mod op_msg;
mod op_query;
mod reader;
mod reply;

pub use compression::Compressor;
pub use header::{HEADER_BYTES, Header, MESSAGE_BYTES_MAX, OpCode};
pub use message::{Message, Request};
pub use op_msg::DocumentSequence;
pub use reader::{Arrival, Intake, MessageReader};
pub use reply::{CursorBatch, Reply, ReplyForm};

/// The largest document that a client may store.
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How much larger than [`DOCUMENT_BYTES_MAX`] a command around such a document may be.
pub const COMMAND_OVERHEAD_BYTES_MAX: usize = 16 * 1024;

/// Why bytes are not a message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The connection ended in the middle of a message, or failed.
    #[error("the connection failed: {0}")]
    Io(#[from] std::io::Error),
    /// The stream cannot be cut into messages any more: nothing to do but close it.
    #[error("not a message: {0}")]
    Framing(String),
    /// One message is wrong; the next may be right.
    #[error("{message}")]
    Invalid {
        /// MongoDB's error code.
        code: Code,
        /// What is wrong.
        message: String,
    },
}

impl WireError {
    fn invalid(code: Code, message: impl Into<String>) -> WireError {
        WireError::Invalid {
            code,
            message: message.into(),
        }
    }
}

/// Splits a little-endian i32 off the front.
fn split_i32(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((i32::from_le_bytes(*head), rest))
}

/// The length that a document at the front claims, where that many bytes are there.
fn document_len(bytes: &[u8]) -> Option<usize> {
    let (length, _) = split_i32(bytes)?;
    let length = usize::try_from(length).ok()?;
    (length >= 5 && length <= bytes.len()).then_some(length)
}
