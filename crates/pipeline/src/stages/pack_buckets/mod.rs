//! `$_internalPackBuckets`: the measurements of a time series packed into buckets, the form in which MongoDB keeps and
//! tools dump them.
//!
//! A bucket has the measurements of one `meta` within a span of time, in the order in which they come. As many buckets are
//! open at a time as memory takes: the one that was opened first is given first.

mod bucket;

use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work, give};
use crate::{Code, QueryError, Result};
use bucket::Bucket;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value, ValueRef, doc};

/// The bytes of the measurements in all open buckets.
const OPEN_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How a time series is cut into buckets.
#[derive(Clone, Debug)]
struct Packing {
    time_field: String,
    meta_field: Option<String>,
    span_ms: i64,
    rounding_ms: i64,
}

pub(crate) fn parse(name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = || {
        let message = format!(
            "{name} takes {{timeField, metaField, bucketMaxSpanSeconds, bucketRoundingSeconds}} of a time series"
        );
        QueryError::new(Code::FAILED_TO_PARSE, message)
    };
    let Value::Document(operand) = operand else {
        return Err(wrong());
    };
    let text = |name: &str| match operand.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let ms = |name: &str| match operand.get(name) {
        Some(Value::Int64(seconds)) if *seconds > 0 => seconds.checked_mul(1000),
        _ => None,
    };
    Ok(vec![Arc::new(Packing {
        time_field: text("timeField").ok_or_else(wrong)?,
        meta_field: text("metaField"),
        span_ms: ms("bucketMaxSpanSeconds").ok_or_else(wrong)?,
        rounding_ms: ms("bucketRoundingSeconds").ok_or_else(wrong)?,
    })])
}

impl Stage for Packing {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Packer {
            packing: self.clone(),
            opened: 0,
            open_bytes: 0,
            open: BTreeMap::new(),
            by_meta: HashMap::new(),
        })
    }

    fn to_document(&self) -> Document {
        let mut operand = doc! {"timeField": &self.time_field};
        if let Some(meta_field) = &self.meta_field {
            operand.push("metaField", meta_field);
        }
        operand.push("bucketMaxSpanSeconds", self.span_ms / 1000);
        operand.push("bucketRoundingSeconds", self.rounding_ms / 1000);
        named("$_internalPackBuckets", operand)
    }
}

struct Packer {
    packing: Packing,
    /// Buckets opened so far.
    opened: u64,
    open_bytes: usize,
    /// By their number, so the one opened first is the first.
    open: BTreeMap<u64, Bucket>,
    /// The bucket of each `meta` that is open.
    by_meta: HashMap<Vec<u8>, u64>,
}

impl Step for Packer {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            self.add(row, out)?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        let packing = &self.packing;
        let mut rest = std::iter::from_fn(|| self.open.pop_first())
            .map(|(_, bucket)| Row::Tree(bucket.into_document(&packing.time_field)));
        Ok(give(&mut rest, out))
    }
}

impl Packer {
    fn add(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let Some(ValueRef::DateTime(time)) = row.as_ref().get(&self.packing.time_field) else {
            let message = format!(
                "a document of the time series has no time in '{}'",
                self.packing.time_field
            );
            return Err(QueryError::new(Code::BAD_VALUE, message));
        };
        let bytes = row.size_bytes();
        let mut document = row.into_document();
        let meta = self
            .packing
            .meta_field
            .as_deref()
            .and_then(|name| document.remove(name));
        let key = meta_key(meta.as_ref());
        if let Some(&number) = self.by_meta.get(&key) {
            let fits = self
                .open
                .get(&number)
                .is_some_and(|bucket| bucket.has_room(time, self.packing.span_ms, bytes, &document));
            if !fits {
                self.give(number, out);
            }
        }
        let number = match self.by_meta.get(&key) {
            Some(number) => *number,
            None => self.open(key, meta, time, &document),
        };
        if let Some(bucket) = self.open.get_mut(&number) {
            bucket.add(document, bytes);
            self.open_bytes += bytes;
        }
        while self.open_bytes > OPEN_BYTES_MAX
            && let Some((&oldest, _)) = self.open.first_key_value()
        {
            self.give(oldest, out);
        }
        Ok(())
    }

    fn open(&mut self, key: Vec<u8>, meta: Option<Value>, time: i64, first: &Document) -> u64 {
        let low_ms = time - time.rem_euclid(self.packing.rounding_ms);
        self.opened += 1;
        self.open
            .insert(self.opened, Bucket::new(key.clone(), meta, low_ms, first));
        self.by_meta.insert(key, self.opened);
        self.opened
    }

    fn give(&mut self, number: u64, out: &mut Vec<Row>) {
        if let Some(bucket) = self.open.remove(&number) {
            self.by_meta.remove(bucket.meta_key());
            self.open_bytes -= bucket.bytes();
            out.push(Row::Tree(bucket.into_document(&self.packing.time_field)));
        }
    }
}

/// What tells one `meta` from another: its bytes, or none.
fn meta_key(meta: Option<&Value>) -> Vec<u8> {
    meta.map_or_else(Vec::new, |meta| {
        let wrapped = DocumentBuf::from(&named("meta", meta.clone()));
        wrapped.bytes().to_vec()
    })
}
