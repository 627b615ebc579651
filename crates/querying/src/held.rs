//! What a search keeps in memory: hits, buckets, suggestions, and the answer that is made of them.

use mapping::error::{ErrorKind, Result, SearchError};
use memory::{Budget, Holder, Share, WAIT_MAX};
use parking_lot::Mutex;
use serde_json::{Map, Value};

/// What a member of an object takes besides its name and value: its hash, its place, two sizes.
const MEMBER_BYTES: usize = 48;

/// Answers that are made of no more wait for no others.
const SHORT_BYTES: usize = 1 << 20;

/// A part of the memory of searches. It is given back when this is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Budget,
    share: Mutex<Share>,
}

impl Held {
    /// Nothing yet, of this memory.
    pub fn within(budget: &Budget) -> Held {
        Held {
            budget: budget.clone(),
            share: Mutex::new(budget.share(Holder::Searches)),
        }
    }

    /// Nothing yet, of the same memory.
    #[must_use]
    pub fn another(&self) -> Held {
        Held::within(&self.budget)
    }

    /// Takes so much more; fails where there is no room for it.
    pub fn add(&self, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let added = self.share.lock().add(bytes);
        added.map_err(|full| SearchError::new(ErrorKind::Memory, full.to_string()))
    }

    /// As [`Held::add`], for whoever can do with less: false where there is no room.
    pub fn fit(&self, bytes: usize) -> bool {
        let mut share = self.share.lock();
        let wanted = share.bytes().saturating_add(bytes);
        share.fit(wanted)
    }

    /// Waits for room for an answer made of this many bytes, if it is long. Fails if other answers are not sent in time: clients
    /// that read nothing would fill the memory.
    pub async fn room_to_answer(&self, bytes: usize) -> Result<()> {
        if bytes <= SHORT_BYTES {
            return Ok(());
        }
        let room = self.budget.room(Holder::Answers, WAIT_MAX).await;
        room.map_err(|full| SearchError::new(ErrorKind::Memory, full.to_string()))
    }

    /// Gives back what was taken.
    pub fn give_back(&self, bytes: usize) {
        let mut share = self.share.lock();
        let left = share.bytes().saturating_sub(bytes);
        // What is less always fits.
        share.fit(left);
    }

    /// Takes what a part of an answer needs, once it is made.
    pub fn add_shown(&self, value: &Value) -> Result<()> {
        self.add(value_bytes(value))
    }
}

/// About the bytes that JSON takes in memory.
fn value_bytes(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => own,
        Value::String(text) => own + text.capacity(),
        Value::Array(values) => own + values.iter().map(value_bytes).sum::<usize>(),
        Value::Object(members) => own + members_bytes(members),
    }
}

fn members_bytes(members: &Map<String, Value>) -> usize {
    let one = |(name, value): (&String, &Value)| MEMBER_BYTES + name.len() + value_bytes(value);
    members.iter().map(one).sum()
}
