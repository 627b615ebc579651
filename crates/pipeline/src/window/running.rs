//! Running a `$setWindowFields`: sorting, then one partition at a time.

use super::parse::Windows;
use super::partition::Partition;
use crate::fields;
use crate::join_key::append_key;
use crate::kept::{Kept, rest_kept};
use crate::row::Row;
use crate::sorted_input::SortedInput;
use crate::stage::Run;
use crate::step::{Flow, PAGE_ROWS, Step};
use crate::{QueryError, Result};
use language::expression::{Variables, size_bytes};
use language::interruption::steps;
use memory::Share;
use query::execute::sort_key;
use std::sync::Arc;
use value::{DocumentRef, Value, ValueRef};

/// A document, and how much of its key stands for its partition.
type Keyed = (Row, usize);

/// A running `$setWindowFields`.
pub(super) struct Running {
    windows: Windows,
    variables: Arc<Variables>,
    input: SortedInput<Keyed>,
    ready: Option<Ready>,
    kept: Kept,
}

/// A partition whose outputs are computed.
struct Ready {
    rows: std::vec::IntoIter<Row>,
    columns: Vec<std::vec::IntoIter<Option<Value>>>,
}

impl Running {
    pub(super) fn new(windows: Windows, run: &Run) -> Running {
        Running {
            windows,
            variables: Arc::clone(&run.variables),
            input: SortedInput::new(run, None),
            ready: None,
            kept: run.kept("$setWindowFields"),
        }
    }

    /// The key by which a document is sorted, and how much of it stands for the partition.
    fn key(&self, document: DocumentRef<'_>, variables: &Variables) -> Result<(Vec<u8>, usize)> {
        let mut key = Vec::new();
        if let Some(by) = &self.windows.partition_by {
            let value = by.find(document, variables)?;
            if let Some(ValueRef::Array(_)) = value.get() {
                return Err(QueryError::type_mismatch(
                    "An expression used to partition cannot evaluate to value of type array",
                ));
            }
            append_key(value.or_null(), variables.collation(), &mut key);
        }
        let partition = key.len();
        if let Some(sort) = &self.windows.sort {
            let mut order = Vec::new();
            sort_key(document, sort, &mut order)?;
            key.append(&mut order);
        }
        Ok((key, partition))
    }

    /// The next partition; empty at the end.
    fn next_partition(&mut self) -> Result<Partition> {
        let mut partition = Partition::default();
        let Some(sorted) = self.input.sorted()? else {
            return Ok(partition);
        };
        let mut next = sorted.pop()?;
        let same = next
            .as_ref()
            .map(|(_, length)| sorted.key()[..*length].to_vec())
            .unwrap_or_default();
        while let Some((row, length)) = next {
            let sort_value = match &self.windows.axis {
                Some(axis) => Some(
                    axis.evaluate(row.as_ref(), &self.variables)?
                        .unwrap_or(Value::Null),
                ),
                None => None,
            };
            partition.push(row, sort_value, sorted.key()[length..].to_vec());
            self.kept.check(partition.bytes())?;
            next = sorted.next_if(|key, (_, length)| key[..*length] == same)?;
        }
        Ok(partition)
    }

    /// Computes all outputs on the documents as they came.
    fn compute(&mut self, partition: Partition) -> Result<Ready> {
        let mut bytes = partition.bytes();
        let mut columns = Vec::with_capacity(self.windows.outputs.len());
        for output in self.windows.outputs.iter() {
            let mut room = |value: &Option<Value>| {
                steps(1)?;
                bytes += value.as_ref().map_or(0, |value| size_bytes(value.as_ref()));
                self.kept.check(bytes)
            };
            let column = output
                .function
                .apply(&partition, &output.frame, &self.variables, &mut room)?;
            columns.push(column.into_iter());
        }
        Ok(Ready {
            rows: partition.into_rows().into_iter(),
            columns,
        })
    }

    /// The next document with its outputs.
    fn next_ready(&mut self) -> Option<Row> {
        let ready = self.ready.as_mut()?;
        let (mut document, metadata) = ready.rows.next()?.into_parts();
        for (output, column) in self.windows.outputs.iter().zip(&mut ready.columns) {
            if let Some(value) = column.next().flatten() {
                fields::set(&mut document, output.path.parts(), value);
            }
        }
        Some(Row::of_parts(document, metadata))
    }
}

impl Step for Running {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        let mut variables = Arc::clone(&self.variables);
        for row in rows {
            row.show_metadata(&mut variables);
            let (key, partition) = self.key(row.as_ref(), &variables)?;
            self.input.push(&key, &(row, partition))?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        while out.len() < PAGE_ROWS {
            if let Some(row) = self.next_ready() {
                out.push(row);
                continue;
            }
            self.ready = None;
            let partition = self.next_partition()?;
            if partition.is_empty() {
                return Ok(Flow::Done);
            }
            self.ready = Some(self.compute(partition)?);
        }
        Ok(Flow::More)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.input.rest(idle)?;
        rest_kept(&mut self.kept, idle)
    }
}
