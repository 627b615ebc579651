//! Vector clocks: what of an object's history a client has seen.
//!
//! A client gets one with each object and sends it back with what it writes. Every write of an object has a *dot*, an actor and
//! the number of its event; a clock covers a dot where it has seen that event or a later one of the actor. The actor of all
//! writes through these protocols is the collection; a revision that came by another protocol is an actor of its own.

use crate::limits::CLOCK_ENTRIES_MAX;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use value::varint;

/// The form of encoded clocks, their first byte.
const FORM: u8 = 1;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dot {
    /// Who has written.
    pub actor: Vec<u8>,
    /// The number of the event among the actor's.
    pub counter: u64,
}

/// The last event of each actor that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(BTreeMap<Vec<u8>, u64>);

impl Clock {
    /// Whether the event was seen.
    pub fn covers(&self, dot: &Dot) -> bool {
        self.0
            .get(&dot.actor)
            .is_some_and(|&counter| counter >= dot.counter)
    }

    /// Whether all was seen that the other has seen.
    pub fn descends(&self, other: &Clock) -> bool {
        let mut dots = other.0.iter();
        dots.all(|(actor, &counter)| self.0.get(actor).is_some_and(|&own| own >= counter))
    }

    /// Sees an event.
    pub fn see(&mut self, dot: Dot) {
        let own = self.0.entry(dot.actor).or_default();
        *own = dot.counter.max(*own);
    }

    /// Sees all that the other has seen.
    pub fn merge(&mut self, other: &Clock) {
        for (actor, &counter) in &other.0 {
            self.see(Dot {
                actor: actor.clone(),
                counter,
            });
        }
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The events.
    pub fn dots(&self) -> impl Iterator<Item = Dot> {
        self.0.iter().map(|(actor, &counter)| Dot {
            actor: actor.clone(),
            counter,
        })
    }

    /// The bytes that clients send back.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![FORM];
        varint::put(self.0.len() as u64, &mut out);
        for (actor, &counter) in &self.0 {
            varint::put(actor.len() as u64, &mut out);
            out.extend_from_slice(actor);
            varint::put(counter, &mut out);
        }
        out
    }

    /// Reads what [`Clock::encode`] wrote; `None` if the bytes are no clock of ours. No bytes are a clock that has seen nothing.
    pub fn decode(bytes: &[u8]) -> Option<Clock> {
        let Some((&form, mut rest)) = bytes.split_first() else {
            return Some(Clock::default());
        };
        let count =
            varint::take(&mut rest).filter(|&count| form == FORM && count <= CLOCK_ENTRIES_MAX as u64)?;
        let mut clock = Clock::default();
        for _ in 0..count {
            let length = usize::try_from(varint::take(&mut rest)?).ok()?;
            let (actor, behind) = rest.split_at_checked(length)?;
            rest = behind;
            clock.see(Dot {
                actor: actor.to_vec(),
                counter: varint::take(&mut rest)?,
            });
        }
        rest.is_empty().then_some(clock)
    }

    /// The text of the header `X-Riak-Vclock`.
    pub fn to_text(&self) -> String {
        STANDARD.encode(self.encode())
    }

    /// Reads that text.
    pub fn from_text(text: &str) -> Option<Clock> {
        Clock::decode(&STANDARD.decode(text.trim()).ok()?)
    }
}

impl FromIterator<Dot> for Clock {
    fn from_iter<I: IntoIterator<Item = Dot>>(dots: I) -> Clock {
        let mut clock = Clock::default();
        dots.into_iter().for_each(|dot| clock.see(dot));
        clock
    }
}
