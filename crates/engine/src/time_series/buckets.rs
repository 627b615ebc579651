//! The buckets of a time series: `system.buckets.X`, the name under which tools dump and restore the series X.
//!
//! Documents are kept one by one, so there are no buckets. Who reads them gets measurements packed together on the way
//! ([`TimeSeries::packing`] is the stage of a view); what is inserted into them is unpacked.

use super::{TimeSeries, unpack};
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::write::{InsertReply, WriteFailure, WriteOptions};
use code::Code;
use query::write::{self, InsertOptions};
use std::sync::Arc;
use store::{Collection, Namespace};
use value::{Document, DocumentBuf, doc};

/// What the name of a series' buckets begins with.
const BUCKETS_PREFIX: &str = "system.buckets.";

/// Measurements that are unpacked before they are inserted together.
const MEASUREMENTS_AT_ONCE: usize = 5_000;

/// A time series that is named by its buckets.
pub(crate) struct BucketsOf {
    /// The series.
    pub(crate) collection: Arc<Collection>,
    /// What makes it one.
    pub(crate) series: TimeSeries,
}

/// The name of a series' buckets.
pub fn buckets_name(series: &str) -> String {
    format!("{BUCKETS_PREFIX}{series}")
}

/// The name of a series, where a name is that of its buckets.
pub(crate) fn series_name(buckets: &Namespace) -> Option<Namespace> {
    let name = buckets.collection.strip_prefix(BUCKETS_PREFIX)?;
    Some(Namespace::new(&buckets.database, name))
}

impl TimeSeries {
    /// The stage that packs measurements into buckets.
    pub(crate) fn packing(&self) -> Document {
        let mut operand = doc! {"timeField": &self.time_field};
        if let Some(meta_field) = &self.meta_field {
            operand.push("metaField", meta_field);
        }
        operand.push("bucketMaxSpanSeconds", self.span_seconds);
        operand.push("bucketRoundingSeconds", self.rounding_seconds);
        doc! {"$_internalPackBuckets": operand}
    }
}

/// Measurements that wait to be inserted, each with the position of its bucket.
#[derive(Default)]
struct Unpacked {
    measurements: Vec<DocumentBuf>,
    buckets: Vec<usize>,
    /// The number of the first of them in the command, for retries.
    first: usize,
}

impl Engine {
    /// The series whose buckets a name means.
    pub(crate) fn buckets_of(&self, namespace: &Namespace) -> Option<BucketsOf> {
        let series = series_name(namespace)?;
        let collection = self.store().collection(&series)?;
        let series = TimeSeries::of(&collection.options())?;
        Some(BucketsOf { collection, series })
    }

    /// Refuses to make a collection that would stand in the place of buckets.
    pub(crate) fn check_no_buckets(&self, namespace: &Namespace) -> Result<()> {
        match series_name(namespace) {
            None => Ok(()),
            Some(series) => Err(Error::new(
                Code::ILLEGAL_OPERATION,
                format!(
                    "{namespace} can only be the buckets of a time series: create {series} with the option 'timeseries'"
                ),
            )),
        }
    }

    /// Inserts the measurements of buckets.
    pub(crate) async fn insert_buckets(
        &self,
        context: &Context,
        target: &BucketsOf,
        buckets: &[DocumentBuf],
        options: &WriteOptions,
    ) -> Result<InsertReply> {
        let mut failures = Vec::new();
        let mut unpacked = Unpacked::default();
        for (index, bucket) in buckets.iter().enumerate() {
            match unpack::measurements(&target.series, bucket.as_raw()) {
                Ok(measurements) => {
                    unpacked.buckets.extend(measurements.iter().map(|_| index));
                    unpacked.measurements.extend(measurements);
                }
                Err(error) => failures.push(WriteFailure { index, error }),
            }
            let is_last = index + 1 == buckets.len() || (options.ordered && !failures.is_empty());
            if is_last || unpacked.measurements.len() >= MEASUREMENTS_AT_ONCE {
                let refused = self
                    .insert_unpacked(context, target, &mut unpacked, options)
                    .await?;
                failures.extend(refused);
            }
            if options.ordered && !failures.is_empty() {
                break;
            }
        }
        failures.sort_by_key(|failure| failure.index);
        failures.dedup_by_key(|failure| failure.index);
        let inserted = match failures.first() {
            Some(first) if options.ordered => first.index,
            _ => buckets.len() - failures.len(),
        };
        if options.ordered {
            failures.truncate(1);
        }
        Ok(InsertReply {
            inserted: inserted as u64,
            failures,
        })
    }

    async fn insert_unpacked(
        &self,
        context: &Context,
        target: &BucketsOf,
        unpacked: &mut Unpacked,
        options: &WriteOptions,
    ) -> Result<Vec<WriteFailure>> {
        let measurements = std::mem::take(&mut unpacked.measurements);
        let buckets = std::mem::take(&mut unpacked.buckets);
        let count = measurements.len();
        let insert = InsertOptions {
            ordered: options.ordered,
            durability: options.durability(),
            validator: None,
            keeps_empty_timestamps: true,
            statements: options.statements(context, unpacked.first..unpacked.first + count),
        };
        unpacked.first += count;
        let inserted = write::insert(&target.collection, measurements, insert).await?;
        let located = |(at, error): (usize, write::WriteError)| WriteFailure {
            index: buckets.get(at).copied().unwrap_or_default(),
            error: error.into(),
        };
        Ok(inserted.failures.into_iter().map(located).collect())
    }
}
