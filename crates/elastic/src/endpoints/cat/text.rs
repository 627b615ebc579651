//! Sizes and times as text, in the unit that is asked for.

use indices::error::{ElasticError, Result};
use rest::parameters::Parameters;

/// The units of sizes, with their bytes.
pub(super) const SIZES: [(&str, u64); 6] = [
    ("b", 1),
    ("kb", 1 << 10),
    ("mb", 1 << 20),
    ("gb", 1 << 30),
    ("tb", 1 << 40),
    ("pb", 1 << 50),
];

/// The units of times, with their nanoseconds.
const TIMES: [(&str, u64); 7] = [
    ("nanos", 1),
    ("micros", 1000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3600 * 1_000_000_000),
    ("d", 24 * 3600 * 1_000_000_000),
];

/// The units of sizes and times; the ones that fit best where none is named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    size: Option<u64>,
    time: Option<u64>,
}

impl Units {
    /// The units that fit best.
    pub(crate) const BEST: Units = Units {
        size: None,
        time: None,
    };

    /// Takes `bytes` and `time`.
    pub(super) fn take(parameters: &mut Parameters) -> Result<Units> {
        // `k` is `kb`.
        let is_size = |unit: &str, name: &str| unit == name || unit.strip_suffix('b') == Some(name);
        let size = parameters.take("bytes").map(|name| {
            let found = SIZES.iter().find(|(unit, _)| is_size(unit, &name));
            found
                .map(|(_, size)| *size)
                .ok_or_else(|| unknown("bytes", &name, "sizes"))
        });
        let time = parameters.take("time").map(|name| {
            let found = TIMES.iter().find(|(unit, _)| *unit == name);
            found
                .map(|(_, time)| *time)
                .ok_or_else(|| unknown("time", &name, "times"))
        });
        Ok(Units {
            size: size.transpose()?,
            time: time.transpose()?,
        })
    }

    /// A size.
    pub(crate) fn size(self, bytes: u64) -> String {
        match self.size {
            Some(unit) => (bytes / unit).to_string(),
            None => readable(bytes, &SIZES, "b"),
        }
    }

    /// A time.
    pub(crate) fn time(self, nanos: u64) -> String {
        match self.time {
            Some(unit) => (nanos / unit).to_string(),
            None => readable(nanos, &TIMES, "s"),
        }
    }
}

fn unknown(parameter: &str, name: &str, of: &str) -> ElasticError {
    ElasticError::illegal(format!(
        "failed to parse setting [{parameter}] with value [{name}] as a unit of {of}"
    ))
}

/// A number in the largest unit that it reaches, with one digit after the point; nothing is of the unit that is named.
fn readable(number: u64, units: &[(&str, u64)], of_nothing: &str) -> String {
    let reached = units.iter().rev().find(|(_, size)| number >= *size);
    let (unit, size) = reached.copied().unwrap_or((of_nothing, 1));
    let tenths = u128::from(number) * 10 / u128::from(size);
    match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        tenth => format!("{}.{tenth}{unit}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read_in_the_unit_that_fits() {
        let units = Units::BEST;
        assert_eq!(
            ["0b", "1kb", "1.5mb"],
            [0, 1024, 3 << 19].map(|size| units.size(size))
        );
        let times = [0, 5_000_000, 1_260_000_000, 3_600_000_000_000];
        assert_eq!(["0s", "5ms", "1.2s", "1h"], times.map(|time| units.time(time)));
        let units = Units {
            size: Some(1 << 10),
            time: Some(1_000_000),
        };
        assert_eq!(
            (units.size(2047), units.time(5_900_000)),
            ("1".to_owned(), "5".to_owned())
        );
    }
}
