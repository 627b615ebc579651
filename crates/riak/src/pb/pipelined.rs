//! Puts that a client sends one behind the other, without waiting for answers: those of one bucket are written in one commit, and
//! so pay for one flush.
//!
//! Whatever would show that they were not written one after the other ends such a row: another message, or another put of the same
//! key.

use super::connection::{Connection, GROWTH_BYTES_MIN};
use super::frame::code;
use super::messages::PutReq;
use super::wire::Message;
use crate::limits::VALUE_BYTES_MAX;
use std::collections::HashSet;

/// The puts that are written together.
const TOGETHER_MAX: usize = 128;
/// The bytes of those behind the first: what the connection has memory for.
const BEHIND_BYTES_MAX: usize = GROWTH_BYTES_MIN;

/// Takes the puts that have come behind a first one and go with it.
pub(super) fn puts_behind(connection: &mut Connection, first: &PutReq) -> Vec<PutReq> {
    let mut behind = Vec::new();
    // What a document cannot hold becomes a file before it is put.
    if has_long_answer(first) || first.content.value.len() > VALUE_BYTES_MAX {
        return behind;
    }
    let mut bytes = 0;
    let mut keys: HashSet<Vec<u8>> = first.key.iter().cloned().collect();
    while behind.len() + 1 < TOGETHER_MAX
        && let Some((code::PUT, message)) = connection.waiting()
        && let more = message.len()
        && bytes + more <= BEHIND_BYTES_MAX
        // One that cannot be read is told so when it is alone.
        && let Ok(next) = PutReq::decode(message)
        && goes_with(first, &next)
        && next.key.as_ref().is_none_or(|key| keys.insert(key.clone()))
    {
        connection.take_waiting();
        bytes += more;
        behind.push(next);
    }
    behind
}

fn goes_with(first: &PutReq, next: &PutReq) -> bool {
    (&first.kind, &first.bucket, first.timeout) == (&next.kind, &next.bucket, next.timeout)
        && !has_long_answer(next)
}

/// Whether more than that it is written is asked for.
fn has_long_answer(request: &PutReq) -> bool {
    request.return_body == Some(true) || request.return_head == Some(true)
}
