//! Answers that may be long: gathered while they are small, sent in pieces when they grow.
//!
//! Whoever writes one reads a page of what it tells, writes its rows, and goes on to the next ([`Output::page`]). Pages are
//! short at first and grow while the client takes all at once. Where it does not ([`Output::must_wait`]), the rest of the page is
//! let go before the client is waited for: so a client that does not read costs no more than what is sent to it. A row may be as
//! long as a document: what a client does not take of it waits in a temporary file. What is read ahead is part of the memory
//! budget, and pages do not grow where that has no room. What may be long is read by turns ([`Output::begin_read`]).

use crate::limits::{CHUNK_BYTES, PAGE_BYTES, PIECES_BYTES};
use crate::operation::{Operation, Reader};
use crate::respond;
use access::error::{CouchError, Result};
use engine::{Engine, PageLimit, RevisionedCollection, SetAside};
use http::{BodyError, BodySender, Response};
use memory::{Share, Turn};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a feed keeps what it read ahead for a client that does not take it.
const MOMENT: Duration = Duration::from_millis(2);
/// How long the rest of a long text stays in memory for a client that does not take it, and the memory for reading ahead its own.
const PATIENCE: Duration = Duration::from_millis(50);

/// Where an answer is written.
#[derive(Debug)]
pub(crate) struct Output {
    /// What is still to be sent.
    pub(crate) text: String,
    sender: Option<BodySender>,
    first: Option<oneshot::Sender<First>>,
    reader: Arc<Reader>,
    /// The bytes that are read at once.
    page_bytes: usize,
    /// The memory for what is read and gathered.
    share: Share,
    /// The right to read, until what is written is counted or sent.
    turn: Option<Turn>,
    engine: Engine,
    /// The most that is read at once.
    page_bytes_max: usize,
    /// The bytes past which what is gathered is sent.
    piece_bytes_max: usize,
    /// Whether the client does not take all at once.
    is_behind: bool,
    /// Whether nothing is to be sent before the end, so that a failure has a status of its own.
    is_buffered: bool,
    is_feed: bool,
}

/// What the client that waits for the answer is told first.
#[derive(Debug)]
enum First {
    /// This is the whole of it.
    Whole(Result<String>),
    /// It has begun, and comes in pieces.
    Streamed(Box<Response>),
}

impl Output {
    /// The rest of an answer whose head is sent, and who reads it.
    pub(crate) fn of(sender: BodySender, operation: &Operation) -> Output {
        Output {
            sender: Some(sender.clone()),
            ..Output::new(Reader::of(sender), operation)
        }
    }

    fn new(reader: Arc<Reader>, operation: &Operation) -> Output {
        Output {
            text: String::new(),
            reader,
            sender: None,
            first: None,
            page_bytes: CHUNK_BYTES,
            page_bytes_max: PAGE_BYTES,
            share: operation.share_of_answers(),
            turn: None,
            engine: operation.engine().clone(),
            piece_bytes_max: PIECES_BYTES,
            is_behind: false,
            is_buffered: operation.buffers_answer(),
            is_feed: false,
        }
    }

    /// The same for a feed, of which there may be many that nobody reads.
    pub(crate) fn of_feed(sender: BodySender, operation: &Operation) -> Output {
        Output {
            page_bytes_max: PIECES_BYTES,
            piece_bytes_max: CHUNK_BYTES,
            is_feed: true,
            ..Output::of(sender, operation)
        }
    }

    /// To be called before a page or a row is read. Waits until the answers of others leave room; if documents of the collection may be
    /// long, few are read at the same time, since what is written is counted only when it is sent. Lasts until the end of the page or row.
    /// Fails if there is no room in time; a feed goes on then, because it would have to begin anew.
    pub(crate) async fn begin_read(&mut self, collection: &RevisionedCollection) -> Result<()> {
        if self.is_feed {
            self.engine.let_answers_go().await;
        } else if self.turn.is_none() {
            let turn = collection.turn_to_answer().await;
            self.turn = Some(turn.map_err(BodyError::from)?);
        }
        Ok(())
    }

    /// Others may read, unless what was read is so long that it is counted first.
    fn end_read(&mut self) {
        if self.text.len() <= PIECES_BYTES {
            self.turn = None;
        }
    }

    /// How much is to be read now, of this many rows at most.
    pub(crate) fn page(&self, rows: usize) -> PageLimit {
        PageLimit {
            entries: rows,
            bytes: self.page_bytes,
        }
    }

    /// Whether its client has to be waited for, so that what was read ahead is to be let go.
    pub(crate) fn must_wait(&mut self) -> bool {
        let length = self.text.len();
        let is_taken = self.sender.as_ref().is_none_or(BodySender::has_room);
        // What is sent in several pieces is waited for in any case.
        self.is_behind = self.is_long() || (length >= self.chunk_bytes() && !is_taken);
        self.is_behind
    }

    /// Whether a feed's client takes more, or does so in a moment. Where it does not, nothing is to be written for it, and what was
    /// read ahead is to be let go.
    pub(crate) async fn is_taken(&mut self) -> bool {
        let Some(sender) = self.sender.as_ref().filter(|_| self.text.is_empty()) else {
            return true;
        };
        let is_taken = sender.has_room() || timeout(MOMENT, sender.room()).await == Ok(true);
        self.is_behind = !is_taken;
        is_taken
    }

    /// Whether what is gathered is sent in several pieces, between which the client is waited for.
    pub(crate) fn is_long(&self) -> bool {
        !self.is_kept() && self.text.len() > PIECES_BYTES
    }

    /// Whether what is gathered is kept until the end.
    fn is_kept(&self) -> bool {
        self.is_buffered && self.first.is_some()
    }

    /// The memory of what is kept until the end.
    fn kept_bytes(&self) -> usize {
        if self.is_kept() { self.text.capacity() } else { 0 }
    }

    /// Sends what is gathered if it is enough; false where the client is gone.
    pub(crate) async fn flush_if_large(&mut self) -> bool {
        self.text.len() < self.chunk_bytes() || self.flush().await
    }

    /// What is gathered before it is sent: more, where the client takes all at once.
    fn chunk_bytes(&self) -> usize {
        self.page_bytes.min(self.piece_bytes_max)
    }

    /// The same after a row of which nothing is kept, and waits until the client takes more.
    pub(crate) async fn end_row(&mut self) -> bool {
        self.end_read();
        self.text.len() < CHUNK_BYTES || (self.flush().await && self.room().await)
    }

    /// The same when a page is let go, and waits until the client takes more.
    pub(crate) async fn end_page(&mut self) -> bool {
        self.end_read();
        let is_sent = self.flush_if_large().await;
        let (held, more) = (self.page_bytes, (self.page_bytes * 2).min(self.page_bytes_max));
        let kept = self.kept_bytes();
        self.page_bytes = match std::mem::take(&mut self.is_behind) {
            true => CHUNK_BYTES,
            false if self.share.fit(kept + more) => more,
            false => held,
        };
        if self.page_bytes == CHUNK_BYTES {
            // That much has everybody who waits.
            self.share.charge(kept);
        }
        is_sent && self.room().await
    }

    /// Begins one of the answers of `…/queries`; `before` is how many of them come before it.
    pub(crate) fn begin_result(&mut self, before: usize) {
        self.text.push_str(match before {
            0 => "{\"results\":[\r\n",
            _ => ",\r\n",
        });
    }

    /// Ends several answers, of which there are this many.
    pub(crate) fn end_results(&mut self, count: usize) {
        self.text.push_str(match count {
            0 => "{\"results\":[\r\n]}",
            _ => "\r\n]}",
        });
    }

    /// Sends all that is gathered, and keeps nothing until there is more; false where the client is gone.
    pub(crate) async fn pause(&mut self) -> bool {
        self.page_bytes = CHUNK_BYTES;
        self.share.charge(0);
        self.flush().await
    }

    /// Waits until the client takes more, so that nothing is read before; false where it is gone. If that takes long, the memory for
    /// reading ahead is left to others meanwhile.
    async fn room(&mut self) -> bool {
        let Some(sender) = self.sender.clone() else {
            return true;
        };
        if let Ok(is_there) = timeout(PATIENCE, sender.room()).await {
            return is_there;
        }
        self.page_bytes = CHUNK_BYTES;
        let kept = self.kept_bytes();
        self.share.charge(kept);
        sender.room().await
    }

    /// Sends what is gathered, and with it the head of the answer; false where the client is gone. What is to be kept until the end is,
    /// for as long as memory has room for it.
    pub(crate) async fn flush(&mut self) -> bool {
        let wanted = self.kept_bytes() + self.page_bytes;
        // Half of the room is left to answers that are sent.
        if self.is_kept() && self.share.fit_or_spill(wanted, true) {
            self.turn = None;
            return true;
        }
        if let Some(first) = self.first.take() {
            if self.is_buffered {
                self.share.charge(0);
            }
            let (sender, response) = respond::streamed(None);
            self.reader.streams_to(sender.clone());
            self.sender = Some(sender);
            if first.send(First::Streamed(Box::new(response))).is_err() {
                return false;
            }
        }
        let mut text = std::mem::take(&mut self.text);
        // It may wait for long until it is sent.
        text.shrink_to_fit();
        let Some(sender) = self.sender.clone() else {
            return false;
        };
        if text.len() <= PIECES_BYTES {
            return self.room().await && sender.send(text).await;
        }
        let ahead = self.share.bytes();
        // It is there already.
        self.share.charge(ahead + text.len());
        self.turn = None;
        let is_sent = match sender.send_while_taken(text, PATIENCE).await {
            None => false,
            Some(rest) if rest.is_empty() => true,
            Some(rest) => match self.engine.set_aside(rest).await {
                Ok(pieces) => {
                    self.share.charge(ahead);
                    send_pieces(&sender, pieces).await
                }
                // The disk is full.
                Err(rest) => sender.send(rest).await,
            },
        };
        self.share.charge(ahead);
        is_sent
    }
}

/// Sends what was set aside as the client takes it; false where the client is gone, or where the rest cannot be read, so that the
/// answer is cut off.
async fn send_pieces(sender: &BodySender, mut pieces: SetAside) -> bool {
    while sender.room().await {
        match pieces.next_piece() {
            Ok(Some(piece)) => {
                if !sender.send(piece).await {
                    return false;
                }
            }
            Ok(None) => return true,
            Err(error) => {
                tracing::error!(%error, "an answer was cut off");
                sender.clone().give_up().await;
                return false;
            }
        }
    }
    false
}

/// Answers with JSON text that is all there, and may be long.
pub(crate) fn respond(operation: &Operation, mut text: String) -> Response {
    if text.len() <= PAGE_BYTES {
        return respond::ok(text);
    }
    text.push('\n');
    let (sender, response) = respond::streamed(Some(text.len() as u64));
    let mut output = Output::of(sender, operation);
    output.text = text;
    tokio::spawn(async move { output.flush().await });
    response
}

/// Answers with what `write` writes, as part of the operation.
pub(crate) async fn respond_with<W, F>(operation: &Arc<Operation>, write: W) -> Result<Response>
where
    W: FnOnce(Output) -> F,
    F: Future<Output = (Output, Result<()>)> + Send + 'static,
{
    let (first, told) = oneshot::channel();
    let (reader, _waits) = Reader::waiting();
    let writing = write(Output {
        first: Some(first),
        ..Output::new(reader.clone(), operation)
    });
    let running = operation.clone();
    // A task of its own, which goes on when the head of the answer is sent.
    tokio::spawn(async move {
        let (mut output, ended) = running.run_for(reader, writing).await;
        if let Some(first) = output.first.take() {
            // Nobody listens where the client is gone.
            drop(first.send(First::Whole(ended.map(|()| output.text))));
            return;
        }
        match ended {
            Ok(()) => drop(output.flush().await),
            Err(error) => {
                tracing::error!(%error, "an answer was cut off");
                if let Some(sender) = output.sender {
                    sender.give_up().await;
                }
            }
        }
    });
    match told.await {
        Ok(First::Whole(text)) => Ok(respond(operation, text?)),
        Ok(First::Streamed(response)) => Ok(*response),
        Err(_) => Err(CouchError::new(
            http::StatusCode::INTERNAL_SERVER_ERROR,
            "internal_server_error",
            "the answer could not be made",
        )),
    }
}
