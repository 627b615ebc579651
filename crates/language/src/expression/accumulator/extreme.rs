//! `$min $max $first $last`.

use super::Accumulator;
use crate::Result;
use crate::expression::evaluated::Evaluated;
use std::cmp::Ordering;
use value::Value;
use value::collation::{Collation, compare_in};

/// The smallest or the largest value; null and missing ones do not count.
#[derive(Debug)]
pub(super) struct Extreme {
    wanted: Ordering,
    best: Option<Value>,
    collation: Option<Collation>,
}

impl Extreme {
    pub(super) fn smallest(collation: Option<&Collation>) -> Extreme {
        Extreme {
            wanted: Ordering::Less,
            best: None,
            collation: collation.cloned(),
        }
    }

    pub(super) fn largest(collation: Option<&Collation>) -> Extreme {
        Extreme {
            wanted: Ordering::Greater,
            best: None,
            collation: collation.cloned(),
        }
    }
}

impl Accumulator for Extreme {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        let Some(present) = value.present() else {
            return Ok(());
        };
        let better = match &self.best {
            None => true,
            Some(best) => compare_in(self.collation.as_ref(), present, best.as_ref()) == self.wanted,
        };
        if better {
            self.best = value.into_value();
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(self.best.clone().unwrap_or(Value::Null))
    }

    fn bytes(&self) -> usize {
        self.best
            .as_ref()
            .map_or(0, |best| crate::expression::size_bytes(best.as_ref()))
    }
}

/// The first or the last value, null where that is missing.
#[derive(Debug)]
pub(super) struct Edge {
    keeps_first: bool,
    value: Option<Value>,
}

impl Edge {
    pub(super) fn first() -> Edge {
        Edge {
            keeps_first: true,
            value: None,
        }
    }

    pub(super) fn last() -> Edge {
        Edge {
            keeps_first: false,
            value: None,
        }
    }
}

impl Accumulator for Edge {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if self.value.is_none() || !self.keeps_first {
            self.value = Some(value.into_value().unwrap_or(Value::Null));
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(self.value.take().unwrap_or(Value::Null))
    }

    fn bytes(&self) -> usize {
        self.value
            .as_ref()
            .map_or(0, |value| crate::expression::size_bytes(value.as_ref()))
    }
}
