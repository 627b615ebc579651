//! Distinct values of a path.

use super::execution::Paused;
use super::find::FindSpec;
use super::run::{Run, Task};
use crate::{QueryError, Result};
use std::collections::HashSet;
use std::sync::Arc;
use store::Collection;
use value::collation::{Collation, compare_in, encode_in};
use value::key::Direction;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef};

/// The bytes that the distinct values may take (they are one document).
const DISTINCT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The results that are looked at between two pages.
const PAGE_RESULTS: usize = 256;

/// The distinct values of a path in all documents that match, each once, in their order, as MongoDB gives them. The
/// elements of an array are values of their own.
pub async fn distinct(collection: &Arc<Collection>, mut spec: FindSpec, field: &str) -> Result<Vec<Value>> {
    let path = FieldPath::parse(field);
    spec.projection = None;
    let snapshot = spec.snapshot(collection).await?;
    let mut task = Task::new(spec);
    if path
        .parts()
        .iter()
        .all(|part| part.bytes().any(|byte| !byte.is_ascii_digit()))
    {
        task.needed = Some(Arc::from([field.to_owned()]));
    }
    let page = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: PAGE_RESULTS,
    };
    let mut execution = page.prepare(collection).await?.execution;
    let mut values = Distinct {
        collation: task.spec.variables.collation().cloned(),
        ..Distinct::default()
    };
    loop {
        let paused = execution.fill(&page).await?;
        while let Some(found) = execution.take() {
            values.add_all(found.document.as_ref(), &path);
        }
        values.check()?;
        if paused == Paused::Exhausted {
            return Ok(values.into_sorted());
        }
    }
}

#[derive(Default)]
struct Distinct {
    collation: Option<Collation>,
    known: HashSet<Vec<u8>>,
    values: Vec<Value>,
    bytes: usize,
}

/// The distinct values of a path in these documents, in their order.
pub fn distinct_values<'d>(
    documents: impl IntoIterator<Item = DocumentRef<'d>>,
    field: &str,
    collation: Option<&Collation>,
) -> Vec<Value> {
    let path = FieldPath::parse(field);
    let mut values = Distinct {
        collation: collation.cloned(),
        ..Distinct::default()
    };
    documents
        .into_iter()
        .for_each(|document| values.add_all(document, &path));
    values.into_sorted()
}

impl Distinct {
    fn add_all(&mut self, document: DocumentRef<'_>, path: &FieldPath) {
        path::visit(document, path, &mut |reached: Reached<'_>| {
            match reached.value {
                Some(ValueRef::Array(array)) => array.iter().for_each(|element| self.add(element)),
                Some(value) => self.add(value),
                None => {}
            }
            false
        });
    }

    fn add(&mut self, value: ValueRef<'_>) {
        let mut key = Vec::new();
        encode_in(self.collation.as_ref(), value, Direction::Ascending, &mut key);
        if !self.known.contains(&key) {
            self.bytes += key.len();
            self.known.insert(key);
            self.values.push(value.to_value());
        }
    }

    fn into_sorted(self) -> Vec<Value> {
        let mut values = self.values;
        values.sort_by(|left, right| compare_in(self.collation.as_ref(), left.as_ref(), right.as_ref()));
        values
    }

    fn check(&self) -> Result<()> {
        if self.bytes > DISTINCT_BYTES_MAX {
            return Err(QueryError::new(
                crate::Code::location(17_217),
                "distinct too big, 16mb cap",
            ));
        }
        Ok(())
    }
}
