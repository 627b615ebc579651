//! `$min` and `$max` over a moving frame.

use super::Removable;
use super::multiset::Multiset;
use crate::Result;
use value::Value;
use value::collation::Collation;

/// The smallest or the largest value; null and missing ones do not count.
#[derive(Debug)]
pub(super) struct Extreme {
    values: Multiset,
    is_largest: bool,
}

impl Extreme {
    pub(super) fn smallest(collation: Option<&Collation>) -> Extreme {
        Extreme {
            values: Multiset::new(collation),
            is_largest: false,
        }
    }

    pub(super) fn largest(collation: Option<&Collation>) -> Extreme {
        Extreme {
            values: Multiset::new(collation),
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
            self.values.add(value);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(value) = present(value) {
            self.values.remove(value);
        }
    }

    fn result(&mut self) -> Value {
        let best = match self.is_largest {
            true => self.values.largest(),
            false => self.values.smallest(),
        };
        best.cloned().unwrap_or(Value::Null)
    }
}
