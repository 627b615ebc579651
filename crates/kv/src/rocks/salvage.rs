//! Reading a shard although parts of it cannot be read.

use super::large::Pointer;
use super::snapshot::Snapshot;
use crate::page::PageBuilder;
use crate::{Error, KeyRange, PageLimit, Salvage, Unreadable};
use rocksdb::{DBRawIterator, ReadOptions};

/// How many numbers of eight bytes are tried to find the first key after what cannot be read: each twice as far.
const STEPS: u32 = 63;

impl Snapshot {
    /// See [`crate::Snapshot::salvage`].
    pub(crate) fn salvage(&self, range: &KeyRange, limit: PageLimit) -> Result<Salvage, Error> {
        let (low, high) = self.keys.range(range);
        let mut reading = Reading {
            snapshot: self,
            high,
            page: PageBuilder::new(limit),
            unreadable: Vec::new(),
        };
        let mut from = Some(low).filter(|low| *low < reading.high);
        while let Some(low) = from {
            match reading.read(&low) {
                Stop::End => break,
                Stop::Full(next) => return Ok(reading.finish(Some(next))),
                Stop::Failed(last, what) => {
                    let behind = reading.first_readable(&last);
                    let cut = |key: &Vec<u8>| key[self.keys.prefix_bytes()..].to_vec();
                    reading.unreadable.push(Unreadable {
                        from: cut(&last),
                        to: behind.as_ref().map(cut),
                        what,
                    });
                    from = behind;
                }
            }
        }
        Ok(reading.finish(None))
    }
}

struct Reading<'a> {
    snapshot: &'a Snapshot,
    high: Vec<u8>,
    page: PageBuilder,
    unreadable: Vec<Unreadable>,
}

/// Why reading stopped.
enum Stop {
    /// Nothing is left.
    End,
    /// The page is full; this key is the next.
    Full(Vec<u8>),
    /// The engine cannot read after this key (or at it, if it is the first); with the engine's error.
    Failed(Vec<u8>, String),
}

impl<'a> Reading<'a> {
    /// Reads from a key on.
    fn read(&mut self, low: &[u8]) -> Stop {
        let prefix_bytes = self.snapshot.keys.prefix_bytes();
        let mut entries = self.entries();
        let mut last = low.to_vec();
        entries.seek(low);
        while let Some((full_key, value)) = entries.item() {
            if self.page.is_full() {
                return Stop::Full(full_key.to_vec());
            }
            let key = &full_key[prefix_bytes..];
            match self.value_of(value) {
                Ok(Some(value)) => self.page.push(key, &value),
                Ok(None) => self.page.push(key, value),
                Err(error) => {
                    self.unreadable.push(Unreadable {
                        from: key.to_vec(),
                        to: Some([key, &[0]].concat()),
                        what: error.to_string(),
                    });
                    true
                }
            };
            last.clear();
            last.extend_from_slice(full_key);
            entries.next();
        }
        match entries.status() {
            Ok(()) => Stop::End,
            Err(error) => Stop::Failed(last, error.into_string()),
        }
    }

    /// The large value that a stored one points to.
    fn value_of(&self, stored: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let pointer = Pointer::decode(stored)?;
        pointer
            .map(|(pointer, head)| self.snapshot.large().read(&pointer, head))
            .transpose()
    }

    fn entries(&self) -> DBRawIterator<'a> {
        let mut options = ReadOptions::default();
        options.set_iterate_upper_bound(self.high.clone());
        // Data that is read once should not displace data that is read often.
        options.fill_cache(false);
        let snapshot: &'a Snapshot = self.snapshot;
        snapshot.owned.borrow_dependent().raw_iterator_opt(options)
    }

    /// A key after the one at which reading failed, from which the engine can read again; `None` if there is none. The
    /// last eight bytes of the key are counted up as a number, like those of records and change logs; after that, whole
    /// kinds of keys are skipped.
    fn first_readable(&self, failed: &[u8]) -> Option<Vec<u8>> {
        let prefix_bytes = self.snapshot.keys.prefix_bytes();
        let (start, number) = failed
            .split_last_chunk::<8>()
            .filter(|(start, _)| start.len() > prefix_bytes)
            .map_or((failed, u64::MAX), |(start, number)| {
                (start, u64::from_be_bytes(*number))
            });
        let key = |number: u64| [start, &number.to_be_bytes()].concat();
        let reads = |number: u64| self.reads(&key(number));
        let far = (0..STEPS)
            .map(|step| number.saturating_add(1 << step))
            .find(|number| *number < u64::MAX && reads(*number));
        if let Some(mut good) = far {
            // What is known to fail lies below `good`.
            let mut bad = number;
            while bad + 1 < good {
                let middle = bad + (good - bad) / 2;
                if reads(middle) {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            return Some(key(good)).filter(|key| *key < self.high);
        }
        let kind = *failed.get(prefix_bytes)?;
        let behind = |kind: u8| [&failed[..prefix_bytes], &[kind]].concat();
        (kind..=u8::MAX)
            .skip(1)
            .map(behind)
            .take_while(|key| *key < self.high)
            .find(|key| self.reads(key))
    }

    /// Whether the engine can read from a key on.
    fn reads(&self, key: &[u8]) -> bool {
        let mut entries = self.entries();
        entries.seek(key);
        entries.status().is_ok()
    }

    fn finish(self, next: Option<Vec<u8>>) -> Salvage {
        let prefix_bytes = self.snapshot.keys.prefix_bytes();
        Salvage {
            page: match next {
                Some(_) => self.page.into_page(),
                None => self.page.into_last_page(),
            },
            unreadable: self.unreadable,
            next: next.map(|key| key[prefix_bytes..].to_vec()),
        }
    }
}
