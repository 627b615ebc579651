//! Sets. An element is there as long as there is a dot of an event that added it; a removal takes the dots away that its writer
//! has seen, so an element that somebody adds at the same time stays.

use super::ChangeError;
use crate::clock::{Clock, Dot};
use std::collections::{BTreeMap, BTreeSet};

/// Elements that are only added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrowSet(pub BTreeSet<Vec<u8>>);

/// The events that keep something there.
pub(super) type Dots = BTreeSet<Dot>;

/// A set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Set {
    /// All events that it has seen; of one within a map the map knows it.
    pub(super) clock: Clock,
    pub(super) elements: BTreeMap<Vec<u8>, Dots>,
}

/// What is to be done with a set, one step after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetChange(pub Vec<SetStep>);

/// What is to be done with an element.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum SetStep {
    Add(Vec<u8>),
    Remove(Vec<u8>),
}

impl SetChange {
    /// The change that adds elements and then removes others.
    pub fn new(adds: Vec<Vec<u8>>, removes: Vec<Vec<u8>>) -> SetChange {
        let adds = adds.into_iter().map(SetStep::Add);
        SetChange(adds.chain(removes.into_iter().map(SetStep::Remove)).collect())
    }

    /// How many elements it names.
    pub fn elements(&self) -> usize {
        self.0.len()
    }

    /// The elements that it adds.
    pub fn into_adds(self) -> Vec<Vec<u8>> {
        let added = |step| match step {
            SetStep::Add(element) => Some(element),
            SetStep::Remove(_) => None,
        };
        self.0.into_iter().filter_map(added).collect()
    }
}

impl Set {
    /// The elements in order.
    pub fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.elements.keys().map(Vec::as_slice)
    }

    pub(super) fn change(
        &mut self,
        change: &SetChange,
        dot: &Dot,
        seen: Option<&Clock>,
    ) -> Result<(), ChangeError> {
        for step in &change.0 {
            match step {
                SetStep::Add(element) => {
                    // The one event stands for all before it.
                    self.elements.insert(element.clone(), Dots::from([dot.clone()]));
                }
                SetStep::Remove(element) => self.remove(element, seen)?,
            }
        }
        Ok(())
    }

    fn remove(&mut self, element: &[u8], seen: Option<&Clock>) -> Result<(), ChangeError> {
        match (self.elements.get_mut(element), seen) {
            (Some(dots), Some(seen)) => {
                dots.retain(|dot| !seen.covers(dot));
                if dots.is_empty() {
                    self.elements.remove(element);
                }
            }
            (Some(_), None) => drop(self.elements.remove(element)),
            // A client that says what it has seen may have seen it gone.
            (None, Some(_)) => {}
            (None, None) => return Err(ChangeError::NotPresent),
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Set) {
        let clock = self.clock.clone();
        self.merge_seen(&clock, other, &other.clock);
        self.clock.merge(&other.clock);
    }

    /// Takes in what another set has, where both sides have seen these events.
    pub(super) fn merge_seen(&mut self, clock: &Clock, other: &Set, other_clock: &Clock) {
        let none = Dots::new();
        let names: BTreeSet<Vec<u8>> = self
            .elements
            .keys()
            .chain(other.elements.keys())
            .cloned()
            .collect();
        for name in names {
            let own = self.elements.get(&name).unwrap_or(&none);
            let others = other.elements.get(&name).unwrap_or(&none);
            let merged = merge_dots(own, clock, others, other_clock);
            match merged.is_empty() {
                true => self.elements.remove(&name),
                false => self.elements.insert(name, merged),
            };
        }
    }

    /// Takes away what a writer has seen who removes all of it.
    pub(super) fn forget(&mut self, is_seen: impl Fn(&Dot) -> bool) {
        for dots in self.elements.values_mut() {
            dots.retain(|dot| !is_seen(dot));
        }
        self.elements.retain(|_, dots| !dots.is_empty());
    }
}

/// The dots of both sides that remain: those of one side alone go where the other side has seen them and has them no more.
pub(super) fn merge_dots(own: &Dots, own_clock: &Clock, other: &Dots, other_clock: &Clock) -> Dots {
    let stays = |dot: &&Dot, there: &Dots, clock: &Clock| there.contains(*dot) || !clock.covers(dot);
    let first = own.iter().filter(|dot| stays(dot, other, other_clock));
    let second = other.iter().filter(|dot| stays(dot, own, own_clock));
    first.chain(second).cloned().collect()
}
