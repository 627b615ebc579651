//! The numbers of buckets made comparable: `normalize`.

use mapping::error::{Result, SearchError};

/// How numbers are made comparable with others.
#[derive(Clone, Copy, Debug)]
pub(in crate::aggregations) enum Normalization {
    /// From 0 to this: where each stands between the least and the greatest.
    Rescaled(f64),
    /// As a part of the sum.
    PercentOfSum,
    /// By how far it is from the mean, of the way from the least to the greatest.
    Mean,
    /// By how many standard deviations it is from the mean.
    ZScore,
    /// As a part of the sum of powers.
    Softmax,
}

impl Normalization {
    pub(super) fn parse(name: &str) -> Result<Normalization> {
        Ok(match name {
            "rescale_0_1" => Normalization::Rescaled(1.0),
            "rescale_0_100" => Normalization::Rescaled(100.0),
            "percent_of_sum" => Normalization::PercentOfSum,
            "mean" => Normalization::Mean,
            "z-score" => Normalization::ZScore,
            "softmax" => Normalization::Softmax,
            other => return Err(SearchError::illegal(format!("invalid method [{other}]"))),
        })
    }

    /// The numbers of all buckets; what is none makes none, and counts for nothing.
    pub(super) fn values(self, numbers: &[Option<f64>]) -> Vec<f64> {
        let there = || {
            numbers
                .iter()
                .copied()
                .flatten()
                .filter(|number| !number.is_nan())
        };
        let count = there().count() as f64;
        let sum: f64 = there().sum();
        let mean = sum / count;
        let least = there().fold(f64::INFINITY, f64::min);
        let width = there().fold(f64::NEG_INFINITY, f64::max) - least;
        let squares: f64 = there().map(|number| (number - mean).powi(2)).sum();
        let powers: f64 = there().map(f64::exp).sum();
        let one = |number: f64| match self {
            Normalization::Rescaled(most) => most * (number - least) / width,
            Normalization::PercentOfSum => number / sum,
            Normalization::Mean => (number - mean) / width,
            Normalization::ZScore => (number - mean) / (squares / count).sqrt(),
            Normalization::Softmax => number.exp() / powers,
        };
        numbers
            .iter()
            .map(|number| one(number.unwrap_or(f64::NAN)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_the_method_says() {
        let values = |name: &str| {
            let method = Normalization::parse(name).expect("a method");
            method.values(&[Some(1.0), None, Some(2.0), Some(5.0)])
        };
        let near = |name: &str, wanted: [f64; 3]| {
            let found = values(name);
            assert!(found[1].is_nan(), "{name}");
            for (found, wanted) in [found[0], found[2], found[3]].into_iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-9, "{name}: {found}");
            }
        };
        near("rescale_0_1", [0.0, 0.25, 1.0]);
        near("rescale_0_100", [0.0, 25.0, 100.0]);
        near("percent_of_sum", [0.125, 0.25, 0.625]);
        let mean = 8.0 / 3.0;
        near(
            "mean",
            [(1.0 - mean) / 4.0, (2.0 - mean) / 4.0, (5.0 - mean) / 4.0],
        );
        let deviation = (26.0_f64 / 9.0).sqrt();
        near(
            "z-score",
            [1.0, 2.0, 5.0].map(|number| (number - mean) / deviation),
        );
        let sum: f64 = [1.0_f64, 2.0, 5.0].map(f64::exp).iter().sum();
        near("softmax", [1.0_f64, 2.0, 5.0].map(|number| number.exp() / sum));
        assert!(Normalization::parse("median").is_err());
    }
}
