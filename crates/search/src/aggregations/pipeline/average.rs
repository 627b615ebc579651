//! `moving_avg`: a mean of the buckets before each one, by a model, and predictions by it. Later versions have `moving_fn` in its place.

use super::annealing::fitted;
use super::models::Model;
use mapping::error::{Result, SearchError};
use mapping::json::Members;
use querying::work;
use serde_json::Value;
use std::collections::VecDeque;

/// The buckets that are looked at by default.
const WINDOW: i64 = 5;

/// The buckets before each one, and how their mean is made.
#[derive(Clone, Debug)]
pub(in crate::aggregations) struct Average {
    buckets: usize,
    model: Model,
    /// How many buckets are predicted.
    predicted: usize,
    /// Whether the model is fitted to the numbers first.
    is_fitted: bool,
}

/// The moving average of the numbers of buckets.
#[derive(Debug, PartialEq)]
pub(super) struct Averages {
    /// The mean of the buckets before each one; `None` where there are too few, and for a bucket without a number.
    pub(super) means: Vec<Option<f64>>,
    /// The index of the last bucket with a number, and the predictions after it.
    pub(super) predicted: (usize, Vec<f64>),
}

impl Average {
    pub(super) fn parse(name: &str, members: &mut Members<'_>) -> Result<Average> {
        let buckets = members.integer("window")?.unwrap_or(WINDOW);
        if buckets <= 0 {
            return Err(SearchError::parsing(format!(
                "[window] value must be a positive, non-zero integer.  Value supplied was [null] in [{name}]."
            )));
        }
        let buckets = usize::try_from(buckets).unwrap_or(usize::MAX);
        let settings = members
            .take("settings")
            .filter(|settings| **settings != Value::Null);
        let model = members.text("model")?.unwrap_or_else(|| "simple".to_owned());
        let model = Model::parse(&model, settings, buckets)?;
        let predicted = match members.integer("predict")? {
            None => 0,
            Some(predicted @ ..=0) => {
                return Err(SearchError::parsing(format!(
                    "[predict] value must be a positive integer.  Value supplied was [{predicted}] in [{name}]."
                )));
            }
            Some(predicted) => usize::try_from(predicted).unwrap_or(usize::MAX),
        };
        let is_fitted = members.flag("minimize")?;
        if is_fitted == Some(true) && !model.can_be_fitted() {
            return Err(SearchError::illegal(format!(
                "The [{}] model cannot be minimized for aggregation [{name}]",
                model.name()
            )));
        }
        Ok(Average {
            buckets,
            model,
            predicted,
            is_fitted: is_fitted.unwrap_or(model.is_fitted_by_default()),
        })
    }

    pub(super) fn values(&self, numbers: &[Option<f64>], predicted_max: usize) -> Result<Averages> {
        let model = match self.is_fitted {
            true => self.fitted(numbers)?,
            false => self.model,
        };
        let mut window: VecDeque<f64> = VecDeque::new();
        let mut means = Vec::with_capacity(numbers.len());
        let mut last = 0;
        for (at, number) in numbers.iter().enumerate() {
            let Some(number) = number else {
                means.push(None);
                continue;
            };
            work(1 + window.len() / 8)?;
            let next = match model.has_next(window.len()) {
                true => model.next(window.make_contiguous(), 1)?.first().copied(),
                false => None,
            };
            means.push(next);
            if window.len() == self.buckets {
                window.pop_front();
            }
            window.push_back(*number);
            last = at;
        }
        let count = if numbers.is_empty() {
            0
        } else {
            self.predicted.min(predicted_max)
        };
        let window = window.make_contiguous();
        let predicted = match window.is_empty() {
            true => vec![f64::NAN; count],
            false if count == 0 => Vec::new(),
            false => model.next(window, count)?,
        };
        Ok(Averages {
            means,
            predicted: (last, predicted),
        })
    }

    /// The model that best predicts the last window from the one before; unchanged where there are fewer than two windows.
    fn fitted(&self, numbers: &[Option<f64>]) -> Result<Model> {
        let there: Vec<f64> = numbers.iter().copied().flatten().collect();
        let (Some(test_at), Some(train_at)) = (
            there.len().checked_sub(self.buckets),
            there.len().checked_sub(self.buckets.saturating_mul(2)),
        ) else {
            return Ok(self.model);
        };
        fitted(self.model, &there[train_at..test_at], &there[test_at..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn average(model: Model) -> Average {
        Average {
            buckets: 2,
            model,
            predicted: 0,
            is_fitted: false,
        }
    }

    #[test]
    fn means_are_of_the_buckets_before() {
        let numbers = [Some(1.0), Some(2.0), None, Some(4.0), Some(8.0)];
        let of = |model: Model| average(model).values(&numbers, 10).expect("means").means;
        assert_eq!(of(Model::Simple), [None, Some(1.0), None, Some(1.5), Some(3.0)]);
        assert_eq!(of(Model::Linear), [None, Some(0.5), None, Some(1.25), Some(2.5)]);
        assert_eq!(
            of(Model::Ewma(0.5)),
            [None, Some(1.0), None, Some(1.5), Some(3.0)]
        );
        let holt = Model::Holt {
            alpha: 1.0,
            beta: 1.0,
        };
        assert_eq!(of(holt), [None, Some(1.0), None, Some(2.0), Some(4.0)]);
    }

    #[test]
    fn numbers_after_the_last_one_are_predicted() {
        let average = Average {
            predicted: 3,
            ..average(Model::Holt {
                alpha: 1.0,
                beta: 1.0,
            })
        };
        let found = average.values(&[Some(1.0), Some(3.0), None], 10).expect("means");
        assert_eq!(found.predicted, (1, vec![3.0, 5.0, 7.0]));
        assert_eq!(average.values(&[], 10).expect("means").predicted, (0, Vec::new()));
        let many = average.values(&[Some(1.0)], 2).expect("means");
        assert_eq!(many.predicted, (0, vec![1.0, 1.0]));
    }

    #[test]
    fn a_model_is_fitted_where_there_are_two_windows() {
        let average = Average {
            is_fitted: true,
            ..average(Model::Ewma(0.0))
        };
        // The last number predicts better than the first.
        let row = [1.0, 5.0, 5.0, 5.0].map(Some);
        let Model::Ewma(alpha) = average.fitted(&row).expect("a model") else {
            panic!("another model");
        };
        assert!(alpha > 0.9, "{alpha}");
        assert_eq!(average.fitted(&row[..3]).expect("a model"), Model::Ewma(0.0));
    }
}
