//! The buckets of a time series: `system.buckets.X`, the name under which tools dump and restore the series X.
//!
//! Documents are kept one by one, so there are no buckets. When buckets are read, measurements are packed on the way
//! ([`TimeSeries::packing`] is the stage of a view); when they are inserted, they are unpacked.

use super::{TimeSeries, present, unpack};
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::write::{InsertReply, WriteFailure, WriteOptions};
use code::Code;
use query::write;
use std::sync::Arc;
use store::{Collection, Namespace};
use value::{Document, DocumentBuf, doc};

/// The prefix of the name of a series' buckets.
const BUCKETS_PREFIX: &str = "system.buckets.";

/// Measurements that are unpacked before they are inserted together, and their bytes.
const MEASUREMENTS_AT_ONCE: usize = 5_000;
const BYTES_AT_ONCE: usize = 8 << 20;

/// A time series that is named by its buckets.
pub(crate) struct BucketsOf {
    /// The series.
    pub(crate) collection: Arc<Collection>,
    /// Its options as a time series.
    pub(crate) series: TimeSeries,
}

/// The name of a series' buckets.
pub fn buckets_name(series: &str) -> String {
    format!("{BUCKETS_PREFIX}{series}")
}

/// The name of a series, if the name is that of its buckets.
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

/// Measurements that wait to be inserted.
#[derive(Default)]
struct Unpacked {
    measurements: Vec<DocumentBuf>,
    places: Vec<Place>,
    bytes: usize,
}

impl Unpacked {
    fn are_many(&self) -> bool {
        self.measurements.len() >= MEASUREMENTS_AT_ONCE || self.bytes >= BYTES_AT_ONCE
    }
}

/// Which measurement of which bucket of the command.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    measurement: usize,
}

impl Place {
    /// The statement that inserts the measurement, for retries. The numbers below zero are no command's own: each
    /// bucket has as many of them as it can have measurements, by its number as a statement.
    fn statement(self, first_statement: i32) -> Result<i32> {
        let bucket = i64::from(first_statement) + self.bucket as i64;
        let number = bucket * unpack::MEASUREMENTS_MAX as i64 + self.measurement as i64;
        i32::try_from(i64::from(i32::MIN) + number)
            .ok()
            .filter(|statement| *statement < 0)
            .ok_or_else(|| {
                let message = format!("there is no room for the statements of bucket {bucket}");
                Error::new(Code::BAD_VALUE, message)
            })
    }
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
                    let places = (0..measurements.len()).map(|measurement| Place {
                        bucket: index,
                        measurement,
                    });
                    unpacked.places.extend(places);
                    let sizes = measurements.iter().map(|measurement| measurement.bytes().len());
                    unpacked.bytes += sizes.sum::<usize>();
                    unpacked.measurements.extend(measurements);
                }
                Err(error) => failures.push(WriteFailure { index, error }),
            }
            let is_last = index + 1 == buckets.len() || (options.ordered && !failures.is_empty());
            if is_last || unpacked.are_many() {
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
        let Unpacked {
            measurements, places, ..
        } = std::mem::take(unpacked);
        let statement =
            |place: &Place| -> Result<_> { Ok(context.statement(place.statement(options.first_statement)?)) };
        let statements: Vec<_> = places.iter().map(statement).collect::<Result<_>>()?;
        let collection = &target.collection;
        let found = present::places(collection, &measurements, &statements).await?;
        let mut failures: Vec<WriteFailure> = found
            .iter()
            .map(|&at| WriteFailure {
                index: places[at].bucket,
                error: present::refusal(collection, &measurements[at]),
            })
            .collect();
        let end = found.first().copied().filter(|_| options.ordered);
        let is_new = |at: usize| end.is_none_or(|end| at < end) && found.binary_search(&at).is_err();
        let all = measurements.into_iter().zip(places).zip(statements);
        let new = all.enumerate().filter(|(at, _)| is_new(*at));
        let ((measurements, places), statements): ((Vec<_>, Vec<_>), Vec<_>) =
            new.map(|(_, one)| one).unzip();
        let insert = write::WriteOptions {
            ordered: options.ordered,
            durability: options.durability(),
            validator: None,
            keeps_empty_timestamps: true,
            statements,
            interruption: context.interruption(),
        };
        let inserted = write::insert(collection, measurements, &insert).await?;
        let located = |(at, error): (usize, write::WriteError)| WriteFailure {
            index: places.get(at).map_or(0, |place: &Place| place.bucket),
            error: error.into(),
        };
        failures.extend(inserted.failures.into_iter().map(located));
        Ok(failures)
    }
}
