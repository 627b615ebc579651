//! Maps. A field is there as long as there is a dot of an event that changed it; a removal takes the dots away that its writer
//! has seen, with what they brought to the field, so what others change at the same time stays.

use super::set::{Dots, merge_dots};
use super::{ChangeError, Set, SetChange};
use crate::clock::{Clock, Dot};
use std::collections::{BTreeMap, BTreeSet};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FieldKind {
    Counter = 1,
    Set = 2,
    Register = 3,
    Flag = 4,
    Map = 5,
}

impl FieldKind {
    const ALL: [FieldKind; 5] = [
        FieldKind::Counter,
        FieldKind::Set,
        FieldKind::Register,
        FieldKind::Flag,
        FieldKind::Map,
    ];

    /// The kind with the number of protocol buffers.
    pub fn of_number(number: u64) -> Option<FieldKind> {
        FieldKind::ALL.into_iter().find(|&kind| kind as u64 == number)
    }

    /// Riak's name.
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::Counter => "counter",
            FieldKind::Set => "set",
            FieldKind::Register => "register",
            FieldKind::Flag => "flag",
            FieldKind::Map => "map",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<FieldKind> {
        FieldKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A field: two of one name and different kinds are two fields.
pub type FieldName = (Vec<u8>, FieldKind);

/// A map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// All events that it has seen; of one within another the outer one knows it.
    pub(super) clock: Clock,
    pub(super) fields: BTreeMap<FieldName, Field>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Field {
    pub(super) dots: Dots,
    pub(super) entry: Option<FieldValue>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FieldValue {
    /// What each actor has added, under its last event: a removal takes away what it has seen.
    Counter(BTreeMap<Dot, i64>),
    Set(Set),
    /// What each event has assigned and when: the latest wins.
    Register(BTreeMap<Dot, (u64, Vec<u8>)>),
    Flag(Dots),
    Map(Map),
}

/// What is to be done with a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapChange {
    /// Fields to be gone; they go before others are changed.
    pub removes: Vec<FieldName>,
    /// Fields to be changed, and how.
    pub updates: Vec<(FieldName, EntryChange)>,
    /// The time of the change, by which registers are told apart.
    pub time_us: u64,
}

impl MapChange {
    /// How many elements and fields it names, those within its fields included.
    pub fn elements(&self) -> usize {
        let of_field = |(_, change): &(FieldName, EntryChange)| match change {
            EntryChange::Set(set) => set.elements(),
            EntryChange::Map(map) => map.elements(),
            _ => 1,
        };
        self.removes.len() + self.updates.iter().map(of_field).sum::<usize>()
    }
}

/// What is to be done with a field.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EntryChange {
    Counter(i64),
    Set(SetChange),
    Register(Vec<u8>),
    Flag(bool),
    Map(MapChange),
}

impl FieldValue {
    fn new(kind: FieldKind) -> FieldValue {
        match kind {
            FieldKind::Counter => FieldValue::Counter(BTreeMap::new()),
            FieldKind::Set => FieldValue::Set(Set::default()),
            FieldKind::Register => FieldValue::Register(BTreeMap::new()),
            FieldKind::Flag => FieldValue::Flag(Dots::new()),
            FieldKind::Map => FieldValue::Map(Map::default()),
        }
    }

    /// The value of a counter, which is 0 for all else.
    pub fn count(&self) -> i64 {
        match self {
            FieldValue::Counter(added) => added.values().fold(0i64, |sum, &by| sum.saturating_add(by)),
            _ => 0,
        }
    }

    /// The value of a register; nothing for all else.
    pub fn assigned(&self) -> &[u8] {
        match self {
            FieldValue::Register(values) => values.values().max().map_or(&[], |(_, value)| value),
            _ => &[],
        }
    }

    fn change(
        &mut self,
        change: &EntryChange,
        dot: &Dot,
        seen: Option<&Clock>,
        time_us: u64,
    ) -> Result<(), ChangeError> {
        match (self, change) {
            (FieldValue::Counter(added), EntryChange::Counter(by)) => {
                // The one event stands for all before it of the same actor, as in Riak (`riak_dt_emcntr`): a counter does not grow.
                let before = added.iter().filter(|(known, _)| known.actor == dot.actor);
                let sum = before.map(|(_, &by)| by).try_fold(*by, i64::checked_add);
                let sum = sum.ok_or(ChangeError::Overflow)?;
                added.retain(|known, _| known.actor != dot.actor);
                added.insert(dot.clone(), sum);
                Ok(())
            }
            (FieldValue::Set(set), EntryChange::Set(change)) => set.change(change, dot, seen),
            (FieldValue::Register(values), EntryChange::Register(new)) => {
                // A clock that went back must not hide what is written later.
                let last = values.values().map(|&(time, _)| time).max();
                let time = last.map_or(time_us, |last| time_us.max(last.saturating_add(1)));
                *values = BTreeMap::from([(dot.clone(), (time, new.clone()))]);
                Ok(())
            }
            (FieldValue::Flag(dots), EntryChange::Flag(true)) => {
                *dots = Dots::from([dot.clone()]);
                Ok(())
            }
            (FieldValue::Flag(dots), EntryChange::Flag(false)) => {
                match seen {
                    Some(seen) => dots.retain(|dot| !seen.covers(dot)),
                    None => dots.clear(),
                }
                Ok(())
            }
            (FieldValue::Map(map), EntryChange::Map(change)) => map.change(change, dot, seen),
            _ => Err(ChangeError::WrongType),
        }
    }

    /// Takes away what came by events that a removal has seen.
    fn forget(&mut self, is_seen: &impl Fn(&Dot) -> bool) {
        match self {
            FieldValue::Counter(added) => added.retain(|dot, _| !is_seen(dot)),
            FieldValue::Set(set) => set.forget(is_seen),
            FieldValue::Register(values) => values.retain(|dot, _| !is_seen(dot)),
            FieldValue::Flag(dots) => dots.retain(|dot| !is_seen(dot)),
            FieldValue::Map(map) => {
                for field in map.fields.values_mut() {
                    field.forget(is_seen);
                }
                map.fields.retain(|_, field| !field.dots.is_empty());
            }
        }
    }

    /// Takes in what the same field has elsewhere, where both sides have seen these events.
    fn merge_seen(&mut self, clock: &Clock, other: &FieldValue, other_clock: &Clock) {
        match (self, other) {
            (FieldValue::Counter(own), FieldValue::Counter(other)) => {
                merge_values(own, clock, other, other_clock);
            }
            (FieldValue::Set(own), FieldValue::Set(other)) => own.merge_seen(clock, other, other_clock),
            (FieldValue::Register(own), FieldValue::Register(other)) => {
                merge_values(own, clock, other, other_clock);
            }
            (FieldValue::Flag(own), FieldValue::Flag(other)) => {
                *own = merge_dots(own, clock, other, other_clock);
            }
            (FieldValue::Map(own), FieldValue::Map(other)) => own.merge_seen(clock, other, other_clock),
            _ => {}
        }
    }
}

/// The same for what each event has brought.
fn merge_values<T: Clone>(
    own: &mut BTreeMap<Dot, T>,
    clock: &Clock,
    other: &BTreeMap<Dot, T>,
    other_clock: &Clock,
) {
    own.retain(|dot, _| other.contains_key(dot) || !other_clock.covers(dot));
    for (dot, value) in other.iter().filter(|(dot, _)| !clock.covers(dot)) {
        own.insert(dot.clone(), value.clone());
    }
}

impl Field {
    fn forget(&mut self, is_seen: &impl Fn(&Dot) -> bool) {
        self.dots.retain(|dot| !is_seen(dot));
        match &mut self.entry {
            Some(entry) if !self.dots.is_empty() => entry.forget(is_seen),
            entry => *entry = None,
        }
    }
}

impl Map {
    /// The fields in order.
    pub fn entries(&self) -> impl Iterator<Item = (&FieldName, &FieldValue)> {
        self.fields
            .iter()
            .filter_map(|(name, field)| field.entry.as_ref().map(|entry| (name, entry)))
    }

    pub(super) fn change(
        &mut self,
        change: &MapChange,
        dot: &Dot,
        seen: Option<&Clock>,
    ) -> Result<(), ChangeError> {
        for name in &change.removes {
            match self.fields.get_mut(name) {
                Some(field) => field.forget(&|dot| seen.is_none_or(|seen| seen.covers(dot))),
                None if seen.is_none() => return Err(ChangeError::NotPresent),
                None => {}
            }
        }
        self.fields.retain(|_, field| !field.dots.is_empty());
        for (name, update) in &change.updates {
            let field = self.fields.entry(name.clone()).or_default();
            let entry = field.entry.get_or_insert_with(|| FieldValue::new(name.1));
            entry.change(update, dot, seen, change.time_us)?;
            // The one event stands for all before it, which it has seen.
            field.dots = Dots::from([dot.clone()]);
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Map) {
        let clock = self.clock.clone();
        self.merge_seen(&clock, other, &other.clock);
        self.clock.merge(&other.clock);
    }

    fn merge_seen(&mut self, clock: &Clock, other: &Map, other_clock: &Clock) {
        let names: BTreeSet<FieldName> = self.fields.keys().chain(other.fields.keys()).cloned().collect();
        let none = Field::default();
        for name in names {
            let mut field = self.fields.remove(&name).unwrap_or_default();
            let others = other.fields.get(&name).unwrap_or(&none);
            field.dots = merge_dots(&field.dots, clock, &others.dots, other_clock);
            if field.dots.is_empty() {
                continue;
            }
            // What is not there is empty: all that the other side has and this one has seen is gone.
            let empty = FieldValue::new(name.1);
            field.entry.get_or_insert_with(|| empty.clone()).merge_seen(
                clock,
                others.entry.as_ref().unwrap_or(&empty),
                other_clock,
            );
            self.fields.insert(name, field);
        }
    }
}
