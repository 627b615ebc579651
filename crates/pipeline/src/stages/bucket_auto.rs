//! `$bucketAuto`: intervals chosen so that about as many documents fall into each.

use super::accumulation::{Accumulation, AccumulationState, Asking};
use super::bucket::{add_output, check_group_by};
use super::granularity::Granularity;
use crate::kept::{Kept, rest_kept};
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, PAGE_BYTES, PAGE_ROWS, Step, Work};
use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use memory::Share;
use query::execute::{Sorted, Sorter};
use std::sync::Arc;
use value::collation::{compare_in, encode_in};
use value::key::Direction;
use value::{Document, Value};

#[derive(Clone, Debug)]
struct BucketAuto {
    operand: Document,
    group_by: Expression,
    buckets: usize,
    fields: Arc<Vec<(String, Accumulation)>>,
    granularity: Option<Granularity>,
}

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(wrong(
            Code::location(40_240),
            format!(
                "The argument to $bucketAuto must be an object, but found type: {}.",
                operand.type_of().alias()
            ),
        ));
    };
    let given = Given::read(options, scope)?;
    let (Some(group_by), Some(buckets)) = (given.group_by, given.buckets) else {
        return Err(wrong(
            Code::location(40_246),
            "$bucketAuto requires 'groupBy' and 'buckets' to be specified.",
        ));
    };
    let buckets = match usize::try_from(buckets) {
        Ok(buckets @ 1..) => buckets,
        _ => {
            return Err(wrong(
                Code::location(40_243),
                format!("The $bucketAuto 'buckets' field must be greater than 0, but found: {buckets}."),
            ));
        }
    };
    let fields = match given.output {
        Some(fields) if !fields.is_empty() => fields,
        _ => parse_output(None, scope)?,
    };
    Ok(vec![Arc::new(BucketAuto {
        operand: options.clone(),
        group_by,
        buckets,
        fields: Arc::new(fields),
        granularity: given.granularity,
    })])
}

/// The options, each checked by itself in the order written, as MongoDB does.
#[derive(Default)]
struct Given {
    group_by: Option<Expression>,
    buckets: Option<i32>,
    output: Option<Vec<(String, Accumulation)>>,
    granularity: Option<Granularity>,
}

impl Given {
    fn read(options: &Document, scope: &StageScope<'_>) -> Result<Given> {
        let mut given = Given::default();
        for (name, value) in options.iter() {
            match (name, value) {
                ("groupBy", value) => given.group_by = Some(parse_group_by(value, scope)?),
                ("buckets", value) => given.buckets = Some(parse_buckets(value)?),
                ("output", Value::Document(fields)) => {
                    given.output = Some(parse_output(Some(fields), scope)?);
                }
                ("output", other) => {
                    return Err(wrong(
                        Code::location(40_244),
                        format!(
                            "The $bucketAuto 'output' field must be an object, but found type: {}.",
                            other.type_of().alias()
                        ),
                    ));
                }
                ("granularity", Value::String(name)) => given.granularity = Some(Granularity::find(name)?),
                ("granularity", other) => {
                    return Err(wrong(
                        Code::location(40_261),
                        format!(
                            "The $bucketAuto 'granularity' field must be a string, but found type: {}.",
                            other.type_of().alias()
                        ),
                    ));
                }
                (unknown, _) => {
                    return Err(wrong(
                        Code::location(40_245),
                        format!("Unrecognized option to $bucketAuto: {unknown}."),
                    ));
                }
            }
        }
        Ok(given)
    }
}

fn parse_group_by(value: &Value, scope: &StageScope<'_>) -> Result<Expression> {
    let code = Code::location(40_239);
    if matches!(value, Value::String(path) if path == "$") {
        return Err(wrong(
            code,
            "The $bucketAuto 'groupBy' field must be a $-prefixed path: '$' alone names no field.",
        ));
    }
    check_group_by(value, code)?;
    Ok(Expression::parse(value, &scope.parse_scope())?)
}

/// The accumulators of the buckets; a count if none are named.
fn parse_output(output: Option<&Document>, scope: &StageScope<'_>) -> Result<Vec<(String, Accumulation)>> {
    let mut spec = Document::new();
    add_output(&mut spec, output);
    let fields = spec.iter().map(|(name, value)| {
        let accumulation = Accumulation::parse(name, value, scope)?;
        if accumulation.begins_by_group() {
            return Err(wrong(
                Code::location(4_544_714),
                "Can't refer to the group key in $bucketAuto",
            ));
        }
        Ok((name.to_owned(), accumulation))
    });
    fields.collect()
}

fn parse_buckets(value: &Value) -> Result<i32> {
    let number = Number::of(value.as_ref()).ok_or_else(|| {
        wrong(
            Code::location(40_241),
            format!(
                "The $bucketAuto 'buckets' field must be a numeric value, but found type: {}.",
                value.type_of().alias()
            ),
        )
    })?;
    number.to_i32().ok_or_else(|| {
        wrong(
            Code::location(40_242),
            "The $bucketAuto 'buckets' field must be representable as a 32-bit integer",
        )
    })
}

impl Stage for BucketAuto {
    fn start(&self, run: &Run) -> Work {
        Work::local(Bucketing {
            stage: self.clone(),
            variables: Arc::clone(&run.variables),
            sorter: Some(run.sorter(None)),
            sorted: None,
            share: 1,
            filled: 0,
            before: None,
            kept: run.kept("$bucketAuto"),
            bytes: 0,
        })
    }

    fn to_document(&self) -> Document {
        named("$bucketAuto", self.operand.clone())
    }
}

fn is_zero(value: &Value) -> bool {
    Number::of(value.as_ref()).is_some_and(Number::is_zero)
}

/// What is sorted: the value that is grouped by, and the document with the place at which it came.
type Keyed = (Value, (Row, usize));

struct Bucketing {
    stage: BucketAuto,
    variables: Arc<Variables>,
    sorter: Option<Sorter<Keyed>>,
    /// The documents that are in no bucket yet.
    sorted: Option<Sorted<Keyed>>,
    /// The least number of documents in a bucket.
    share: usize,
    /// The number of buckets so far.
    filled: usize,
    /// The last one, which ends where the next begins.
    before: Option<Bucket>,
    kept: Kept,
    /// What the states of the buckets hold that were not given.
    bytes: usize,
}

/// A bucket: the interval and the states of its accumulators.
struct Bucket {
    min: Value,
    max: Value,
    states: Vec<AccumulationState>,
}

impl Step for Bucketing {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        let Some(sorter) = &mut self.sorter else {
            return Ok(Flow::Done);
        };
        for row in rows {
            row.show_metadata(&mut self.variables);
            let value = self
                .stage
                .group_by
                .evaluate(row.as_ref(), &self.variables)?
                .unwrap_or(Value::Null);
            if let Some(granularity) = &self.stage.granularity {
                granularity.check(&value)?;
            }
            let mut bytes = Vec::new();
            encode_in(
                self.variables.collation(),
                value.as_ref(),
                Direction::Ascending,
                &mut bytes,
            );
            let place = sorter.count();
            sorter.push(&bytes, &(value, (row, place)))?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        if let Some(sorter) = self.sorter.take() {
            // Each bucket takes its share of all; those that are left over go one each to the first.
            let share = sorter.count() as f64 / self.stage.buckets as f64;
            self.share = share.round().max(1.0) as usize;
            self.sorted = Some(sorter.into_sorted()?);
        }
        let mut bytes = 0;
        while out.len() < PAGE_ROWS && bytes < PAGE_BYTES {
            let mut next = self.next_bucket()?;
            if let (Some(before), Some(next)) = (&mut self.before, &mut next) {
                // The intervals touch; where boundaries are rounded, the lower one has said where.
                match self.stage.granularity {
                    // Zero is not rounded up: a bucket of nothing else would end where it begins.
                    Some(_) if !is_zero(&before.max) => next.min = before.max.clone(),
                    _ => before.max = next.min.clone(),
                }
            }
            let is_end = next.is_none();
            if let Some(bucket) = std::mem::replace(&mut self.before, next) {
                self.bytes = self.bytes.saturating_sub(bucket.bytes());
                let row = Row::Tree(bucket.into_document(&self.stage.fields)?);
                bytes += row.size_bytes();
                out.push(row);
            }
            if is_end {
                return Ok(Flow::Done);
            }
        }
        self.kept.check(self.bytes)?;
        Ok(Flow::More)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        if let Some(sorted) = &mut self.sorted {
            sorted.rest(idle)?;
        }
        rest_kept(&mut self.kept, idle)
    }
}

impl Bucketing {
    /// The bucket after those that were filled; `None` at the end.
    fn next_bucket(&mut self) -> Result<Option<Bucket>> {
        let Some(mut sorted) = self.sorted.take() else {
            return Ok(None);
        };
        let Some(first) = sorted.pop()? else {
            return Ok(None);
        };
        self.filled += 1;
        let is_last = self.filled == self.stage.buckets;
        let share = if is_last { usize::MAX } else { self.share };
        let bucket = self.fill(first, &mut sorted, share)?;
        self.sorted = Some(sorted);
        Ok(Some(bucket))
    }

    /// A bucket of this many documents and all that are equal to its last, rounded outwards by the granularity.
    fn fill(&mut self, first: Keyed, rest: &mut Sorted<Keyed>, share: usize) -> Result<Bucket> {
        let (min, (row, place)) = first;
        let mut bucket = Bucket {
            max: min.clone(),
            min,
            states: self.states()?,
        };
        self.add(&mut bucket, &row, place)?;
        let mut taken = 1;
        while let Some((value, (row, place))) = rest.next_if(|_, (value, _)| {
            taken < share
                || compare_in(self.variables.collation(), value.as_ref(), bucket.max.as_ref()).is_eq()
        })? {
            taken += 1;
            bucket.max = value;
            self.add(&mut bucket, &row, place)?;
        }
        if let Some(granularity) = &self.stage.granularity {
            bucket.min = granularity.round_down(&bucket.min);
            bucket.max = granularity.round_up(&bucket.max);
            let max = bucket.max.clone();
            let inside = |value: &Value| value::compare(value.as_ref(), max.as_ref()).is_lt();
            while let Some((_, (row, place))) = rest.next_if(|_, (value, _)| inside(value))? {
                self.add(&mut bucket, &row, place)?;
            }
        }
        Ok(bucket)
    }

    fn states(&self) -> Result<Vec<AccumulationState>> {
        let nothing = Document::new();
        let fields = self.stage.fields.iter();
        fields
            .map(|(_, accumulation)| accumulation.start((&nothing).into(), &self.variables, Asking::Bucket))
            .collect()
    }

    fn add(&mut self, bucket: &mut Bucket, row: &Row, place: usize) -> Result<()> {
        row.show_metadata(&mut self.variables);
        for ((_, accumulation), state) in self.stage.fields.iter().zip(&mut bucket.states) {
            let before = state.bytes();
            accumulation.add_at(place, state, row.as_ref(), &self.variables)?;
            self.bytes = (self.bytes + state.bytes()).saturating_sub(before);
        }
        self.kept.check(self.bytes)
    }
}

impl Bucket {
    /// What its states hold.
    fn bytes(&self) -> usize {
        self.states.iter().map(AccumulationState::bytes).sum()
    }

    fn into_document(mut self, fields: &[(String, Accumulation)]) -> Result<Document> {
        let interval = Document::new().with("min", self.min).with("max", self.max);
        let mut document = named("_id", interval);
        for ((name, _), state) in fields.iter().zip(&mut self.states) {
            if let Some(value) = state.result()? {
                document.push(name.as_str(), value);
            }
        }
        Ok(document)
    }
}
