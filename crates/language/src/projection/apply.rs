//! Applying a projection to decoded documents.

use super::node::{Action, Fields};
use super::parse::Mode;
use crate::expression::building::Building;
use crate::expression::{Expression, Variables};
use crate::interruption::{COMPARISONS_PER_STEP, steps};
use crate::{Code, Error, Result};
use std::cell::RefCell;
use value::{Document, DocumentRef, Value, ValueRef};

/// What applying needs beside the tree.
pub(super) struct Applier<'a> {
    pub(super) mode: Mode,
    pub(super) root: DocumentRef<'a>,
    pub(super) variables: &'a Variables,
    /// What is computed for one document.
    pub(super) building: RefCell<Building>,
}

impl Applier<'_> {
    /// The fields that are kept; then, of an inclusion, the computed ones.
    pub(super) fn document(&self, fields: &Fields, source: DocumentRef<'_>) -> Result<Document> {
        let mut result = Document::new();
        for (name, value) in source.iter() {
            if let Some(kept) = self.field(fields.get(name), value)? {
                result.push(name, kept);
            }
        }
        self.compute(fields, &mut result)?;
        Ok(result)
    }

    /// What is kept of one field.
    fn field(&self, action: Option<&Action>, value: ValueRef<'_>) -> Result<Option<Value>> {
        Ok(match action {
            None if self.mode == Mode::Exclusion => Some(value.to_value()),
            // The element takes this place later.
            Some(Action::ElemMatch(_)) if self.mode == Mode::Exclusion => Some(Value::Null),
            None | Some(Action::Exclude | Action::ElemMatch(_)) => None,
            // A value that is computed takes the place of one that was kept, and else the end.
            Some(Action::Compute(_)) if self.mode == Mode::Exclusion => Some(value.to_value()),
            Some(Action::Compute(_)) => None,
            Some(Action::Include | Action::Positional) => Some(value.to_value()),
            Some(Action::Slice(slice)) => Some(match value {
                ValueRef::Array(array) => {
                    let range = slice.range(array.len());
                    array
                        .iter()
                        .skip(range.start)
                        .take(range.len())
                        .map(ValueRef::to_value)
                        .collect()
                }
                other => other.to_value(),
            }),
            Some(Action::Fields(fields)) => self.nested(fields, value)?,
        })
    }

    fn nested(&self, fields: &Fields, value: ValueRef<'_>) -> Result<Option<Value>> {
        Ok(match value {
            ValueRef::Document(document) => Some(Value::Document(self.kept_below(fields, document)?)),
            ValueRef::Array(array) => {
                let mut kept = Vec::new();
                for element in array.iter() {
                    kept.extend(self.nested(fields, element)?);
                }
                Some(Value::Array(kept))
            }
            other if self.mode == Mode::Exclusion || only_slices(fields) => Some(other.to_value()),
            // A document of what is computed takes this place later.
            _ if fields.computes() => Some(Value::Null),
            _ => None,
        })
    }

    fn kept_below(&self, fields: &Fields, source: DocumentRef<'_>) -> Result<Document> {
        let mut result = Document::new();
        for (name, value) in source.iter() {
            if let Some(kept) = self.field(fields.get(name), value)? {
                result.push(name, kept);
            }
        }
        Ok(result)
    }

    /// Puts the computed fields in, in the order of the specification.
    fn compute(&self, fields: &Fields, target: &mut Document) -> Result<()> {
        for (name, action) in &fields.entries {
            // A field is looked for among those before it.
            steps(target.len() / COMPARISONS_PER_STEP)?;
            match action {
                Action::Compute(expression) => match self.computed(expression)? {
                    Some(value) => target.set(name.as_str(), value),
                    None => drop(target.remove(name)),
                },
                Action::ElemMatch(filter) => match self.first_match(name, filter)? {
                    Some(element) => target.set(name.as_str(), Value::Array(vec![element])),
                    None => drop(target.remove(name)),
                },
                Action::Fields(below) if below.computes() => {
                    let present = target
                        .get_mut(name)
                        .map(|value| std::mem::replace(value, Value::Null));
                    let computed = self.compute_below(below, present)?;
                    target.set(name.as_str(), computed);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn computed(&self, expression: &Expression) -> Result<Option<Value>> {
        let found = expression.find(self.root, self.variables)?;
        self.building.borrow_mut().take(found)
    }

    /// Computed fields below a value: in each element of an array; anything else than a document gives way to one.
    fn compute_below(&self, fields: &Fields, present: Option<Value>) -> Result<Value> {
        match present {
            Some(Value::Array(elements)) => elements
                .into_iter()
                .map(|element| self.compute_below(fields, Some(element)))
                .collect(),
            Some(Value::Document(mut document)) => {
                self.compute(fields, &mut document)?;
                Ok(Value::Document(document))
            }
            _ => {
                let mut document = Document::new();
                self.compute(fields, &mut document)?;
                Ok(Value::Document(document))
            }
        }
    }

    fn first_match(&self, name: &str, filter: &crate::filter::Filter) -> Result<Option<Value>> {
        let Some(ValueRef::Array(array)) = self.root.get(name) else {
            return Ok(None);
        };
        let mut position = None;
        if !filter.matches_positioned(self.root, &mut position)? {
            return Ok(None);
        }
        Ok(position.and_then(|at| array.get(at)).map(ValueRef::to_value))
    }
}

/// Whether nothing below is kept or left out by name: values that are no arrays stay as they are.
fn only_slices(fields: &Fields) -> bool {
    fields.entries.iter().all(|(_, action)| match action {
        Action::Slice(_) => true,
        Action::Fields(fields) => only_slices(fields),
        _ => false,
    })
}

/// Cuts the first array on the path down to the element that the query matched.
pub(super) fn keep_matched(document: &mut Document, path: &str, position: Option<usize>) -> Result<()> {
    let mut parts = path.split('.');
    let Some(first) = parts.next() else { return Ok(()) };
    let Some(mut value) = document.get_mut(first) else {
        return Ok(());
    };
    loop {
        if let Value::Array(elements) = value {
            let at = position.ok_or_else(|| {
                positional_error(
                    Code::location(51_246),
                    "couldn't find a matching element in the array",
                )
            })?;
            if at >= elements.len() {
                return Err(positional_error(Code::location(51_247), "element mismatch"));
            }
            elements.swap(0, at);
            elements.truncate(1);
            return Ok(());
        }
        let Some(name) = parts.next() else { return Ok(()) };
        match value {
            Value::Document(inner) => match inner.get_mut(name) {
                Some(next) => value = next,
                None => return Ok(()),
            },
            _ => return Ok(()),
        }
    }
}

fn positional_error(code: Code, what: &str) -> Error {
    Error::new(
        code,
        format!("Executor error during find command :: caused by :: positional operator '.$' {what}"),
    )
}
