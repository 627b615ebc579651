//! `$densify` at work: documents sorted by partition and field, with new ones between them. With `full` bounds they are sorted
//! by the field alone, and partitions come mixed. What a partition lacks behind its last document comes after all documents.

use super::partitions::{Partition, Partitions};
use super::{Bounds, Densify};
use crate::fields::{reached, set};
use crate::join_key::{append_key, key_of};
use crate::row::Row;
use crate::sorted_input::SortedInput;
use crate::stage::Run;
use crate::step::{Flow, PAGE_BYTES, PAGE_ROWS, Step};
use crate::{Code, QueryError, Result};
use language::expression::Variables;
use memory::Share;
use std::cmp::Ordering;
use std::sync::Arc;
use value::key::{self, Direction};
use value::{Document, Type, Value, ValueRef};

/// The documents that one stage makes at most, as in MongoDB.
const MADE_MAX: u64 = 500_000;

/// A document with its keys.
struct Keyed {
    row: Row,
    /// The part of its sort key that stands for its partition.
    prefix: Vec<u8>,
    /// `None` if the document has no value, and stays as it is.
    value: Option<Value>,
}

/// A running `$densify`.
pub(super) struct Densifying {
    densify: Densify,
    variables: Arc<Variables>,
    /// The documents, each with how much of its key stands for its partition.
    input: SortedInput<(Row, usize)>,
    partitions: Partitions,
    /// The key prefix of the present document.
    prefix: Vec<u8>,
    /// The least and the greatest value so far, where documents are sorted by it.
    extremes: Option<(Value, Value)>,
    /// The steps that are being filled.
    steps: Option<Steps>,
    /// Whether the input's first document is still to come.
    is_untouched: bool,
    made: u64,
    /// The approximate bytes of the present page.
    page_bytes: usize,
}

/// Steps of one partition at which there are no documents.
struct Steps {
    /// What new documents have beside the field.
    fields: Document,
    next: Option<Value>,
    end: Value,
    with_end: bool,
    behind: Option<Behind>,
}

/// A document that waits for those made before it.
struct Behind {
    row: Row,
    value: Value,
    /// The place of its partition.
    place: usize,
}

fn order(a: &Value, b: &Value) -> Ordering {
    value::compare(a.as_ref(), b.as_ref())
}

fn is_at(next: Option<&Value>, value: &Value) -> bool {
    next.is_some_and(|next| order(next, value).is_eq())
}

impl Densifying {
    pub(super) fn new(densify: Densify, run: &Run) -> Densifying {
        Densifying {
            densify,
            variables: Arc::clone(&run.variables),
            input: SortedInput::new(run, None),
            partitions: Partitions::new(run.kept("$densify")),
            prefix: Vec::new(),
            extremes: None,
            steps: None,
            is_untouched: true,
            made: 0,
            page_bytes: 0,
        }
    }

    /// The value of a document, `None` if it has none.
    fn value(&self, row: &Row) -> Result<Option<Value>> {
        match reached(row.as_ref(), self.densify.field.parts()) {
            None | Some(ValueRef::Null | ValueRef::Undefined) => Ok(None),
            Some(value) => self.checked(value).map(Some),
        }
    }

    fn checked(&self, value: ValueRef<'_>) -> Result<Value> {
        let kind = value.type_of();
        match (self.densify.step.unit, kind) {
            (Some(_), Type::DateTime) => Ok(value.to_value()),
            (None, kind) if kind.is_number() => Ok(value.to_value()),
            (Some(_), kind) if kind.is_number() => Err(QueryError::new(
                Code::location(6_053_600),
                "Encountered numeric densify value in collection when step has a date unit.",
            )),
            (None, Type::DateTime) => Err(QueryError::new(
                Code::location(6_053_600),
                "Encountered date densify value in collection when step does not have a date unit.",
            )),
            _ => Err(QueryError::new(
                Code::location(5_733_201),
                format!(
                    "Densify field type must be numeric or a date, but found {}",
                    kind.alias()
                ),
            )),
        }
    }

    /// The next document in order.
    fn next_sorted(&mut self) -> Result<Option<Keyed>> {
        let Some(sorted) = self.input.sorted()? else {
            return Ok(None);
        };
        let Some((row, length)) = sorted.pop()? else {
            return Ok(None);
        };
        let prefix = sorted.key()[..length].to_vec();
        Ok(Some(Keyed {
            value: self.value(&row)?,
            row,
            prefix,
        }))
    }

    /// The key of a document's partition, and the fields that its documents have in common. What is missing is not null here.
    fn partition_of(&self, row: &Row) -> Result<(Vec<u8>, Document)> {
        let Some(partition) = &self.densify.partition else {
            return Ok((Vec::new(), Document::new()));
        };
        match partition.evaluate(row.as_ref(), &self.variables)? {
            Some(Value::Document(fields)) => {
                let value = Value::Document(fields);
                let key = key_of(value.as_ref(), self.variables.collation()).into_vec();
                let Value::Document(fields) = value else {
                    return Ok((key, Document::new()));
                };
                Ok((key, fields))
            }
            _ => Ok((Vec::new(), Document::new())),
        }
    }

    /// The step at which a partition begins with its first document, and whether that document comes before all steps.
    fn beginning(&self, value: &Value) -> (Option<Value>, bool) {
        let step = &self.densify.step;
        match (&self.densify.bounds, &self.extremes) {
            (Bounds::Explicit(low, _), _) if order(value, low).is_ne() => {
                (Some(step.first_from(low)), order(value, low).is_lt())
            }
            // As in MongoDB a first document up to a step behind the least of all comes before the steps, and takes no place
            // among them.
            (Bounds::Full, Some((min, _))) if order(value, min).is_gt() => {
                let is_near = step
                    .forward(min)
                    .is_none_or(|second| order(value, &second).is_le());
                (step.back_and_forward(min), is_near)
            }
            _ => (step.forward(value), true),
        }
    }

    /// Begins the steps between bounds that are given, if no partition has to be known for it.
    fn begin_untouched(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_untouched) || self.densify.partition.is_some() {
            return Ok(());
        }
        if let Bounds::Explicit(low, _) = &self.densify.bounds {
            let partition = Partition {
                fields: Document::new(),
                next: Some(self.densify.step.first_from(low)),
            };
            self.partitions.add(Vec::new(), partition)?;
        }
        Ok(())
    }

    /// Takes the next document: it goes out, or waits behind the steps before it.
    fn take(&mut self, keyed: Keyed, out: &mut Vec<Row>) -> Result<()> {
        let Keyed { row, prefix, value } = keyed;
        let Some(value) = value else {
            self.put(row, out);
            return Ok(());
        };
        match self.densify.bounds {
            Bounds::Partition if self.prefix != prefix => {
                self.partitions.clear()?;
                self.prefix = prefix;
            }
            Bounds::Full => {
                let min = self.extremes.take().map_or_else(|| value.clone(), |(min, _)| min);
                self.extremes = Some((min, value.clone()));
            }
            Bounds::Partition | Bounds::Explicit(..) => {}
        }
        let (key, fields) = self.partition_of(&row)?;
        let place = match self.partitions.place(&key) {
            Some(place) => place,
            None => {
                let (next, is_first) = self.beginning(&value);
                let fields = fields.clone();
                let place = self.partitions.add(key, Partition { fields, next })?;
                if is_first {
                    self.put(row, out);
                    return Ok(());
                }
                place
            }
        };
        self.fill_before(fields, Behind { row, value, place });
        Ok(())
    }

    /// Begins the steps before a document, whose partition's fields they take.
    fn fill_before(&mut self, fields: Document, behind: Behind) {
        let end = match &self.densify.bounds {
            Bounds::Explicit(_, high) if order(high, &behind.value).is_le() => high,
            _ => &behind.value,
        };
        self.steps = Some(Steps {
            fields,
            next: self.partitions.next(behind.place),
            end: end.clone(),
            with_end: false,
            behind: Some(behind),
        });
    }

    /// The steps of a partition behind its last document; `None` if there are none.
    fn steps_behind(&self, partition: Partition) -> Option<Steps> {
        let (low, end, with_end) = match (&self.densify.bounds, &self.extremes) {
            (Bounds::Explicit(low, high), _) => (low, high, false),
            (Bounds::Full, Some((min, max))) => (min, max, true),
            _ => return None,
        };
        let next = partition.next?;
        let next = if order(&next, low).is_gt() {
            next
        } else {
            low.clone()
        };
        Some(Steps {
            fields: partition.fields,
            next: Some(next),
            end: end.clone(),
            with_end,
            behind: None,
        })
    }

    /// Makes documents for the present steps, then the document after them, as far as the page has room.
    fn fill(&mut self, mut steps: Steps, out: &mut Vec<Row>) -> Result<()> {
        while let Some(next) = steps.next.take() {
            let order = order(&next, &steps.end);
            if order.is_gt() || order.is_eq() && !steps.with_end {
                steps.next = Some(next);
                break;
            }
            if self.is_page_full(out) {
                steps.next = Some(next);
                self.steps = Some(steps);
                return Ok(());
            }
            steps.next = self.densify.step.forward(&next);
            self.make(steps.fields.clone(), next, out)?;
        }
        if let Some(Behind { row, value, place }) = steps.behind {
            // A document at a step takes its place.
            let next = match is_at(steps.next.as_ref(), &value) {
                true => self.densify.step.forward(&value),
                false => steps.next,
            };
            self.partitions.go_on_at(place, next);
            self.put(row, out);
        }
        Ok(())
    }

    /// Makes a document of these fields and a step's value.
    fn make(&mut self, mut fields: Document, value: Value, out: &mut Vec<Row>) -> Result<()> {
        self.made += 1;
        if self.made > MADE_MAX {
            return Err(QueryError::new(
                Code::location(5_897_900),
                format!(
                    "Generated {} documents in $densify, which is over the limit of {MADE_MAX}. Increase the step or \
                     narrow the bounds",
                    self.made
                ),
            ));
        }
        set(&mut fields, self.densify.field.parts(), value);
        self.put(Row::Tree(fields), out);
        Ok(())
    }

    fn put(&mut self, row: Row, out: &mut Vec<Row>) {
        self.page_bytes += row.size_bytes();
        out.push(row);
    }

    fn is_page_full(&self, out: &[Row]) -> bool {
        out.len() >= PAGE_ROWS || self.page_bytes >= PAGE_BYTES
    }
}

impl Step for Densifying {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let mut key = Vec::new();
            if !matches!(self.densify.bounds, Bounds::Full) {
                for field in &self.densify.partition_fields {
                    let value = reached(row.as_ref(), field.parts()).unwrap_or(ValueRef::Null);
                    append_key(value, self.variables.collation(), &mut key);
                }
            }
            let prefix = key.len();
            let value = self.value(&row)?;
            let value = value.as_ref().map_or(ValueRef::Null, Value::as_ref);
            key::encode(value, Direction::Ascending, &mut key);
            self.input.push(&key, &(row, prefix))?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        self.page_bytes = 0;
        self.begin_untouched()?;
        while !self.is_page_full(out) {
            if let Some(steps) = self.steps.take() {
                self.fill(steps, out)?;
            } else if let Some(keyed) = self.next_sorted()? {
                self.take(keyed, out)?;
            } else if let Some(partition) = self.partitions.pop() {
                self.steps = self.steps_behind(partition);
            } else {
                return Ok(Flow::Done);
            }
        }
        Ok(Flow::More)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.input.rest(idle)?;
        self.partitions.rest(idle)
    }
}
