//! `rate`: sums of values per unit of time, within a date histogram.

use super::histogram::{Interval, Width};
use super::metric_kind::MetricKind;
use super::units::{months, unit_name};
use super::{Aggregations, Spec};
use mapping::error::{Result, SearchError};

/// Refuses rates that are in no date histogram, or in one whose buckets are not of their units.
pub(super) fn check(aggregations: &Aggregations, around: Option<&Interval>) -> Result<()> {
    for named in &aggregations.named {
        if let Spec::Metric(_, MetricKind::Rate { unit, .. }) = &named.spec {
            let missing =
                || SearchError::illegal("The rate aggregation can only be used inside a date histogram");
            check_unit(*unit, around.ok_or_else(missing)?)?;
        }
        let around = match &named.spec {
            Spec::Histogram(_, interval) if interval.is_of_dates() => Some(interval.as_ref()),
            _ => around,
        };
        check(&named.inner, around)?;
    }
    Ok(())
}

fn check_unit(unit: Option<char>, around: &Interval) -> Result<()> {
    let Some(unit) = unit.filter(|unit| months(*unit).is_some()) else {
        return Ok(());
    };
    let histogram = match around.width {
        Width::Calendar(own) if months(own).is_some() => return Ok(()),
        Width::Calendar(own) => format!("non-month based calendar interval histogram [{}]", unit_name(own)),
        _ => "fixed interval based histogram,".to_owned(),
    };
    Err(SearchError::illegal(format!(
        "Cannot use month-based rate unit [{}] with {histogram} only week, day, hour, minute and second are supported for this histogram",
        unit_name(unit)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_no_number_of_days() {
        let around = |width| Interval::of_width(width);
        assert!(check_unit(Some('M'), &around(Width::Calendar('y'))).is_ok());
        assert!(check_unit(Some('M'), &around(Width::Calendar('d'))).is_err());
        assert!(check_unit(Some('q'), &around(Width::Fixed(1))).is_err());
        assert!(
            check_unit(Some('d'), &around(Width::Fixed(1))).is_ok()
                && check_unit(None, &around(Width::Fixed(1))).is_ok()
        );
    }
}
