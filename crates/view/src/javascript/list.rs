//! A list function: it runs in a thread of its own while rows come and its answer is read.
//!
//! The function asks for rows one by one; it is handed them from batches, and what it sends meanwhile is gathered. So a thread
//! waits, and its reader with it, only between two batches.

use super::runtime::{self, Ended, NextRow, Runtime};
use super::{Command, Program, ScriptError, worker};
use crate::limits::{LIST_TEXT_BYTES, LISTS_MAX};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc as rows;
use std::thread;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};

/// The list functions that may still be started.
static PLACES: Semaphore = Semaphore::const_new(LISTS_MAX);

/// A list function that runs. Dropped, it is ended.
#[derive(Debug)]
pub struct List {
    steps: mpsc::Receiver<ListStep>,
    rows: rows::Sender<Vec<String>>,
    _place: SemaphorePermit<'static>,
}

/// How far a list function has come.
#[derive(Debug)]
pub enum ListStep {
    /// It has sent this, and goes on.
    Sent(Sent),
    /// It has sent this, and wants rows; an empty batch is the end of them.
    Rows(Sent),
    /// It has come to its end, and this is the rest.
    End(Sent),
    /// It failed.
    Failed(ScriptError),
}

/// What a list function has sent since it was last asked.
#[derive(Debug, Default)]
pub struct Sent {
    /// The head of its answer as JSON text, where there is a new one.
    pub head: Option<String>,
    /// What belongs to the answer's body.
    pub text: String,
    /// Whether something of the body was sent.
    has_begun: bool,
}

impl List {
    pub(super) async fn start(program: &Program, input: String) -> Result<List, ScriptError> {
        let unavailable = |error: &dyn std::fmt::Display| ScriptError::Unavailable(error.to_string());
        let place = PLACES.acquire().await.map_err(|error| unavailable(&error))?;
        let (step, steps) = mpsc::channel(1);
        let (rows, wanted) = rows::channel();
        let (sources, limits) = (program.sources.clone(), program.limits());
        let memory = program.memory.clone();
        let started = thread::Builder::new()
            .name("javascript".to_owned())
            .stack_size(runtime::THREAD_STACK_BYTES)
            .spawn(move || {
                let sent = Arc::default();
                let given = Given::new(step.clone(), wanted, Arc::clone(&sent));
                let run = worker::of_list(&memory, limits)
                    .map_err(ScriptError::from)
                    .and_then(|(_share, limits)| {
                        let runtime = Runtime::start(&sources, limits, Some(given.into_next_row()))?;
                        runtime.call(Command::List, input)
                    });
                let last = match run {
                    Ok(rest) => ListStep::End(sent.lock().ended_by(&rest)),
                    Err(error) => ListStep::Failed(error),
                };
                // Refused only where nobody wants it any more.
                let _ = step.blocking_send(last);
            });
        started.map_err(|error| unavailable(&error))?;
        Ok(List {
            steps,
            rows,
            _place: place,
        })
    }

    /// Waits until the function has come somewhere.
    pub async fn step(&mut self) -> ListStep {
        let ended = || ListStep::Failed(ScriptError::Unavailable("its thread ended".to_owned()));
        self.steps.recv().await.unwrap_or_else(ended)
    }

    /// Gives it rows that it wants, as JSON texts; none are the end.
    pub fn give(&self, rows: Vec<String>) {
        // A function that has ended says so in its next step.
        let _ = self.rows.send(rows);
    }
}

impl Sent {
    /// Adds what a function has sent. Its head can be another one until something of the body was sent.
    fn add(&mut self, text: &str, head: Option<String>) {
        if !self.has_begun && head.is_some() {
            self.head = head;
        }
        self.has_begun |= !text.is_empty();
        self.text.push_str(text);
    }

    /// Takes what was gathered.
    fn take(&mut self) -> Sent {
        Sent {
            head: self.head.take(),
            text: std::mem::take(&mut self.text),
            has_begun: self.has_begun,
        }
    }

    /// All with the rest, which the function gave as JSON text at its end.
    fn ended_by(&mut self, rest: &str) -> Sent {
        let (text, head): (String, Option<String>) = serde_json::from_str(rest).unwrap_or_default();
        self.add(&text, head);
        self.take()
    }
}

/// What the function's thread holds of rows and of what was sent.
struct Given {
    step: mpsc::Sender<ListStep>,
    wanted: rows::Receiver<Vec<String>>,
    rows: VecDeque<String>,
    sent: Arc<Mutex<Sent>>,
    is_over: bool,
}

impl Given {
    fn new(
        step: mpsc::Sender<ListStep>,
        wanted: rows::Receiver<Vec<String>>,
        sent: Arc<Mutex<Sent>>,
    ) -> Given {
        Given {
            step,
            wanted,
            rows: VecDeque::new(),
            sent,
            is_over: false,
        }
    }

    fn into_next_row(mut self) -> NextRow {
        Box::new(move |text, head| self.next_row(&text, head))
    }

    fn next_row(&mut self, text: &str, head: Option<String>) -> Result<Option<String>, Ended> {
        let mut sent = self.sent.lock();
        sent.add(text, head);
        let wants_rows = self.rows.is_empty() && !self.is_over;
        if wants_rows || sent.text.len() >= LIST_TEXT_BYTES {
            let step = if wants_rows {
                ListStep::Rows
            } else {
                ListStep::Sent
            };
            // Waits until the step before was taken: a function is no faster than its reader.
            self.step.blocking_send(step(sent.take())).map_err(|_| Ended)?;
        }
        if wants_rows {
            self.rows = self.wanted.recv().map_err(|_| Ended)?.into();
            self.is_over = self.rows.is_empty();
        }
        Ok(self.rows.pop_front())
    }
}
