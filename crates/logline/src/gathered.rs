//! Fields whose names may come again.

use std::collections::HashMap;
use value::{Document, Value};

/// The most fields whose names are compared one by one; of more, the names are put in a map.
const COMPARED_MAX: usize = 16;

/// Fields in the order in which their names came. One whose name came again has a list of its values.
#[derive(Default)]
pub(crate) struct Gathered {
    fields: Vec<(String, Value)>,
    /// Where each name stands, once there are many.
    places: HashMap<String, usize>,
}

impl Gathered {
    /// Adds a field. A value that is the same as the last one of its name is not added again.
    pub(crate) fn add(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let present = match self.place(name) {
            Some(at) => self.fields.get_mut(at),
            None => None,
        };
        match present {
            None => self.push(name, value),
            Some((_, Value::Array(list))) => {
                if list.last() != Some(&value) {
                    list.push(value);
                }
            }
            Some((_, one)) => {
                if *one != value {
                    let first = std::mem::replace(one, Value::Null);
                    *one = Value::Array(vec![first, value]);
                }
            }
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        match self.fields.len() <= COMPARED_MAX {
            true => self.fields.iter().position(|(known, _)| known == name),
            false => self.places.get(name).copied(),
        }
    }

    fn push(&mut self, name: &str, value: Value) {
        self.fields.push((name.to_owned(), value));
        let count = self.fields.len();
        // All of them when there is one too many to compare, and each of those after it.
        let unplaced = match count > COMPARED_MAX {
            true => self.places.len()..count,
            false => 0..0,
        };
        for (at, (name, _)) in self
            .fields
            .iter()
            .enumerate()
            .skip(unplaced.start)
            .take(unplaced.len())
        {
            self.places.insert(name.clone(), at);
        }
    }

    /// Whether there is no field.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl From<Gathered> for Document {
    fn from(gathered: Gathered) -> Document {
        gathered.fields.into_iter().collect()
    }
}
