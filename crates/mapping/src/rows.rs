//! What an index knows of documents that are alike, in place of the documents.

use crate::fields::Term;

/// The values of documents that are alike, by the names of their fields.
pub type Row = Vec<(String, RowValues)>;

/// The values of a field in a row.
#[derive(Clone, Debug)]
pub enum RowValues {
    /// Those of each of its documents.
    Each(Vec<Term>),
    /// What those of all its documents add up to.
    Summary(Summary),
}

/// A sum that carries on what each addition loses to rounding, as Elasticsearch's do (Kahan's summation): ten times 0.1 is 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    /// What was added.
    pub fn value(self) -> f64 {
        self.value
    }

    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.merge(Sum {
            value: number,
            lost: 0.0,
        });
    }

    /// Adds what others add up to.
    pub fn merge(&mut self, other: Sum) {
        if !other.value.is_finite() {
            self.value += other.value;
        }
        if self.value.is_finite() {
            let number = other.value + (self.lost + other.lost);
            let value = self.value + number;
            self.lost = number - (value - self.value);
            self.value = value;
        }
    }
}

/// What numbers add up to.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// How many values there are.
    pub count: u64,
    /// The sum of those that are numbers.
    pub sum: Sum,
    /// The sum of their squares.
    pub squares: Sum,
    /// The least of them; without any, infinity.
    pub min: f64,
    /// The greatest of them; without any, negative infinity.
    pub max: f64,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary {
            count: 0,
            sum: Sum::default(),
            squares: Sum::default(),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl Summary {
    /// Adds a number that comes so often.
    pub fn add(&mut self, number: f64, times: u64) {
        self.sum.add(number * times as f64);
        self.squares.add(number * number * times as f64);
        self.see(number, times);
    }

    /// Adds a number without what additions lose: so Elasticsearch adds the values of buckets.
    pub fn add_plainly(&mut self, number: f64) {
        self.sum.value += number;
        self.squares.value += number * number;
        self.see(number, 1);
    }

    fn see(&mut self, number: f64, times: u64) {
        self.count += times;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }

    /// Adds what others add up to.
    pub fn merge(&mut self, other: &Summary) {
        self.count += other.count;
        self.sum.merge(other.sum);
        self.squares.merge(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The mean of the values; `None` without any.
    pub fn avg(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.value / self.count as f64)
    }

    /// The variance of the values as the whole population; `None` without any.
    pub fn variance(&self) -> Option<f64> {
        self.variance_by(self.count as f64)
    }

    /// The variance of a population of which these values are a sample: of one value, no number; `None` without any.
    pub fn sample_variance(&self) -> Option<f64> {
        self.variance_by(self.count as f64 - 1.0)
    }

    fn variance_by(&self, divisor: f64) -> Option<f64> {
        let (sum, squares, count) = (self.sum.value, self.squares.value, self.count as f64);
        let variance = (squares - sum * sum / count) / divisor;
        (self.count > 0).then_some(if variance < 0.0 { 0.0 } else { variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_what_additions_lose() {
        let of = |numbers: &[f64]| {
            let mut summary = Summary::default();
            numbers.iter().for_each(|number| summary.add(*number, 1));
            summary
        };
        let tenths = of(&[0.1; 10]);
        assert_eq!((tenths.sum.value(), tenths.avg()), (1.0, Some(0.1)));
        let mut halves = of(&[0.1; 4]);
        halves.merge(&of(&[0.1; 6]));
        assert_eq!(halves.sum.value(), 1.0);
        let mut plain = Summary::default();
        (0..10).for_each(|_| plain.add_plainly(0.1));
        assert_eq!(plain.sum.value(), 0.999_999_999_999_999_9);
        let endless = of(&[1.0, f64::INFINITY, 2.0]);
        assert_eq!(endless.sum.value(), f64::INFINITY);
    }

    #[test]
    fn a_sample_of_one_value_has_no_variance() {
        let mut summary = Summary::default();
        assert_eq!((summary.variance(), summary.sample_variance()), (None, None));
        summary.add(3.0, 1);
        assert_eq!(summary.variance(), Some(0.0));
        assert!(summary.sample_variance().is_some_and(f64::is_nan));
        summary.add(5.0, 1);
        assert_eq!(
            (summary.variance(), summary.sample_variance()),
            (Some(1.0), Some(2.0))
        );
    }
}
