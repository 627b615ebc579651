//! `$min` and `$max` over a moving frame: the values in order, each with how often it is in.

use super::Removable;
use crate::Result;
use language::expression::Ordered;
use std::collections::BTreeMap;
use value::Value;

/// The values that are in, each with how often.
#[derive(Debug, Default)]
pub(super) struct Counted {
    values: BTreeMap<Ordered, u64>,
}

impl Counted {
    pub(super) fn add(&mut self, value: &Value) {
        *self.values.entry(Ordered(value.clone())).or_default() += 1;
    }

    pub(super) fn remove(&mut self, value: &Value) {
        let value = Ordered(value.clone());
        if let Some(count) = self.values.get_mut(&value) {
            *count -= 1;
            if *count == 0 {
                self.values.remove(&value);
            }
        }
    }

    pub(super) fn smallest(&self) -> Option<&Value> {
        self.values.first_key_value().map(|(value, _)| &value.0)
    }

    pub(super) fn largest(&self) -> Option<&Value> {
        self.values.last_key_value().map(|(value, _)| &value.0)
    }

    /// Each value once, in order.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &Value> {
        self.values.keys().map(|value| &value.0)
    }
}

/// The smallest or the largest value; null and missing ones do not count.
#[derive(Debug)]
pub(super) struct Extreme {
    counted: Counted,
    is_largest: bool,
}

impl Extreme {
    pub(super) fn smallest() -> Extreme {
        Extreme {
            counted: Counted::default(),
            is_largest: false,
        }
    }

    pub(super) fn largest() -> Extreme {
        Extreme {
            counted: Counted::default(),
            is_largest: true,
        }
    }
}

fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !matches!(value, Value::Null | Value::Undefined))
}

impl Removable for Extreme {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        if let Some(value) = present(value) {
            self.counted.add(value);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(value) = present(value) {
            self.counted.remove(value);
        }
    }

    fn result(&mut self) -> Value {
        let best = match self.is_largest {
            true => self.counted.largest(),
            false => self.counted.smallest(),
        };
        best.cloned().unwrap_or(Value::Null)
    }
}
