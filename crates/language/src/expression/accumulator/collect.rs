//! Accumulators that keep what they are given: `$push $addToSet $mergeObjects $setUnion $concatArrays`.

use super::Accumulator;
use crate::expression::evaluated::Evaluated;
use crate::expression::{ValueSet, size_bytes};
use crate::interruption::{COMPARISONS_PER_STEP, steps};
use crate::{Code, Error, Result};
use value::collation::Collation;
use value::{Document, Value, ValueRef};

#[derive(Debug, Default)]
pub(super) struct Push {
    values: Vec<Value>,
    bytes: usize,
}

impl Accumulator for Push {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if let Some(value) = value.into_value() {
            self.bytes += size_bytes(value.as_ref());
            self.values.push(value);
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(Value::Array(std::mem::take(&mut self.values)))
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

#[derive(Debug, Default)]
pub(super) struct AddToSet {
    values: ValueSet,
    bytes: usize,
}

impl AddToSet {
    pub(super) fn new(collation: Option<&Collation>) -> AddToSet {
        AddToSet {
            values: ValueSet::new(collation),
            bytes: 0,
        }
    }

    fn insert(&mut self, value: Value) {
        // Its place in the table, too.
        let bytes = 2 * size_of::<Value>() + size_bytes(value.as_ref());
        if self.values.insert(value) {
            self.bytes += bytes;
        }
    }

    fn take(&mut self) -> Value {
        self.values.take()
    }
}

impl Accumulator for AddToSet {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if let Some(value) = value.into_value() {
            self.insert(value);
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(self.take())
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

#[derive(Debug, Default)]
pub(super) struct MergeObjects {
    merged: Document,
    bytes: usize,
}

impl Accumulator for MergeObjects {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        match value.present() {
            None => Ok(()),
            Some(ValueRef::Document(document)) => {
                for (name, value) in document.iter() {
                    // A field is looked for among those before it.
                    steps(self.merged.len() / COMPARISONS_PER_STEP)?;
                    self.bytes += name.len() + size_bytes(value);
                    self.merged.set(name, value);
                }
                Ok(())
            }
            Some(other) => Err(Error::new(
                Code::location(40_400),
                format!(
                    "$mergeObjects requires object inputs, but input is of type {}",
                    other.type_of().alias()
                ),
            )),
        }
    }

    fn result(&mut self) -> Option<Value> {
        Some(Value::Document(std::mem::take(&mut self.merged)))
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The elements of an array that an accumulator was given; missing values are passed over.
fn elements<'a>(name: &str, value: &'a Evaluated<'_>) -> Result<Option<value::ArrayRef<'a>>> {
    match value.get() {
        None => Ok(None),
        Some(ValueRef::Array(array)) => Ok(Some(array)),
        Some(other) => Err(Error::type_mismatch(format!(
            "{name} requires array inputs, but input is of type {}",
            other.type_of().alias()
        ))),
    }
}

#[derive(Debug, Default)]
pub(super) struct SetUnion {
    set: AddToSet,
}

impl SetUnion {
    pub(super) fn new(collation: Option<&Collation>) -> SetUnion {
        SetUnion {
            set: AddToSet::new(collation),
        }
    }
}

impl Accumulator for SetUnion {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if let Some(array) = elements("$setUnion", &value)? {
            array
                .iter()
                .for_each(|element| self.set.insert(element.to_value()));
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(self.set.take())
    }

    fn bytes(&self) -> usize {
        self.set.bytes
    }
}

#[derive(Debug, Default)]
pub(super) struct ConcatArrays {
    all: Push,
}

impl Accumulator for ConcatArrays {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if let Some(array) = elements("$concatArrays", &value)? {
            for element in array.iter() {
                self.all.add(Evaluated::Borrowed(element))?;
            }
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        self.all.result()
    }

    fn bytes(&self) -> usize {
        self.all.bytes
    }
}
