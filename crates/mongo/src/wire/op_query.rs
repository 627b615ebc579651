//! OP_QUERY and OP_REPLY, which are left of the protocol before OP_MSG: drivers say hello with them.

use super::message::Request;
use super::op_msg::take_document;
use super::{WireError, split_i32};
use bytes::{Buf, Bytes};
use code::Code;

/// The command of an OP_QUERY on a `$cmd` collection.
pub fn parse(message: &Bytes) -> Result<Request, WireError> {
    let broken = || WireError::Framing("a truncated OP_QUERY".into());
    let (_, rest) = split_i32(message).ok_or_else(broken)?;
    let end = rest.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
    let namespace = rest.get(..end).unwrap_or_default();
    if !namespace.ends_with(b".$cmd") {
        return Err(WireError::invalid(
            Code::UNSUPPORTED_OP_QUERY_COMMAND,
            "Unsupported OP_QUERY command: the client driver may require an upgrade",
        ));
    }
    // Flags, the name and its NUL, how many to skip and how many to return.
    let before_query = 4 + end + 1 + 8;
    let mut rest = message.clone();
    if rest.len() < before_query {
        return Err(broken());
    }
    rest.advance(before_query);
    let body = take_document(&mut rest)?;
    Ok(Request {
        body,
        sequences: Vec::new(),
    })
}
