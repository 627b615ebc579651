//! `$push $addToSet $first $last` over a moving frame.

use super::Removable;
use super::extreme::Counted;
use crate::Result;
use std::collections::VecDeque;
use value::Value;

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
#[derive(Debug, Default)]
pub(super) struct Set {
    counted: Counted,
}

impl Removable for Set {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        if let Some(value) = value {
            self.counted.add(value);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(value) = value {
            self.counted.remove(value);
        }
    }

    fn result(&mut self) -> Value {
        self.counted.distinct().cloned().collect()
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
