//! The one writer of a listener: what has gathered is inserted together.

use engine::{Context, Engine, InsertReply, Namespace, WriteOptions};
use logline::{Format, Parser};
use memory::{Budget, Holder, Share};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;
use value::{Document, DocumentBuf, Value};

/// The most batches of messages that wait; further datagrams are dropped, and connections wait.
const WAITING_MAX: usize = 1000;
/// The most documents that are inserted together.
const BATCH_MAX: usize = 1000;
/// How often the log says how many messages were dropped.
const SAID_EVERY: Duration = Duration::from_secs(10);

/// Messages, and the sender through which their client is told that they are durable.
struct Batch {
    documents: Vec<DocumentBuf>,
    done: Option<oneshot::Sender<Vec<bool>>>,
    /// Its share of memory, until it is written.
    room: Share,
}

/// Where messages are handed in.
#[derive(Clone)]
pub(crate) struct Writer {
    sender: mpsc::Sender<Batch>,
    memory: Budget,
    parser: Arc<Parser>,
    dropped: Arc<Dropped>,
    task: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// How many messages were not kept.
#[derive(Default)]
struct Dropped {
    count: AtomicU64,
}

impl Writer {
    pub(crate) fn start(engine: Engine, namespace: Namespace) -> Writer {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        let dropped = Arc::new(Dropped::default());
        let memory = engine.memory().clone();
        let task = tokio::spawn(write(engine, namespace, receiver, dropped.clone()));
        Writer {
            sender,
            memory,
            parser: Arc::new(Parser::new(Format::Syslog)),
            dropped,
            task: Arc::new(Mutex::new(Some(task))),
        }
    }

    /// The budget from which messages take their memory.
    pub(crate) fn memory(&self) -> &Budget {
        &self.memory
    }

    /// A message as a document. Text without any form of syslog is a message all the same.
    pub(crate) fn document(&self, message: &[u8]) -> Option<DocumentBuf> {
        let text = String::from_utf8_lossy(message);
        let text = text.trim_end_matches(['\r', '\n', '\0']);
        if text.is_empty() {
            return None;
        }
        let now = value::date::now_ms();
        let parsed = self.parser.parse(text, now);
        let mut document = parsed.unwrap_or_else(|_| Document::new().with("message", text));
        if !document.contains("time") {
            document.insert_at(0, "time", Value::DateTime(now));
        }
        Some(DocumentBuf::from(&document))
    }

    /// Passes messages on if there is room; otherwise they are dropped and counted.
    pub(crate) fn offer(&self, documents: Vec<DocumentBuf>) {
        let count = documents.len();
        let mut room = self.memory.share(Holder::Syslog);
        if room.set(bytes_of(&documents)).is_err() {
            return self.dropped.add(count);
        }
        let batch = Batch {
            documents,
            done: None,
            room,
        };
        if self.sender.try_send(batch).is_err() {
            self.dropped.add(count);
        }
    }

    /// Passes messages on, and waits for room.
    pub(crate) async fn send(&self, documents: Vec<DocumentBuf>) {
        self.hand_in(documents, None).await;
    }

    /// Passes messages on and waits until they are written. Returns for each whether it is durable.
    pub(crate) async fn keep(&self, documents: Vec<DocumentBuf>) -> Vec<bool> {
        let none = vec![false; documents.len()];
        let (done, is_done) = oneshot::channel();
        self.hand_in(documents, Some(done)).await;
        is_done.await.unwrap_or(none)
    }

    async fn hand_in(&self, documents: Vec<DocumentBuf>, done: Option<oneshot::Sender<Vec<bool>>>) {
        let count = documents.len();
        let mut room = self.memory.share(Holder::Syslog);
        // The documents are in memory already, in place of the bytes of the messages: it is the next read of a connection that
        // waits for room.
        room.charge(bytes_of(&documents));
        let batch = Batch {
            documents,
            done,
            room,
        };
        if self.sender.send(batch).await.is_err() {
            self.dropped.add(count);
        }
    }

    /// Counts a message that was refused before it was passed on.
    pub(crate) fn refused(&self) {
        self.dropped.add(1);
    }

    /// Waits until all that was handed in is written.
    pub(crate) async fn end(self) {
        let task = self.task.lock().await.take();
        drop(self.sender);
        if let Some(task) = task {
            // A writer that has panicked has logged it.
            drop(task.await);
        }
    }
}

/// The bytes that documents take until they are written.
fn bytes_of(documents: &[DocumentBuf]) -> usize {
    let bytes = documents
        .iter()
        .map(|document| document.bytes().len())
        .sum::<usize>();
    bytes + size_of_val(documents)
}

impl Dropped {
    fn add(&self, messages: usize) {
        self.count.fetch_add(messages as u64, Ordering::Relaxed);
    }
}

async fn write(
    engine: Engine,
    namespace: Namespace,
    mut receiver: mpsc::Receiver<Batch>,
    dropped: Arc<Dropped>,
) {
    let mut said = Said::default();
    while let Some(first) = receiver.recv().await {
        let (mut documents, mut batches) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some(mut batch) = next {
            let begin = documents.len();
            documents.append(&mut batch.documents);
            batches.push((batch, begin..documents.len()));
            next = match documents.len() < BATCH_MAX {
                true => receiver.try_recv().ok(),
                false => None,
            };
        }
        let count = documents.len();
        // A refused document must not keep the others out: they are of many clients.
        let options = WriteOptions {
            ordered: false,
            ..WriteOptions::default()
        };
        let outcome = engine
            .insert(&Context::default(), &namespace, documents, &options)
            .await;
        let failure = match &outcome {
            Ok(reply) => reply
                .failures
                .first()
                .map(|failure| failure.error.message.clone()),
            Err(error) => Some(error.message.clone()),
        };
        let lost = count as u64 - outcome.as_ref().map_or(0, |reply| reply.inserted);
        dropped.add(lost as usize);
        answer(batches, outcome.ok());
        said.say(&dropped, false, failure);
    }
    said.say(&dropped, true, None);
}

/// What was logged of messages that were dropped.
#[derive(Default)]
struct Said {
    count: u64,
    at: Option<Instant>,
}

impl Said {
    fn say(&mut self, dropped: &Dropped, is_end: bool, failure: Option<String>) {
        let total = dropped.count.load(Ordering::Relaxed);
        if let Some(more) = self.more(total, is_end) {
            let reason = failure.unwrap_or_else(|| "they came faster than they could be written".to_owned());
            tracing::warn!(
                dropped = more,
                dropped_altogether = total,
                reason,
                "messages of syslog were dropped"
            );
        }
    }

    /// How many of all dropped messages were not logged yet, if it is time to log them. At the end it always is.
    fn more(&mut self, total: u64, is_end: bool) -> Option<u64> {
        let is_due = is_end || self.at.is_none_or(|at| at.elapsed() >= SAID_EVERY);
        let more = total - self.count;
        if more == 0 || !is_due {
            return None;
        }
        (self.count, self.at) = (total, Some(Instant::now()));
        Some(more)
    }
}

/// Tells the clients that wait which of their messages are durable; without a reply none is.
fn answer(batches: Vec<(Batch, Range<usize>)>, reply: Option<InsertReply>) {
    let refused: Option<HashSet<usize>> =
        reply.map(|reply| reply.failures.iter().map(|failure| failure.index).collect());
    let is_kept = |place: usize| refused.as_ref().is_some_and(|refused| !refused.contains(&place));
    for (batch, places) in batches {
        drop(batch.room);
        if let Some(done) = batch.done {
            // The one who asked may have gone.
            let _ = done.send(places.map(is_kept).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_messages_are_reported_now_and_then_and_at_the_end() {
        let mut said = Said::default();
        assert_eq!(said.more(0, false), None);
        assert_eq!(said.more(3, false), Some(3));
        assert_eq!(said.more(5, false), None);
        assert_eq!(said.more(5, true), Some(2));
        assert_eq!(said.more(5, true), None);
    }
}
