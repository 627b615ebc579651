//! The 16 bytes in front of every message.

use super::{WireError, split_i32};

/// The length of a header.
pub const HEADER_BYTES: usize = 16;
/// The longest message, header included (`maxMessageSizeBytes`).
pub const MESSAGE_BYTES_MAX: usize = 48_000_000;

/// What kind of message follows a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpCode {
    /// The answer to an OP_QUERY.
    Reply,
    /// Before OP_MSG; the first hello of some drivers.
    Query,
    /// Another message, compressed.
    Compressed,
    /// A command or its answer.
    Msg,
    /// Anything else, by its number.
    Other(i32),
}

impl OpCode {
    /// The kind of this number.
    pub fn from_number(number: i32) -> OpCode {
        match number {
            1 => OpCode::Reply,
            2004 => OpCode::Query,
            2012 => OpCode::Compressed,
            2013 => OpCode::Msg,
            other => OpCode::Other(other),
        }
    }

    /// The number on the wire.
    pub fn number(self) -> i32 {
        match self {
            OpCode::Reply => 1,
            OpCode::Query => 2004,
            OpCode::Compressed => 2012,
            OpCode::Msg => 2013,
            OpCode::Other(number) => number,
        }
    }
}

/// A message's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The message's length, header included.
    pub length: usize,
    /// The sender's number for the message.
    pub request_id: i32,
    /// The request that the message answers.
    pub response_to: i32,
    /// What follows.
    pub opcode: OpCode,
}

impl Header {
    /// Reads a header and checks its length.
    pub fn parse(bytes: &[u8; HEADER_BYTES]) -> Result<Header, WireError> {
        let fields = || {
            let (length, rest) = split_i32(bytes)?;
            let (request_id, rest) = split_i32(rest)?;
            let (response_to, rest) = split_i32(rest)?;
            let (opcode, _) = split_i32(rest)?;
            Some((length, request_id, response_to, opcode))
        };
        let (length, request_id, response_to, opcode) = fields().unwrap_or_default();
        let within = HEADER_BYTES..=MESSAGE_BYTES_MAX;
        match usize::try_from(length)
            .ok()
            .filter(|length| within.contains(length))
        {
            Some(length) => Ok(Header {
                length,
                request_id,
                response_to,
                opcode: OpCode::from_number(opcode),
            }),
            None => Err(WireError::Framing(format!(
                "message length {length} is not within [{HEADER_BYTES}, {MESSAGE_BYTES_MAX}]"
            ))),
        }
    }

    /// Puts the header into the place that a message has left for it.
    pub fn write_at_front(&self, message: &mut [u8]) {
        // Replies are far below 2 GB: documents end at 16 MB and batches too.
        let length = self.length as i32;
        let fields = [length, self.request_id, self.response_to, self.opcode.number()];
        for (place, field) in message.chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
    }
}
