//! `$densify` at work: documents sorted by partition and field, with new ones between them.

use super::{Bounds, Densify};
use crate::fields::{reached, set};
use crate::join_key::append_key;
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
    partition: Vec<u8>,
    /// `None` if the document has no value, and stays as it is.
    value: Option<Value>,
}

/// A running `$densify`.
pub(super) struct Densifying {
    densify: Densify,
    variables: Arc<Variables>,
    /// The documents, each with how much of its key stands for its partition.
    input: SortedInput<(Row, usize)>,
    /// The extremes of all documents.
    extremes: Option<(Value, Value)>,
    /// The steps of the partition at hand.
    steps: Option<Steps>,
    /// A document that waits for those that are made before it.
    waiting: Option<Keyed>,
    /// Whether the bounds given are still to be filled where no document has a value.
    is_untouched: bool,
    made: u64,
    /// About the bytes of the page at hand.
    page_bytes: usize,
}

/// The steps within one partition.
struct Steps {
    partition: Vec<u8>,
    /// What new documents after the last one have beside the field: what the first has.
    fields: Document,
    base: Value,
    taken: i64,
    /// The next step's value; none beyond what can be reached.
    next: Option<Value>,
}

fn order(a: &Value, b: &Value) -> Ordering {
    value::compare(a.as_ref(), b.as_ref())
}

impl Densifying {
    pub(super) fn new(densify: Densify, run: &Run) -> Densifying {
        Densifying {
            densify,
            variables: Arc::clone(&run.variables),
            input: SortedInput::new(run, None),
            extremes: None,
            steps: None,
            waiting: None,
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

    /// The next document in order.
    fn next_sorted(&mut self) -> Result<Option<Keyed>> {
        let Some(sorted) = self.input.sorted()? else {
            return Ok(None);
        };
        let Some((row, length)) = sorted.pop()? else {
            return Ok(None);
        };
        let partition = sorted.key()[..length].to_vec();
        Ok(Some(Keyed {
            value: self.value(&row)?,
            row,
            partition,
        }))
    }

    fn widen_extremes(&mut self, value: &Value) {
        let (min, max) = self
            .extremes
            .get_or_insert_with(|| (value.clone(), value.clone()));
        if order(value, min).is_lt() {
            *min = value.clone();
        }
        if order(value, max).is_gt() {
            *max = value.clone();
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

    /// The steps of a document's partition, from their beginning.
    fn begin(&self, first: &Keyed, value: &Value) -> Steps {
        let base = match (&self.densify.bounds, &self.extremes) {
            (Bounds::Explicit(low, _), _) => low.clone(),
            (Bounds::Full, Some((min, _))) => min.clone(),
            _ => value.clone(),
        };
        Steps {
            partition: first.partition.clone(),
            fields: self.partition_fields(&first.row),
            next: self.densify.step.from(&base, 0, None),
            base,
            taken: 0,
        }
    }

    /// What a document has in the fields that partitions are told apart by.
    fn partition_fields(&self, row: &Row) -> Document {
        let mut fields = Document::new();
        for field in &self.densify.partition_fields {
            if let Some(value) = reached(row.as_ref(), field.parts()) {
                set(&mut fields, field.parts(), value.to_value());
            }
        }
        fields
    }

    /// Begins the steps between bounds that are given, where no document has begun them.
    fn begin_untouched(&mut self) -> bool {
        let Bounds::Explicit(low, _) = &self.densify.bounds else {
            return false;
        };
        if !self.densify.partition_fields.is_empty() || !std::mem::take(&mut self.is_untouched) {
            return false;
        }
        self.steps = Some(Steps {
            partition: Vec::new(),
            fields: Document::new(),
            base: low.clone(),
            taken: 0,
            next: Some(low.clone()),
        });
        true
    }

    /// Whether a step's value is still within the bounds.
    fn is_within(&self, value: &Value) -> bool {
        match (&self.densify.bounds, &self.extremes) {
            (Bounds::Explicit(_, high), _) => order(value, high).is_lt(),
            (Bounds::Full, Some((_, max))) => order(value, max).is_le(),
            // Within a partition nothing comes after its last document.
            _ => false,
        }
    }

    fn advance(&self, steps: &mut Steps) {
        steps.taken += 1;
        steps.next = self
            .densify
            .step
            .from(&steps.base, steps.taken, steps.next.as_ref());
    }

    /// Makes a document of this step before another one, whose partition's values it takes, or after the last.
    fn make(
        &mut self,
        steps: &mut Steps,
        value: Value,
        before: Option<&Keyed>,
        out: &mut Vec<Row>,
    ) -> Result<()> {
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
        let mut document = match before {
            Some(keyed) => self.partition_fields(&keyed.row),
            None => steps.fields.clone(),
        };
        set(&mut document, self.densify.field.parts(), value);
        self.put(Row::Tree(document), out);
        self.advance(steps);
        Ok(())
    }

    fn put(&mut self, row: Row, out: &mut Vec<Row>) {
        self.page_bytes += row.size_bytes();
        out.push(row);
    }

    fn is_page_full(&self, out: &[Row]) -> bool {
        out.len() >= PAGE_ROWS || self.page_bytes >= PAGE_BYTES
    }

    /// Gives the steps before a document, then it; or what is left of a partition. False where the page is full.
    fn give(&mut self, keyed: Option<&Keyed>, out: &mut Vec<Row>) -> Result<bool> {
        let Some(mut steps) = self.steps.take() else {
            return Ok(true);
        };
        let limit = keyed.and_then(|keyed| keyed.value.as_ref());
        while let Some(next) = steps.next.clone() {
            let is_before = match limit {
                Some(limit) => order(&next, limit).is_lt() && self.is_within_or_before(&next),
                None => self.is_within(&next),
            };
            if !is_before {
                break;
            }
            if self.is_page_full(out) {
                self.steps = Some(steps);
                return Ok(false);
            }
            self.make(&mut steps, next, keyed, out)?;
        }
        // A document at a step takes its place.
        if let (Some(limit), Some(next)) = (limit, &steps.next)
            && order(next, limit).is_eq()
        {
            self.advance(&mut steps);
        }
        self.steps = Some(steps);
        Ok(true)
    }

    /// Whether a step before a document is one to be filled.
    fn is_within_or_before(&self, value: &Value) -> bool {
        match &self.densify.bounds {
            Bounds::Explicit(_, high) => order(value, high).is_lt(),
            Bounds::Full | Bounds::Partition => true,
        }
    }
}

impl Step for Densifying {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let mut key = Vec::new();
            for field in &self.densify.partition_fields {
                let value = reached(row.as_ref(), field.parts()).unwrap_or(ValueRef::Null);
                append_key(value, self.variables.collation(), &mut key);
            }
            let partition = key.len();
            let value = self.value(&row)?;
            if let Some(value) = &value {
                self.widen_extremes(value);
            }
            let value = value.as_ref().map_or(ValueRef::Null, Value::as_ref);
            key::encode(value, Direction::Ascending, &mut key);
            self.input.push(&key, &(row, partition))?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        self.page_bytes = 0;
        while !self.is_page_full(out) {
            let next = match self.waiting.take() {
                Some(waiting) => Some(waiting),
                None => self.next_sorted()?,
            };
            let ends_partition = match (&self.steps, &next) {
                (Some(steps), Some(keyed)) => steps.partition != keyed.partition,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if ends_partition {
                self.waiting = next;
                if self.give(None, out)? {
                    self.steps = None;
                }
                continue;
            }
            let Some(keyed) = next else {
                if !self.begin_untouched() {
                    return Ok(Flow::Done);
                }
                continue;
            };
            if let Some(value) = &keyed.value {
                self.is_untouched = false;
                if self.steps.is_none() {
                    self.steps = Some(self.begin(&keyed, value));
                }
                if !self.give(Some(&keyed), out)? {
                    self.waiting = Some(keyed);
                    continue;
                }
            }
            self.put(keyed.row, out);
        }
        Ok(Flow::More)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.input.rest(idle)
    }
}
