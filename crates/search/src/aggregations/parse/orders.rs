//! Which orders buckets can have.

use crate::aggregations::metric_kind::MetricKind;
use crate::aggregations::ordering::{BucketOrder, By};
use crate::aggregations::path::Step;
use crate::aggregations::{Aggregations, Named, Spec};
use mapping::error::{ErrorKind, Result, SearchError};

/// Refuses orders by what is not within the buckets, or is no number.
pub(super) fn check(orders: &[BucketOrder], inner: &Aggregations) -> Result<()> {
    for order in orders {
        if let By::Number(whole, steps) = &order.by {
            check_path(steps, inner).map_err(|why| {
                let reason = format!("Invalid aggregation order path [{whole}]. {why}");
                SearchError::new(ErrorKind::Aggregation, reason)
            })?;
        }
    }
    Ok(())
}

const OF_SINGLE_BUCKETS: &str = "Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket \
     aggregations within the path and a final single-bucket or a metrics aggregation at the path end.";

fn check_path(steps: &[Step], inner: &Aggregations) -> Result<(), String> {
    let mut within = inner;
    let last = steps.len().saturating_sub(1);
    for (at, step) in steps.iter().enumerate() {
        let found = within.named.iter().find(|named| named.name == step.name);
        let named = found.filter(|named| !matches!(named.spec, Spec::Pipeline(_)));
        let Some(named) = named else {
            return Err(format!(
                "The provided aggregation [{}] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.",
                step.full
            ));
        };
        if at < last {
            if !named.spec.is_single() {
                return Err(format!(
                    "{OF_SINGLE_BUCKETS} [{}] is not single-bucket.",
                    step.name
                ));
            }
            within = &named.inner;
        } else {
            check_end(named, step.key.as_deref())?;
        }
    }
    Ok(())
}

/// Whether an aggregation has this number.
fn check_end(named: &Named, key: Option<&str>) -> Result<(), String> {
    let name = &named.name;
    match &named.spec {
        spec if spec.is_single() => match key {
            None | Some("doc_count") => Ok(()),
            Some(_) => Err(format!(
                "Ordering on a single-bucket aggregation can only be done on its doc_count. Either drop the key (a la \"{name}\") or \
                 change it to \"doc_count\" (a la \"{name}.doc_count\") or \"key\"."
            )),
        },
        Spec::TopMetrics(_) => Ok(()),
        Spec::Metric(_, kind) if kind.has_several() => {
            let Some(key) = key else {
                let reason =
                    "When ordering on a multi-value metrics aggregation a metric name must be specified.";
                return Err(reason.to_owned());
            };
            match kind.has(key)? {
                true => Ok(()),
                false => Err(format!(
                    "Unknown metric name [{key}] on multi-value metrics aggregation [{name}]"
                )),
            }
        }
        Spec::Metric(_, kind) if !matches!(kind, MetricKind::GeoBounds { .. } | MetricKind::GeoCentroid) => {
            match key {
                None | Some("value") => Ok(()),
                Some(_) => Err(format!(
                    "Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la \
                     \"{name}\") or change it to \"value\" (a la \"{name}.value\")"
                )),
            }
        }
        _ => Err(OF_SINGLE_BUCKETS.to_owned()),
    }
}
