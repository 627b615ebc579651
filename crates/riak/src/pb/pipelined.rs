//! Pipelined puts, which a client sends one after the other without waiting for answers: those of one bucket are written in one
//! commit, and so with one flush.
//!
//! Such a group ends before whatever would show that its puts were not written one after the other: another message, or another put
//! of the same key.

use super::connection::{Connection, GROWTH_BYTES_MIN};
use super::frame::code;
use super::messages::PutReq;
use super::wire::Message;
use crate::limits::VALUE_BYTES_MAX;
use std::collections::HashSet;

/// How many puts are written together at most.
const TOGETHER_MAX: usize = 128;
/// The bytes of the puts after the first: what the connection has memory for.
const FOLLOWING_BYTES_MAX: usize = GROWTH_BYTES_MIN;

/// Takes the puts that have arrived after a first one and are written with it.
pub(super) fn following_puts(connection: &mut Connection, first: &PutReq) -> Vec<PutReq> {
    let mut following = Vec::new();
    // What a document cannot hold becomes a file before it is put.
    if has_long_answer(first) || first.content.value.len() > VALUE_BYTES_MAX {
        return following;
    }
    let mut bytes = 0;
    let mut keys: HashSet<Vec<u8>> = first.key.iter().cloned().collect();
    while following.len() + 1 < TOGETHER_MAX
        && let Some((code::PUT, message)) = connection.waiting()
        && let more = message.len()
        && bytes + more <= FOLLOWING_BYTES_MAX
        // A put that cannot be decoded gets its error when it is answered alone.
        && let Ok(next) = PutReq::decode(message)
        && goes_with(first, &next)
        && next.key.as_ref().is_none_or(|key| keys.insert(key.clone()))
    {
        connection.take_waiting();
        bytes += more;
        following.push(next);
    }
    following
}

fn goes_with(first: &PutReq, next: &PutReq) -> bool {
    (&first.kind, &first.bucket, first.timeout) == (&next.kind, &next.bucket, next.timeout)
        && !has_long_answer(next)
}

/// Whether the answer is to have more than the acknowledgement.
fn has_long_answer(request: &PutReq) -> bool {
    request.return_body == Some(true) || request.return_head == Some(true)
}
