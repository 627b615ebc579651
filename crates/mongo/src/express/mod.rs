//! Answers to the commonest question there is, without what other questions need: one document by its `_id`.
//!
//! A find whose filter is equality on `_id`, without options that change what comes out, is read out of the message where it
//! lies ([`request`]), and its document copied out of memory into the answer, or else read from the store: no command, context,
//! plan or cursor is made. Whatever is not just so, or is not there, goes the way of all commands, which alone knows how to
//! refuse.
//!
//! What must hold: an answer is, byte for byte, what the command `find` would give; who may not read is given none; what is
//! counted of finds is counted of these. Such a read waits for nothing but a block of the disk, so it is never listed, killed or
//! late; where an operation may be recorded by the profiler, or struck by a fail point, none is answered here.

mod request;
#[cfg(test)]
mod tests;

use crate::access::Access;
use crate::connection::Connection;
use crate::server::Server;
use crate::wire::{HEADER_BYTES, Header, OpCode};
use auth::Action;
use memory::{Holder, Share};
use request::FindById;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use value::ValueRef;
use value::raw::DocumentWriter;

/// What stands before the document of a message of one section: header, flags, and the section's kind.
const HEAD_BYTES: usize = HEADER_BYTES + 4 + 1;
/// Room for an answer before its document is known.
const ANSWER_BYTES: usize = 1024;

/// A whole message, and what it holds of the memory for answers.
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    /// `None` if it is short.
    pub(crate) held: Option<Share>,
}

/// The answer to a message, where it asks for one document that is there.
pub(crate) async fn answer(
    server: &Server,
    connection: &mut Connection,
    header: &Header,
    message: &[u8],
) -> Option<Answer> {
    let request = allowed(server, connection, header, message)?;
    let started = Instant::now();
    let reply = Reply {
        server,
        request: &request,
        to: header,
    };
    let engine = &server.engine;
    let at_hand = &mut connection.at_hand;
    let collection = engine.plain_collection(at_hand, request.database, request.collection)?;
    let out = match reply.write(ANSWER_BYTES, |out| collection.copy_at_hand(request.id, out)) {
        Some(out) => out,
        None => {
            // It may be long: then it waits, as the command does.
            if !engine.memory().has_room(Holder::Answers) {
                return None;
            }
            // Boxed, so that a connection is small while nothing is read.
            let document = Box::pin(collection.read(request.id)).await?;
            let bytes = document.bytes();
            reply.write(ANSWER_BYTES + bytes.len(), |out| {
                out.extend_from_slice(bytes);
                true
            })?
        }
    };
    if let Some(session) = request.session {
        let session = connection.login.session(session);
        engine
            .touch_session_again(&mut connection.at_hand, session, started)
            .ok()?;
    }
    let counters = &server.counters;
    counters.requests.fetch_add(1, Ordering::Relaxed);
    counters.queries.fetch_add(1, Ordering::Relaxed);
    counters
        .bytes_in
        .fetch_add(message.len() as u64, Ordering::Relaxed);
    counters.bytes_out.fetch_add(out.len() as u64, Ordering::Relaxed);
    engine.note_find(&connection.at_hand, started.elapsed());
    Some(Answer {
        held: server.share_of_answer(out.len()),
        bytes: out,
    })
}

/// The request, where whoever asks may be answered here.
fn allowed<'a>(
    server: &Server,
    connection: &mut Connection,
    header: &Header,
    message: &'a [u8],
) -> Option<FindById<'a>> {
    if header.opcode != OpCode::Msg || server.options.test_commands {
        return None;
    }
    let request = FindById::read(message)?;
    let engine = &server.engine;
    if engine.may_profile(request.database, Duration::ZERO) {
        return None;
    }
    if engine.needs_login() {
        let (database, collection) = (request.database, request.collection);
        Access::Collection(Action::Find)
            .check(engine, connection, "find", database, collection)
            .ok()?;
    }
    if connection.login.full_name() != connection.shown_user.as_ref() {
        return None;
    }
    if let Some(time) = request.cluster_time {
        server.clock.advance(time);
    }
    let is_early = request.after.is_some_and(|time| server.clock.is_ahead(time));
    (!is_early).then_some(request)
}

/// An answer that is written.
#[derive(Clone, Copy)]
struct Reply<'a> {
    server: &'a Server,
    request: &'a FindById<'a>,
    to: &'a Header,
}

impl Reply<'_> {
    /// Writes the whole answer, of about this many bytes, with the document that `copy` appends; `None` if it appends nothing.
    fn write(self, bytes: usize, copy: impl FnOnce(&mut Vec<u8>) -> bool) -> Option<Vec<u8>> {
        let (database, collection) = (self.request.database, self.request.collection);
        let mut out = Vec::with_capacity(bytes);
        out.resize(HEAD_BYTES, 0);
        let mut reply = DocumentWriter::new(&mut out);
        let mut is_found = false;
        reply.put_document("cursor", |cursor| {
            cursor.put_array("firstBatch", |batch| is_found = batch.put_copied("0", copy));
            cursor.put("id", ValueRef::Int64(0));
            cursor.put_text("ns", &[database, ".", collection]);
        });
        if !is_found {
            return None;
        }
        reply.put("ok", ValueRef::Double(1.0));
        if self.request.session.is_some() {
            self.server.clock.write(&mut reply);
        }
        reply.finish();
        let head = Header {
            length: out.len(),
            request_id: self.server.next_request_id(),
            response_to: self.to.request_id,
            opcode: OpCode::Msg,
        };
        head.write_at_front(&mut out);
        Some(out)
    }
}
