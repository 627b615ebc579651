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

/// What numbers add up to.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// How many values there are.
    pub count: u64,
    /// The sum of those that are numbers.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
    /// The least of them; without any, infinity.
    pub min: f64,
    /// The greatest of them; without any, negative infinity.
    pub max: f64,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary {
            count: 0,
            sum: 0.0,
            squares: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl Summary {
    /// Adds a number that comes so often.
    pub fn add(&mut self, number: f64, times: u64) {
        self.count += times;
        self.sum += number * times as f64;
        self.squares += number * number * times as f64;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }

    /// Adds what others add up to.
    pub fn merge(&mut self, other: &Summary) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The mean of the values; `None` without any.
    pub fn avg(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The variance of the values as the whole population; `None` without any.
    pub fn variance(&self) -> Option<f64> {
        let count = self.count as f64;
        (self.count > 0).then(|| ((self.squares - self.sum * self.sum / count) / count).max(0.0))
    }
}
