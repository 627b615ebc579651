//! `$push $addToSet $first $last` over a moving frame.

use super::Removable;
use super::multiset::Multiset;
use crate::Result;
use std::collections::VecDeque;
use value::Value;
use value::collation::Collation;

/// `$push`: missing values are left out.
#[derive(Debug, Default)]
pub(super) struct Pushed {
    values: VecDeque<Value>,
}

impl Removable for Pushed {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        self.values.extend(value.cloned());
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if value.is_some() {
            self.values.pop_front();
        }
    }

    fn result(&mut self) -> Value {
        self.values.iter().cloned().collect()
    }
}

/// `$addToSet`: each value once, in their order.
#[derive(Debug)]
pub(super) struct Set {
    values: Multiset,
}

impl Set {
    pub(super) fn new(collation: Option<&Collation>) -> Set {
        Set {
            values: Multiset::new(collation),
        }
    }
}

impl Removable for Set {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        if let Some(value) = value {
            self.values.add(value);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(value) = value {
            self.values.remove(value);
        }
    }

    fn result(&mut self) -> Value {
        self.values.distinct().cloned().collect()
    }
}

/// `$first` and `$last`: a missing value is null.
#[derive(Debug)]
pub(super) struct Edge {
    values: VecDeque<Value>,
    is_first: bool,
}

impl Edge {
    pub(super) fn first() -> Edge {
        Edge {
            values: VecDeque::new(),
            is_first: true,
        }
    }

    pub(super) fn last() -> Edge {
        Edge {
            values: VecDeque::new(),
            is_first: false,
        }
    }
}

impl Removable for Edge {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        self.values.push_back(value.cloned().unwrap_or(Value::Null));
        Ok(())
    }

    fn remove(&mut self, _value: Option<&Value>) {
        self.values.pop_front();
    }

    fn result(&mut self) -> Value {
        let edge = match self.is_first {
            true => self.values.front(),
            false => self.values.back(),
        };
        edge.cloned().unwrap_or(Value::Null)
    }
}
