//! Units of the calendar, and how many of them a bucket of a date histogram spans.

/// How long a bucket of a date histogram is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// In milliseconds.
    pub(super) ms: f64,
    /// Its length in months, where it is a whole number of them.
    pub(super) months: Option<f64>,
}

impl Span {
    /// How many of these units it spans.
    pub(super) fn units(self, unit: char) -> f64 {
        match (months(unit), self.months) {
            (Some(unit), Some(own)) => own / unit,
            _ => self.ms / unit_ms(unit),
        }
    }
}

/// The months in a unit of the calendar; `None` for units of a fixed number of days.
pub(super) fn months(unit: char) -> Option<f64> {
    match unit {
        'M' => Some(1.0),
        'q' => Some(3.0),
        'y' => Some(12.0),
        _ => None,
    }
}

/// The milliseconds in a unit of the calendar that has a fixed length.
pub(super) fn unit_ms(unit: char) -> f64 {
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => 7 * 86_400,
    };
    f64::from(seconds) * 1000.0
}

/// The name of a unit.
pub(super) fn unit_name(unit: char) -> &'static str {
    match unit {
        's' => "second",
        'm' => "minute",
        'h' => "hour",
        'd' => "day",
        'w' => "week",
        'M' => "month",
        'q' => "quarter",
        _ => "year",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_of_so_many_units() {
        let ms = 86_400_000.0;
        let day = Span { ms, months: None };
        assert_eq!(
            [day.units('h'), day.units('d'), day.units('w')],
            [24.0, 1.0, 1.0 / 7.0]
        );
        let quarter = Span {
            ms: 91.0 * ms,
            months: months('q'),
        };
        assert_eq!(
            [quarter.units('M'), quarter.units('y'), quarter.units('d')],
            [3.0, 0.25, 91.0]
        );
    }
}
