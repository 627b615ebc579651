//! `$_internalPackBuckets`: the measurements of a time series packed into buckets, the form in which MongoDB keeps and
//! tools dump them.
//!
//! A bucket has the measurements of one `meta` within a span of time, in the order in which they come. As many buckets are
//! open at a time as memory takes: the one that was opened first is given first.

mod bucket;

use crate::kept::{Kept, rest_kept};
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work, give};
use crate::{Code, QueryError, Result};
use bucket::Bucket;
use memory::Share;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value, ValueRef, doc};

/// What all open buckets take in memory at most.
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
    fn start(&self, run: &Run) -> Work {
        Work::local(Packer::new(self.clone(), run.kept("$_internalPackBuckets")))
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
    kept: Kept,
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

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        rest_kept(&mut self.kept, idle)
    }
}

impl Packer {
    fn new(packing: Packing, kept: Kept) -> Packer {
        Packer {
            packing,
            kept,
            opened: 0,
            open_bytes: 0,
            open: BTreeMap::new(),
            by_meta: HashMap::new(),
        }
    }

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
            let before = bucket.held();
            bucket.add(document, bytes);
            self.open_bytes += bucket.held() - before;
        }
        while (self.open_bytes > OPEN_BYTES_MAX || !self.kept.fits(self.open_bytes))
            && let Some((&oldest, _)) = self.open.first_key_value()
        {
            self.give(oldest, out);
        }
        Ok(())
    }

    fn open(&mut self, key: Vec<u8>, meta: Option<Value>, time: i64, first: &Document) -> u64 {
        let low_ms = time.saturating_sub(time.rem_euclid(self.packing.rounding_ms));
        self.opened += 1;
        let bucket = Bucket::new(key.clone(), meta, low_ms, first);
        self.open_bytes += bucket.held();
        self.open.insert(self.opened, bucket);
        self.by_meta.insert(key, self.opened);
        self.opened
    }

    fn give(&mut self, number: u64, out: &mut Vec<Row>) {
        if let Some(bucket) = self.open.remove(&number) {
            self.by_meta.remove(bucket.meta_key());
            self.open_bytes -= bucket.held();
            out.push(Row::Tree(bucket.into_document(&self.packing.time_field)));
        }
    }
}

/// The key of a `meta`: its bytes, or none.
fn meta_key(meta: Option<&Value>) -> Vec<u8> {
    meta.map_or_else(Vec::new, |meta| {
        let wrapped = DocumentBuf::from(&named("meta", meta.clone()));
        wrapped.bytes().to_vec()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use memory::Budget;

    fn packer(memory_bytes: usize) -> Packer {
        let packing = Packing {
            time_field: "t".to_owned(),
            meta_field: Some("m".to_owned()),
            span_ms: 3_600_000,
            rounding_ms: 60_000,
        };
        Packer::new(packing, Kept::new("test", &Budget::new(memory_bytes)))
    }

    fn packed(measurements: impl IntoIterator<Item = Document>) -> Vec<Document> {
        let (mut packer, mut out) = (packer(1 << 30), Vec::new());
        let rows = measurements.into_iter().map(Row::Tree).collect();
        packer.push(rows, &mut out).unwrap();
        while packer.finish(&mut out).unwrap() == Flow::More {}
        out.into_iter().map(Row::into_document).collect()
    }

    #[test]
    fn the_first_and_the_last_time_have_buckets() {
        let times = [i64::MIN, i64::MAX, -1];
        let buckets = packed(times.map(|time| doc! {"t": Value::DateTime(time)}));
        assert_eq!(buckets.len(), times.len());
        for (bucket, time) in buckets.iter().zip(times) {
            let data = bucket.get("data").and_then(Value::as_document).unwrap();
            assert_eq!(
                data.get("t"),
                Some(&Value::from(doc! {"0": Value::DateTime(time)}))
            );
        }
    }

    #[test]
    fn very_many_fields_take_no_longer_than_a_few() {
        let mut measurement = doc! {"t": Value::DateTime(0)};
        for number in 0..300_000 {
            measurement.push(format!("f{number}"), number);
        }
        assert_eq!(packed([measurement]).len(), 1);
    }

    #[test]
    fn no_more_buckets_are_open_than_memory_takes() {
        let (mut packer, mut out) = (packer(1 << 20), Vec::new());
        for number in 0..10_000 {
            let row = Row::Tree(doc! {"t": Value::DateTime(0), "m": number});
            packer.push(vec![row], &mut out).unwrap();
        }
        assert!(packer.open_bytes < 1 << 20 && packer.open.len() < 2_000);
        assert_eq!(packer.open.len() + out.len(), 10_000);
    }
}
