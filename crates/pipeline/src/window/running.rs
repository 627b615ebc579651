//! `$setWindowFields` at work: sorted, then a partition at a time.

use super::parse::Windows;
use super::partition::Partition;
use crate::fields;
use crate::join_key::append_key;
use crate::memory;
use crate::row::Row;
use crate::stage::Run;
use crate::step::{Flow, PAGE_ROWS, Step};
use crate::{QueryError, Result};
use language::expression::Variables;
use query::execute::{Sorted, Sorter, sort_key};
use query::plan::SortPattern;
use std::sync::Arc;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef};

/// A document, and how much of its key stands for its partition.
type Keyed = (Row, usize);

/// A running `$setWindowFields`.
pub(super) struct Running {
    windows: Windows,
    variables: Arc<Variables>,
    sorter: Option<Sorter<Keyed>>,
    sorted: Option<Sorted<Keyed>>,
    ready: std::vec::IntoIter<Row>,
}

impl Running {
    pub(super) fn new(windows: Windows, run: &Run) -> Running {
        Running {
            windows,
            variables: Arc::clone(&run.variables),
            sorter: Some(run.sorter(None)),
            sorted: None,
            ready: Vec::new().into_iter(),
        }
    }

    /// The key by which a document is sorted, and how much of it stands for the partition.
    fn key(&self, document: DocumentRef<'_>) -> Result<(Vec<u8>, usize)> {
        let mut key = Vec::new();
        if let Some(by) = &self.windows.partition_by {
            let value = by.find(document, &self.variables)?;
            if let Some(ValueRef::Array(_)) = value.get() {
                return Err(QueryError::type_mismatch(
                    "An expression used to partition cannot evaluate to value of type array",
                ));
            }
            append_key(value.or_null(), self.variables.collation(), &mut key);
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
        let Some(sorted) = &mut self.sorted else {
            return Ok(partition);
        };
        let mut next = sorted.pop()?;
        let same = next
            .as_ref()
            .map(|(_, length)| sorted.key()[..*length].to_vec())
            .unwrap_or_default();
        while let Some((row, length)) = next {
            let sort_value = match self.windows.sort.as_ref().map(SortPattern::paths) {
                Some([only]) => Some(value_at(row.as_ref(), &only.path)),
                _ => None,
            };
            partition.push(row, sort_value, sorted.key()[length..].to_vec());
            memory::check("$setWindowFields", partition.bytes())?;
            next = sorted.next_if(|key, (_, length)| key[..*length] == same)?;
        }
        Ok(partition)
    }

    /// Computes all outputs on the documents as they came, then sets them.
    fn set_outputs(&self, partition: Partition) -> Result<Vec<Row>> {
        let outputs = self.windows.outputs.iter();
        let columns = outputs
            .map(|output| output.function.apply(&partition, &output.frame, &self.variables))
            .collect::<Result<Vec<_>>>()?;
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        let rows = partition.into_rows().into_iter().map(|row| {
            let mut document = row.into_document();
            for (output, column) in self.windows.outputs.iter().zip(&mut columns) {
                if let Some(value) = column.next().flatten() {
                    fields::set(&mut document, output.path.parts(), value);
                }
            }
            Row::Tree(document)
        });
        Ok(rows.collect())
    }
}

/// What a document is sorted by, null where it is missing.
fn value_at(document: DocumentRef<'_>, path: &FieldPath) -> Value {
    let mut found = Value::Null;
    path::visit(document, path, &mut |reached: Reached<'_>| {
        if let Some(value) = reached.value {
            found = value.to_value();
        }
        true
    });
    found
}

impl Step for Running {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let (key, partition) = self.key(row.as_ref())?;
            if let Some(sorter) = &mut self.sorter {
                sorter.push(&key, &(row, partition))?;
            }
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        if let Some(sorter) = self.sorter.take() {
            self.sorted = Some(sorter.into_sorted()?);
        }
        while out.len() < PAGE_ROWS {
            if let Some(row) = self.ready.next() {
                out.push(row);
                continue;
            }
            let partition = self.next_partition()?;
            if partition.is_empty() {
                return Ok(Flow::Done);
            }
            self.ready = self.set_outputs(partition)?.into_iter();
        }
        Ok(Flow::More)
    }
}
