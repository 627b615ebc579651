//! Distinct values of a path.

use super::execution::Paused;
use super::find::FindSpec;
use super::index_cursor::ScanCounters;
use super::run::{Run, Task};
use super::value_runs::{self, Taker, ValueOrDocument};
use crate::plan::IndexScan;
use crate::{QueryError, Result};
use std::collections::HashSet;
use std::sync::Arc;
use store::Collection;
use value::collation::{Collation, compare_in, encode_in};
use value::key::Direction;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef};

/// The bytes that the distinct values may take, since they are returned in one document.
const DISTINCT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The number of results in a page.
const PAGE_RESULTS: usize = 256;

/// The distinct values of a path in all documents that match, sorted, as in MongoDB. Each element of an array is a
/// value.
pub async fn distinct(collection: &Arc<Collection>, spec: FindSpec, field: &str) -> Result<Vec<Value>> {
    let task = distinct_task(spec, field);
    let snapshot = task.spec.snapshot(collection).await?;
    let page = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: PAGE_RESULTS,
    };
    let mut values = Distinct::new(field, task.spec.variables.collation().cloned());
    if let Some(scan) = value_runs::of_all(&page, collection, field) {
        value_runs::walk(&page, &scan, &mut values).await?;
        return Ok(values.into_sorted());
    }
    let mut execution = page.prepare(collection).await?.execution;
    if let Some(scan) = value_runs::of_plan(execution.plan(), field) {
        value_runs::walk(&page, scan, &mut values).await?;
        return Ok(values.into_sorted());
    }
    loop {
        let paused = execution.fill(&page).await?;
        while let Some(found) = execution.take() {
            values.add_all(found.document.as_ref());
        }
        values.check()?;
        if paused == Paused::Exhausted {
            return Ok(values.into_sorted());
        }
    }
}

/// What has to be read for the distinct values of a path: keys of an index are enough if they have it.
pub(crate) fn distinct_task(mut spec: FindSpec, field: &str) -> Task {
    spec.projection = None;
    let mut task = Task::new(spec);
    if FieldPath::parse(field)
        .parts()
        .iter()
        .all(|part| part.bytes().any(|byte| !byte.is_ascii_digit()))
    {
        task.needed = Some(Arc::from([field.to_owned()]));
    }
    task
}

/// The values of a path that were read from an index, each once.
#[derive(Clone, Debug)]
pub struct ValuesRead {
    /// The scan, which jumps from value to value.
    pub scan: Arc<IndexScan>,
    /// What it has examined.
    pub counters: ScanCounters,
    /// The number of documents that were read, because their keys do not tell whether they have a value.
    pub documents: u64,
    /// The number of distinct values.
    pub values: u64,
}

impl ValuesRead {
    /// Nothing that was read yet.
    pub(crate) fn begin(scan: Arc<IndexScan>) -> ValuesRead {
        ValuesRead {
            scan,
            counters: ScanCounters::default(),
            documents: 0,
            values: 0,
        }
    }

    /// Reads all values.
    pub(crate) async fn read(&mut self, run: &Run<'_>, field: &str) -> Result<()> {
        let mut values = Distinct::new(field, run.task.spec.variables.collation().cloned());
        let walked = value_runs::walk(run, &self.scan, &mut values).await?;
        self.counters = walked.counters;
        self.documents = walked.documents;
        self.values = values.values.len() as u64;
        Ok(())
    }
}

#[derive(Debug)]
struct Distinct {
    collation: Option<Collation>,
    path: Arc<FieldPath>,
    known: HashSet<Vec<u8>>,
    values: Vec<Value>,
    has_null: bool,
    bytes: usize,
}

/// Collects the distinct values of a path, document by document.
#[derive(Debug)]
pub struct DistinctValues(Distinct);

impl DistinctValues {
    /// An empty collection of values.
    pub fn new(field: &str, collation: Option<Collation>) -> DistinctValues {
        DistinctValues(Distinct::new(field, collation))
    }

    /// Adds the values of a document. Fails if there are too many for one answer.
    pub fn add(&mut self, document: DocumentRef<'_>) -> Result<()> {
        self.0.add_all(document);
        self.0.check()
    }

    /// All values, sorted.
    pub fn into_sorted(self) -> Vec<Value> {
        self.0.into_sorted()
    }
}

/// The distinct values of a path in these documents, sorted.
pub fn distinct_values<'d>(
    documents: impl IntoIterator<Item = DocumentRef<'d>>,
    field: &str,
    collation: Option<&Collation>,
) -> Vec<Value> {
    let mut values = Distinct::new(field, collation.cloned());
    documents
        .into_iter()
        .for_each(|document| values.add_all(document));
    values.into_sorted()
}

impl Taker for Distinct {
    fn take(&mut self, found: ValueOrDocument<'_>) -> Result<()> {
        match found {
            ValueOrDocument::Value(value) => self.add(value),
            ValueOrDocument::Document(document) => self.add_all(document.as_ref()),
        }
        self.check()
    }

    fn has_null(&self) -> bool {
        self.has_null
    }
}

impl Distinct {
    fn new(field: &str, collation: Option<Collation>) -> Distinct {
        Distinct {
            collation,
            path: Arc::new(FieldPath::parse(field)),
            known: HashSet::new(),
            values: Vec::new(),
            has_null: false,
            bytes: 0,
        }
    }

    fn add_all(&mut self, document: DocumentRef<'_>) {
        let path = self.path.clone();
        path::visit(document, &path, &mut |reached: Reached<'_>| {
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
            self.has_null |= matches!(value, ValueRef::Null);
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
