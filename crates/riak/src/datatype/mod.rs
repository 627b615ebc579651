//! Riak's data types: values that converge whatever the order in which changes arrive.
//!
//! A [`State`] has one of them. Its changes are made by an actor that counts its events; two states of one object that went
//! different ways are merged, and it does not matter which is merged into which, in what order or how often.

mod counter;
mod encode;
mod hll;
mod map;
mod set;

pub use counter::Counter;
pub use hll::Hll;
pub use map::{Entry, EntryChange, FieldKind, FieldName, Map, MapChange};
pub use set::{GrowSet, Set, SetChange, SetStep};

use crate::clock::{Clock, Dot};

/// The kinds of data types that an object can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that is added to.
    Counter,
    /// Elements that are added and removed.
    Set,
    /// Elements that are only added.
    GrowSet,
    /// Fields of other types.
    Map,
    /// How many different elements there were, about.
    Hll,
}

impl Kind {
    /// Riak's name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Set => "set",
            Kind::GrowSet => "gset",
            Kind::Map => "map",
            Kind::Hll => "hll",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Kind> {
        [Kind::Counter, Kind::Set, Kind::GrowSet, Kind::Map, Kind::Hll]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// The state of an object.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum State {
    Counter(Counter),
    Set(Set),
    GrowSet(GrowSet),
    Map(Map),
    Hll(Hll),
}

/// What is to be done with an object.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Change {
    Counter(i64),
    Set(SetChange),
    GrowSet(Vec<Vec<u8>>),
    Map(MapChange),
    Hll(Vec<Vec<u8>>),
}

impl Change {
    /// How many elements and fields it names.
    pub fn elements(&self) -> usize {
        match self {
            Change::Counter(_) => 1,
            Change::Set(set) => set.elements(),
            Change::GrowSet(elements) | Change::Hll(elements) => elements.len(),
            Change::Map(map) => map.elements(),
        }
    }
}

/// Why a change cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The change is one of another data type.
    #[error("the operation is not one of the object's data type")]
    WrongType,
    /// Something is removed that is not there, by a writer who has not said what it has seen.
    #[error("{{precondition,{{not_present,…}}}}: what is removed is not there")]
    NotPresent,
    /// A number would become too large.
    #[error("the counter would leave 64 bits")]
    Overflow,
}

impl State {
    /// An empty one.
    pub fn new(kind: Kind) -> State {
        match kind {
            Kind::Counter => State::Counter(Counter::default()),
            Kind::Set => State::Set(Set::default()),
            Kind::GrowSet => State::GrowSet(GrowSet::default()),
            Kind::Map => State::Map(Map::default()),
            Kind::Hll => State::Hll(Hll::default()),
        }
    }

    /// Which it is.
    pub fn kind(&self) -> Kind {
        match self {
            State::Counter(_) => Kind::Counter,
            State::Set(_) => Kind::Set,
            State::GrowSet(_) => Kind::GrowSet,
            State::Map(_) => Kind::Map,
            State::Hll(_) => Kind::Hll,
        }
    }

    /// Makes a change; `dot` is the event, `seen` what its writer has seen.
    pub fn change(&mut self, change: &Change, dot: &Dot, seen: Option<&Clock>) -> Result<(), ChangeError> {
        match (self, change) {
            (State::Counter(counter), Change::Counter(by)) => counter.add(&dot.actor, *by),
            (State::Set(set), Change::Set(change)) => {
                set.change(change, dot, seen)?;
                set.clock.see(dot.clone());
                Ok(())
            }
            (State::GrowSet(set), Change::GrowSet(elements)) => {
                set.0.extend(elements.iter().cloned());
                Ok(())
            }
            (State::Map(map), Change::Map(change)) => {
                map.change(change, dot, seen)?;
                map.clock.see(dot.clone());
                Ok(())
            }
            (State::Hll(hll), Change::Hll(elements)) => {
                elements.iter().for_each(|element| hll.add(element));
                Ok(())
            }
            _ => Err(ChangeError::WrongType),
        }
    }

    /// Takes in what another state of the same object has; one of another type has nothing.
    pub fn merge(&mut self, other: &State) {
        match (self, other) {
            (State::Counter(own), State::Counter(other)) => own.merge(other),
            (State::Set(own), State::Set(other)) => own.merge(other),
            (State::GrowSet(own), State::GrowSet(other)) => own.0.extend(other.0.iter().cloned()),
            (State::Map(own), State::Map(other)) => own.merge(other),
            (State::Hll(own), State::Hll(other)) => own.merge(other),
            _ => {}
        }
    }

    /// What a client has seen who reads it now; `None` where no removal can go wrong.
    pub fn context(&self) -> Option<&Clock> {
        match self {
            State::Set(set) => Some(&set.clock),
            State::Map(map) => Some(&map.clock),
            _ => None,
        }
    }
}
