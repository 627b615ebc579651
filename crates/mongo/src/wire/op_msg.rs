//! OP_MSG: flags, then sections, then perhaps a checksum.

use super::header::HEADER_BYTES;
use super::message::Request;
use super::{COMMAND_OVERHEAD_BYTES_MAX, DOCUMENT_BYTES_MAX, WireError, document_len};
use bytes::{Buf, Bytes};
use code::Code;
use value::DocumentBuf;
use value::raw::RawError;

const CHECKSUM_PRESENT: u32 = 1;
const MORE_TO_COME: u32 = 1 << 1;
const EXHAUST_ALLOWED: u32 = 1 << 16;
/// Bits that a receiver must know, or else refuse the message.
const REQUIRED_BITS: u32 = 0xFFFF;

const KIND_BODY: u8 = 0;
const KIND_SEQUENCE: u8 = 1;

/// How many sequences a message may carry: `bulkWrite`, which carries most, has two.
const SEQUENCES_MAX: usize = 8;

/// Documents beside a command, under the name that the array would have in it.
#[derive(Clone, Debug)]
pub struct DocumentSequence {
    /// The array's name.
    pub name: String,
    /// The documents.
    pub documents: Vec<DocumentBuf>,
}

/// How many replies a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepliesWanted {
    /// None.
    None,
    /// One.
    One,
    /// As many as there are, without asking again.
    Stream,
}

/// The request of a whole message, header included, and how many replies the client takes.
pub fn parse(message: &Bytes) -> Result<(Request, RepliesWanted), WireError> {
    let (flags, mut rest) = split_flags(message)?;
    let mut body = None;
    let mut sequences: Vec<DocumentSequence> = Vec::new();
    while rest.has_remaining() {
        match rest.get_u8() {
            KIND_BODY if body.is_some() => {
                return Err(WireError::invalid(
                    Code::location(40_430),
                    "Multiple body sections in message",
                ));
            }
            KIND_BODY => body = Some(take_document(&mut rest)?),
            KIND_SEQUENCE => {
                let sequence = take_sequence(&mut rest)?;
                if sequences.iter().any(|present| present.name == sequence.name) {
                    let message = format!("Duplicate document sequence: {}", sequence.name);
                    return Err(WireError::invalid(Code::location(40_431), message));
                }
                if sequences.len() == SEQUENCES_MAX {
                    return Err(WireError::invalid(
                        Code::TOO_MANY_DOCUMENT_SEQUENCES,
                        "Too many document sequences in OP_MSG",
                    ));
                }
                sequences.push(sequence);
            }
            // Its length is not known, so nothing after it can be read either.
            kind => {
                return Err(WireError::invalid(
                    Code::location(40_432),
                    format!("Unknown section kind {kind}"),
                ));
            }
        }
    }
    let Some(body) = body else {
        return Err(WireError::invalid(
            Code::location(40_587),
            "OP_MSG messages must have a body section",
        ));
    };
    if let Some(twice) = sequences
        .iter()
        .find(|sequence| body.as_raw().get(&sequence.name).is_some())
    {
        let message = format!(
            "Duplicate field between body and document sequence {}",
            twice.name
        );
        return Err(WireError::invalid(Code::location(40_433), message));
    }
    let wanted = match flags {
        flags if flags & MORE_TO_COME != 0 => RepliesWanted::None,
        flags if flags & EXHAUST_ALLOWED != 0 => RepliesWanted::Stream,
        _ => RepliesWanted::One,
    };
    Ok((Request { body, sequences }, wanted))
}

/// Checks flags and checksum; the sections without them.
fn split_flags(message: &Bytes) -> Result<(u32, Bytes), WireError> {
    let Some((_, payload)) = message.split_at_checked(HEADER_BYTES) else {
        return Err(WireError::Framing("OP_MSG without a header".into()));
    };
    let Some(flags) = payload.first_chunk::<4>() else {
        return Err(WireError::Framing("OP_MSG without flags".into()));
    };
    let flags = u32::from_le_bytes(*flags);
    // The protocol lets a receiver ignore bits of the upper half that it does not know, but none of the lower half: such
    // a bit changes how the rest is to be read.
    if flags & REQUIRED_BITS & !(CHECKSUM_PRESENT | MORE_TO_COME) != 0 {
        return Err(WireError::Framing(format!(
            "OP_MSG with illegal flags {flags:#x}"
        )));
    }
    let sections = HEADER_BYTES + 4;
    if flags & CHECKSUM_PRESENT == 0 {
        return Ok((flags, message.slice(sections..)));
    }
    match message.split_last_chunk::<4>() {
        // The checksum covers the message from the first byte of its header.
        Some((covered, checksum)) if covered.len() >= sections => {
            if crc32c::crc32c(covered) != u32::from_le_bytes(*checksum) {
                return Err(WireError::Framing(
                    "OP_MSG whose checksum does not match its contents".into(),
                ));
            }
            Ok((flags, message.slice(sections..covered.len())))
        }
        _ => Err(WireError::Framing("OP_MSG without its checksum".into())),
    }
}

fn take_sequence(rest: &mut Bytes) -> Result<DocumentSequence, WireError> {
    let broken = || {
        WireError::invalid(
            Code::PROTOCOL_ERROR,
            "A document sequence's length does not fit its message",
        )
    };
    let size = rest
        .first_chunk::<4>()
        .and_then(|size| usize::try_from(i32::from_le_bytes(*size)).ok())
        // The size counts its own four bytes.
        .filter(|size| *size > 4 && *size <= rest.len())
        .ok_or_else(broken)?;
    let mut section = rest.split_to(size);
    section.advance(4);
    let end = section.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
    let name = section.split_to(end);
    section.advance(1);
    let name = std::str::from_utf8(&name)
        .map_err(|_| WireError::invalid(Code::PROTOCOL_ERROR, "A document sequence's name is not UTF-8"))?
        .to_owned();
    let mut documents = Vec::new();
    while section.has_remaining() {
        documents.push(take_document(&mut section)?);
    }
    Ok(DocumentSequence { name, documents })
}

/// The document at the front, checked; its bytes are shared with the message.
pub(super) fn take_document(rest: &mut Bytes) -> Result<DocumentBuf, WireError> {
    let Some(length) = document_len(rest) else {
        return Err(WireError::invalid(
            Code::INVALID_BSON,
            "A document's length does not fit its message",
        ));
    };
    if length > DOCUMENT_BYTES_MAX + COMMAND_OVERHEAD_BYTES_MAX {
        let message = format!(
            "BSONObj size: {length} ({length:#X}) is invalid. Size must be between 0 and {}(16MB)",
            DOCUMENT_BYTES_MAX + COMMAND_OVERHEAD_BYTES_MAX
        );
        return Err(WireError::invalid(Code::BSON_OBJECT_TOO_LARGE, message));
    }
    DocumentBuf::new(rest.split_to(length)).map_err(|error| invalid_document(&error))
}

fn invalid_document(error: &RawError) -> WireError {
    let code = if error.is_too_deep() {
        Code::OVERFLOW
    } else {
        Code::INVALID_BSON
    };
    WireError::invalid(code, error.to_string())
}
