//! Generators of document ids for protocols whose clients send none. (MongoDB's kind is [`value::ObjectId`].)
//!
//! Every generator starts from random bytes of its own, so no two processes can share one.

use crate::SEQUENTIAL_STEP_MAX;
use parking_lot::Mutex;
use value::hex;

/// How ids are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// 26 random hex digits that stay the same for about 8,000 ids, then 6 that rise by a small random step: ids made in
    /// succession are neighbours in the index, and still none can be guessed.
    Sequential,
    /// UTC time in ISO format to the microsecond, then 4 random hex digits: sorts by time.
    Monotonic,
    /// 32 random hex digits.
    Random,
}

/// Makes ids of one kind, each with the same prefix (such as `status/`).
#[derive(Debug)]
pub struct Generator {
    kind: IdKind,
    prefix: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The random part of sequential ids; empty before the first.
    random: String,
    count: u32,
    /// The microsecond of the last monotonic id.
    last_us: i64,
}

/// The random part is made anew before the count reaches this.
const COUNT_MAX: u32 = 0xFF_F000;

impl Generator {
    /// A generator of ids of this kind, with this prefix.
    pub fn new(kind: IdKind, prefix: impl Into<String>) -> Generator {
        Generator {
            kind,
            prefix: prefix.into(),
            state: Mutex::default(),
        }
    }

    /// The next id, which no earlier call has returned.
    pub fn next_id(&self) -> String {
        let id = match self.kind {
            IdKind::Sequential => self.state.lock().sequential(),
            IdKind::Monotonic => self.state.lock().monotonic(),
            IdKind::Random => hex(&random::<16>()),
        };
        format!("{}{id}", self.prefix)
    }
}

impl State {
    fn sequential(&mut self) -> String {
        let step = u32::from_le_bytes(random()) % SEQUENTIAL_STEP_MAX + 1;
        self.count += step;
        if self.random.is_empty() || self.count >= COUNT_MAX {
            self.random = hex(&random::<13>());
            self.count = step;
        }
        format!("{}{:06x}", self.random, self.count)
    }

    fn monotonic(&mut self) -> String {
        let now_us = jiff::Timestamp::now().as_microsecond();
        // Within one microsecond, or when the clock goes back, the next id is still a later one.
        self.last_us = now_us.max(self.last_us + 1);
        let time = jiff::Timestamp::from_microsecond(self.last_us).unwrap_or(jiff::Timestamp::MAX);
        format!("{time:.6}-{}", hex(&random::<2>()))
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without entropy two processes could make the same ids, so there is no sensible way to go on.
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
