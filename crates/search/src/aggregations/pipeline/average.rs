//! `moving_avg`: a mean of the buckets before each one, by a model. Later versions have `moving_fn` in its place.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use std::collections::VecDeque;

/// The buckets that are looked at by default.
const WINDOW: i64 = 5;
/// How much the last of them counts by default.
const ALPHA: f64 = 0.3;

/// How a mean is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Simple,
    Linear,
    Ewma(f64),
}

/// The buckets before each one, and how their mean is made.
#[derive(Clone, Debug)]
pub(in crate::aggregations) struct Average {
    buckets: usize,
    model: Model,
}

impl Average {
    pub(super) fn parse(name: &str, members: &mut Members<'_>) -> Result<Average> {
        let buckets = members.integer("window")?.unwrap_or(WINDOW);
        if buckets <= 0 {
            return Err(SearchError::parsing(format!(
                "[window] value must be a positive, non-zero integer.  Value supplied was [null] in [{name}]."
            )));
        }
        let settings = members.take("settings");
        let model = members.text("model")?.unwrap_or_else(|| "simple".to_owned());
        let mut model = match model.as_str() {
            "simple" => Model::Simple,
            "linear" => Model::Linear,
            "ewma" => Model::Ewma(ALPHA),
            "holt" | "holt_winters" => {
                return Err(SearchError::unsupported(format!(
                    "the model [{model}] of moving_avg"
                )));
            }
            other => {
                return Err(SearchError::parsing(format!(
                    "no [moving_avg_model] registered for [{other}]"
                )));
            }
        };
        if let Some(settings) = settings.filter(|settings| !settings.is_null()) {
            let mut settings = Members::of("settings", settings)?;
            if let (Model::Ewma(_), Some(alpha)) = (model, settings.number("alpha")?) {
                if !(0.0..=1.0).contains(&alpha) {
                    return Err(SearchError::parsing(format!(
                        "alpha must be between 0 and 1 inclusive, not [{alpha}]"
                    )));
                }
                model = Model::Ewma(alpha);
            }
            settings.end()?;
        }
        match members.integer("predict")? {
            None => {}
            Some(predicted @ ..=0) => {
                return Err(SearchError::parsing(format!(
                    "[predict] value must be a positive integer.  Value supplied was [{predicted}] in [{name}]."
                )));
            }
            Some(_) => return Err(SearchError::unsupported("[predict] of moving_avg")),
        }
        if members.flag("minimize")?.unwrap_or(false) {
            return Err(SearchError::unsupported("[minimize] of moving_avg"));
        }
        Ok(Average {
            buckets: buckets as usize,
            model,
        })
    }

    /// The mean of the buckets before each one; `None` for the first, and for a bucket without a number.
    pub(super) fn values(&self, numbers: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut window: VecDeque<f64> = VecDeque::new();
        let mut means = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(number) = number else {
                means.push(None);
                continue;
            };
            means.push(self.model.mean(&window));
            if window.len() == self.buckets {
                window.pop_front();
            }
            window.push_back(*number);
        }
        means
    }
}

impl Model {
    fn mean(self, numbers: &VecDeque<f64>) -> Option<f64> {
        let each = numbers.iter().copied();
        match self {
            _ if numbers.is_empty() => None,
            Model::Simple => Some(each.sum::<f64>() / numbers.len() as f64),
            Model::Linear => Some(weighted(each)),
            Model::Ewma(alpha) => smoothed(each, alpha),
        }
    }
}

/// The mean of numbers of which each counts one more than the one before; the weights have one more than their sum, as
/// Elasticsearch has it.
pub(super) fn weighted(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut weights) = (0.0, 1.0);
    for (at, number) in numbers.enumerate() {
        let weight = (at + 1) as f64;
        sum += number * weight;
        weights += weight;
    }
    sum / weights
}

/// The mean of numbers of which the last counts `alpha`, and those before it the rest, in the same way; `None` of none.
pub(super) fn smoothed(numbers: impl Iterator<Item = f64>, alpha: f64) -> Option<f64> {
    numbers.reduce(|before, number| number * alpha + before * (1.0 - alpha))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_the_buckets_before() {
        let numbers = [Some(1.0), Some(2.0), None, Some(4.0), Some(8.0)];
        let of = |model: Model| Average { buckets: 2, model }.values(&numbers);
        assert_eq!(of(Model::Simple), [None, Some(1.0), None, Some(1.5), Some(3.0)]);
        assert_eq!(of(Model::Linear), [None, Some(0.5), None, Some(1.25), Some(2.5)]);
        assert_eq!(
            of(Model::Ewma(0.5)),
            [None, Some(1.0), None, Some(1.5), Some(3.0)]
        );
    }
}
