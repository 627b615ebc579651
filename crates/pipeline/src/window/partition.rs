//! One partition: the documents with equal keys, in order.

use crate::Result;
use crate::row::Row;
use language::expression::{Expression, Variables, size_bytes};
use language::interruption::steps;
use value::Value;

/// The documents of a partition with their sort values and keys.
#[derive(Debug, Default)]
pub(super) struct Partition {
    rows: Vec<Row>,
    /// The values of the one sort field; empty if there is not exactly one.
    sort_values: Vec<Value>,
    /// The sort keys.
    sort_keys: Vec<Vec<u8>>,
    bytes: usize,
}

impl Partition {
    pub(super) fn push(&mut self, row: Row, sort_value: Option<Value>, sort_key: Vec<u8>) {
        let sort_value_bytes = sort_value.as_ref().map_or(0, |value| size_bytes(value.as_ref()));
        self.bytes += row.size_bytes() + sort_value_bytes + size_of::<Vec<u8>>() + sort_key.len();
        self.rows.push(row);
        self.sort_values.extend(sort_value);
        self.sort_keys.push(sort_key);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// About the bytes that it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The values of the sort field, null if it is missing.
    pub(super) fn sort_values(&self) -> &[Value] {
        &self.sort_values
    }

    /// Whether a document has the same sort key as the one before it.
    pub(super) fn ties_with_previous(&self, at: usize) -> bool {
        at > 0 && self.sort_keys[at] == self.sort_keys[at - 1]
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// An expression's value for each document; `None` if it is missing.
    pub(super) fn evaluate(
        &self,
        expression: &Expression,
        variables: &Variables,
    ) -> Result<Vec<Option<Value>>> {
        let mut shown = Shown::new(variables);
        let values = self.rows.iter().map(|row| {
            steps(1)?;
            expression.evaluate(row.as_ref(), shown.of(row))
        });
        Ok(values.collect::<language::Result<_>>()?)
    }
}

/// The variables for expressions on one document after the other.
pub(super) struct Shown<'v> {
    given: &'v Variables,
    with_metadata: Option<Variables>,
}

impl<'v> Shown<'v> {
    pub(super) fn new(given: &'v Variables) -> Shown<'v> {
        Shown {
            given,
            with_metadata: None,
        }
    }

    /// The variables for expressions on this document, with its metadata if it has any.
    pub(super) fn of(&mut self, row: &Row) -> &Variables {
        let given = self.given;
        let Some(metadata) = row.metadata() else {
            return given;
        };
        let own = self.with_metadata.get_or_insert_with(|| given.clone());
        own.set_metadata(metadata.clone());
        own
    }
}
