//! Riak's data types: values that converge whatever the order in which changes arrive.
//!
//! A [`DataTypeState`] has one of them. Its changes are made by an actor that counts its events; two states of one object that went
//! different ways are merged, and it does not matter which is merged into which, in what order or how often.

mod counter;
mod encode;
mod hll;
mod map;
mod set;

pub use counter::Counter;
pub use hll::Hll;
pub use map::{EntryChange, FieldKind, FieldName, FieldValue, Map, MapChange};
pub use set::{GrowSet, Set, SetChange, SetStep};

use crate::clock::{Clock, Dot};

/// The data types that an object can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
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

impl DataType {
    /// Riak's name.
    pub fn name(self) -> &'static str {
        match self {
            DataType::Counter => "counter",
            DataType::Set => "set",
            DataType::GrowSet => "gset",
            DataType::Map => "map",
            DataType::Hll => "hll",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<DataType> {
        [
            DataType::Counter,
            DataType::Set,
            DataType::GrowSet,
            DataType::Map,
            DataType::Hll,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}

/// The state of an object.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DataTypeState {
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
    /// The data type that it changes.
    pub fn kind(&self) -> DataType {
        match self {
            Change::Counter(_) => DataType::Counter,
            Change::Set(_) => DataType::Set,
            Change::GrowSet(_) => DataType::GrowSet,
            Change::Map(_) => DataType::Map,
            Change::Hll(_) => DataType::Hll,
        }
    }

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

impl DataTypeState {
    /// An empty one.
    pub fn new(kind: DataType) -> DataTypeState {
        match kind {
            DataType::Counter => DataTypeState::Counter(Counter::default()),
            DataType::Set => DataTypeState::Set(Set::default()),
            DataType::GrowSet => DataTypeState::GrowSet(GrowSet::default()),
            DataType::Map => DataTypeState::Map(Map::default()),
            DataType::Hll => DataTypeState::Hll(Hll::default()),
        }
    }

    /// Which it is.
    pub fn kind(&self) -> DataType {
        match self {
            DataTypeState::Counter(_) => DataType::Counter,
            DataTypeState::Set(_) => DataType::Set,
            DataTypeState::GrowSet(_) => DataType::GrowSet,
            DataTypeState::Map(_) => DataType::Map,
            DataTypeState::Hll(_) => DataType::Hll,
        }
    }

    /// Makes a change; `dot` is the event, `seen` what its writer has seen.
    pub fn change(&mut self, change: &Change, dot: &Dot, seen: Option<&Clock>) -> Result<(), ChangeError> {
        match (self, change) {
            (DataTypeState::Counter(counter), Change::Counter(by)) => counter.add(&dot.actor, *by),
            (DataTypeState::Set(set), Change::Set(change)) => {
                set.change(change, dot, seen)?;
                set.clock.see(dot.clone());
                Ok(())
            }
            (DataTypeState::GrowSet(set), Change::GrowSet(elements)) => {
                set.0.extend(elements.iter().cloned());
                Ok(())
            }
            (DataTypeState::Map(map), Change::Map(change)) => {
                map.change(change, dot, seen)?;
                map.clock.see(dot.clone());
                Ok(())
            }
            (DataTypeState::Hll(hll), Change::Hll(elements)) => {
                elements.iter().for_each(|element| hll.add(element));
                Ok(())
            }
            _ => Err(ChangeError::WrongType),
        }
    }

    /// Takes in what another state of the same object has; one of another type has nothing.
    pub fn merge(&mut self, other: &DataTypeState) {
        match (self, other) {
            (DataTypeState::Counter(own), DataTypeState::Counter(other)) => own.merge(other),
            (DataTypeState::Set(own), DataTypeState::Set(other)) => own.merge(other),
            (DataTypeState::GrowSet(own), DataTypeState::GrowSet(other)) => {
                own.0.extend(other.0.iter().cloned());
            }
            (DataTypeState::Map(own), DataTypeState::Map(other)) => own.merge(other),
            (DataTypeState::Hll(own), DataTypeState::Hll(other)) => own.merge(other),
            _ => {}
        }
    }

    /// What a client has seen who reads it now; `None` where no removal can go wrong.
    pub fn context(&self) -> Option<&Clock> {
        match self {
            DataTypeState::Set(set) => Some(&set.clock),
            DataTypeState::Map(map) => Some(&map.clock),
            _ => None,
        }
    }
}
