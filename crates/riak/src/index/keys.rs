//! A range of keys in the order of their bytes, whatever `_id`s they are.
//!
//! The index of `_id`s has strings in that order. Keys that are no strings (bytes that are not UTF-8, numbers and the like) stand in it
//! before or after all strings, in an order of their own: those of the range are looked for and merged into the sequence of strings.

use super::Range;
use crate::error::Result;
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES};
use crate::names::key_of_id;
use engine::{DocumentPosition, PageLimit, RevisionedSnapshot};
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use value::{Document, Value};

/// How many keys that are no strings are kept at a time, and their bytes. Where the range has more, it is read again for those that follow.
const OTHERS_AT_ONCE: usize = 50_000;
const OTHERS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A key with its `_id`.
type Key = (Vec<u8>, Value);

/// A range of keys that is being read.
#[derive(Debug)]
pub(super) struct Keys {
    /// The first and the last key of the range.
    low: Vec<u8>,
    high: Vec<u8>,
    /// The keys up to this one were returned before.
    after: Option<Vec<u8>>,
    texts: Texts,
    others: Others,
}

#[derive(Debug)]
struct Texts {
    read: VecDeque<Key>,
    range: Range,
    position: Option<DocumentPosition>,
    is_ended: bool,
}

#[derive(Debug, Default)]
struct Others {
    found: VecDeque<Key>,
    /// The last that was found; the search for others goes on after it.
    last: Option<Vec<u8>>,
    is_ended: bool,
}

impl Keys {
    /// The keys from `low` to `high`, both included, after the one that was returned last.
    pub(super) fn between(low: &[u8], high: &[u8], after: Option<Vec<u8>>) -> Keys {
        let first = after.as_deref().map_or(low, |after| low.max(after));
        Keys {
            texts: Texts {
                read: VecDeque::new(),
                range: texts_between(first, high),
                position: None,
                is_ended: first > high,
            },
            others: Others {
                last: after.clone(),
                is_ended: first > high,
                ..Others::default()
            },
            low: low.to_vec(),
            high: high.to_vec(),
            after,
        }
    }

    /// The `_id`s of the next keys, one for each key; none at the end.
    pub(super) async fn next(&mut self, snapshot: &RevisionedSnapshot) -> Result<Vec<Value>> {
        let mut ids = Vec::new();
        while ids.len() < LISTED_AT_ONCE {
            self.read_texts(snapshot).await?;
            self.find_others(snapshot).await?;
            let order = match (self.texts.read.front(), self.others.found.front()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((text, _)), Some((other, _))) => text.cmp(other),
            };
            let text = order.is_le().then(|| self.texts.read.pop_front());
            let other = order.is_ge().then(|| self.others.found.pop_front());
            ids.extend(text.or(other).flatten().map(|(_, id)| id));
        }
        Ok(ids)
    }

    fn means(&self, key: &[u8]) -> bool {
        let is_after = self.after.as_deref().is_none_or(|after| key > after);
        is_after && (self.low.as_slice()..=self.high.as_slice()).contains(&key)
    }

    /// Reads strings, unless some are left or all were read.
    async fn read_texts(&mut self, snapshot: &RevisionedSnapshot) -> Result<()> {
        while self.texts.read.is_empty() && !self.texts.is_ended {
            let position = self.texts.position.take();
            let range = self.texts.range.clone();
            let (ids, next) = snapshot.ids(range, position.as_ref(), page()).await?;
            engine::steps(ids.len())?;
            self.texts.is_ended = next.is_none();
            self.texts.position = next;
            for (id, _) in ids {
                let key = key_of_id(id.as_ref()).into_owned();
                if self.means(&key) {
                    self.texts.read.push_back((key, id));
                }
            }
        }
        Ok(())
    }

    /// Looks for keys that are no strings, unless some are left or all were found.
    async fn find_others(&mut self, snapshot: &RevisionedSnapshot) -> Result<()> {
        if !self.others.found.is_empty() || self.others.is_ended {
            return Ok(());
        }
        let mut found = Least::default();
        let beside_texts = [
            (Bound::Unbounded, Bound::Excluded(Value::from(""))),
            (Bound::Included(after_strings()), Bound::Unbounded),
        ];
        for range in beside_texts {
            let mut position = None;
            loop {
                let (ids, next) = snapshot.ids(range.clone(), position.as_ref(), page()).await?;
                engine::steps(ids.len())?;
                for (id, _) in ids {
                    let key = key_of_id(id.as_ref()).into_owned();
                    let is_new = self.others.last.as_ref().is_none_or(|last| key > *last);
                    if is_new && self.means(&key) {
                        found.add(key, id);
                    }
                }
                position = next;
                if position.is_none() {
                    break;
                }
            }
        }
        if let Some((last, _)) = found.keys.last_key_value() {
            self.others.last = Some(last.clone());
        }
        self.others.is_ended = found.dropped.is_none();
        self.others.found = found.keys.into_iter().collect();
        Ok(())
    }
}

/// The least of the keys that are added, as many as are kept at a time.
#[derive(Debug, Default)]
struct Least {
    keys: BTreeMap<Vec<u8>, Value>,
    bytes: usize,
    /// The least key that was not kept: no key after it is kept, so that none is skipped.
    dropped: Option<Vec<u8>>,
}

impl Least {
    fn add(&mut self, key: Vec<u8>, id: Value) {
        if self.dropped.as_ref().is_some_and(|dropped| key >= *dropped) {
            return;
        }
        let bytes = key.len();
        if self.keys.insert(key, id).is_none() {
            self.bytes += bytes;
        }
        let is_much = |least: &Least| {
            least.keys.len() > OTHERS_AT_ONCE || (least.bytes > OTHERS_BYTES_MAX && least.keys.len() > 1)
        };
        while is_much(self)
            && let Some((last, _)) = self.keys.pop_last()
        {
            self.bytes -= last.len();
            self.dropped = Some(last);
        }
    }
}

fn page() -> PageLimit {
    PageLimit {
        entries: LISTED_AT_ONCE,
        bytes: PAGE_BYTES,
    }
}

/// A range that holds all strings from one key to another, and no other `_id`s.
fn texts_between(low: &[u8], high: &[u8]) -> Range {
    // A string comes after bytes that are not UTF-8 only if it comes after the part of them that is.
    let begin = low.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = match std::str::from_utf8(high) {
        Ok(text) => Bound::Included(Value::from(text)),
        Err(_) => Bound::Excluded(after_strings()),
    };
    (Bound::Included(Value::from(begin)), end)
}

/// The first value that comes after all strings.
fn after_strings() -> Value {
    Value::from(Document::new())
}

#[cfg(test)]
mod tests {
    use super::{Least, OTHERS_BYTES_MAX};
    use value::Value;

    #[test]
    fn if_keys_take_too_many_bytes_only_the_least_are_kept() {
        let key = |first: u8, bytes: usize| vec![first; bytes];
        let mut least = Least::default();
        for key in [key(2, OTHERS_BYTES_MAX / 2), key(3, OTHERS_BYTES_MAX), key(4, 1)] {
            least.add(key, Value::Null);
        }
        let kept: Vec<u8> = least.keys.keys().map(|key| key[0]).collect();
        assert_eq!(kept, [2]);
        least.add(key(1, 1), Value::Null);
        least.add(key(1, 1), Value::Null);
        let kept: Vec<u8> = least.keys.keys().map(|key| key[0]).collect();
        assert_eq!(kept, [1, 2]);
        assert_eq!(least.bytes, OTHERS_BYTES_MAX / 2 + 1);
        // One alone is kept, however long it is.
        let mut least = Least::default();
        least.add(key(1, OTHERS_BYTES_MAX + 1), Value::Null);
        assert_eq!(least.keys.len(), 1);
    }
}
