//! `moving_fn`: a function over the buckets before each one.

use super::average::{smoothed, weighted};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;

/// A function of numbers that a script names.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Max,
    Min,
    Sum,
    StdDev,
    UnweightedAvg,
    LinearWeightedAvg,
    Ewma(f64),
}

/// The buckets before each one, and what is made of their numbers.
#[derive(Clone, Debug)]
pub(in crate::aggregations) struct Window {
    buckets: i64,
    shift: i64,
    function: Function,
}

impl Window {
    pub(super) fn parse(members: &mut Members<'_>) -> Result<Window> {
        let buckets = members.integer("window")?;
        let buckets = buckets.ok_or_else(|| SearchError::illegal("Required [window]"))?;
        if buckets <= 0 {
            let cause = SearchError::illegal("[window] must be a positive, non-zero integer.");
            return Err(SearchError {
                cause: Some(Box::new(cause)),
                ..SearchError::content("Failed to build [moving_fn] after last required field arrived")
            });
        }
        let script = match members.take("script") {
            Some(Value::Object(script)) => script.get("source").and_then(scalar),
            Some(text) => scalar(text),
            None => None,
        };
        let script = script.ok_or_else(|| SearchError::illegal("Required [script]"))?;
        Ok(Window {
            buckets,
            shift: members.integer("shift")?.unwrap_or(0),
            function: Function::parse(&script)?,
        })
    }

    /// What is made of the numbers before the bucket at this place; `None` where nothing is.
    pub(super) fn value(&self, at: usize, numbers: &[f64]) -> Option<f64> {
        let at = i64::try_from(at).ok()?;
        let most = i64::try_from(numbers.len()).ok()?;
        let place = |place: i64| place.clamp(0, most) as usize;
        let end = at.saturating_add(self.shift);
        let (from, to) = (place(end.saturating_sub(self.buckets)), place(end));
        self.function.value(numbers.get(from..to)?)
    }
}

impl Function {
    fn parse(script: &str) -> Result<Function> {
        let unsupported = || SearchError::unsupported(format!("the script [{script}] of moving_fn"));
        let text: String = script.chars().filter(|c| !c.is_whitespace()).collect();
        let text = text.strip_prefix("return").unwrap_or(&text).trim_end_matches(';');
        let call = text.strip_prefix("MovingFunctions.").ok_or_else(unsupported)?;
        let (name, arguments) = call.split_once('(').ok_or_else(unsupported)?;
        let arguments = arguments.strip_suffix(')').ok_or_else(unsupported)?;
        Ok(match (name, arguments) {
            ("max", "values") => Function::Max,
            ("min", "values") => Function::Min,
            ("sum", "values") => Function::Sum,
            ("unweightedAvg", "values") => Function::UnweightedAvg,
            ("linearWeightedAvg", "values") => Function::LinearWeightedAvg,
            ("stdDev", "values,MovingFunctions.unweightedAvg(values)") => Function::StdDev,
            ("ewma", arguments) => match arguments.strip_prefix("values,").map(str::parse) {
                Some(Ok(alpha)) => Function::Ewma(alpha),
                _ => return Err(unsupported()),
            },
            _ => return Err(unsupported()),
        })
    }

    /// What numbers come to; of none, only a sum is a number.
    fn value(self, numbers: &[f64]) -> Option<f64> {
        let sum: f64 = numbers.iter().sum();
        let count = numbers.len() as f64;
        if numbers.is_empty() {
            return matches!(self, Function::Sum).then_some(0.0);
        }
        Some(match self {
            Function::Max => numbers.iter().copied().reduce(f64::max)?,
            Function::Min => numbers.iter().copied().reduce(f64::min)?,
            Function::Sum => sum,
            Function::UnweightedAvg => sum / count,
            Function::StdDev => {
                let mean = sum / count;
                let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
                (squares / count).sqrt()
            }
            Function::LinearWeightedAvg => weighted(numbers.iter().copied()),
            Function::Ewma(alpha) => smoothed(numbers.iter().copied(), alpha)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(script: &str, buckets: i64, shift: i64) -> Window {
        Window {
            buckets,
            shift,
            function: Function::parse(script).expect("a function"),
        }
    }

    #[test]
    fn functions_see_the_buckets_before_and_where_they_are_moved_to() {
        let numbers = [1.0, 2.0, 4.0];
        let all = |window: Window| -> Vec<Option<f64>> {
            (0..numbers.len()).map(|at| window.value(at, &numbers)).collect()
        };
        let sum = "MovingFunctions.sum(values)";
        assert_eq!(all(window(sum, 2, 0)), [Some(0.0), Some(1.0), Some(3.0)]);
        assert_eq!(all(window(sum, 2, 1)), [Some(1.0), Some(3.0), Some(6.0)]);
        let mean = "MovingFunctions.unweightedAvg(values)";
        assert_eq!(all(window(mean, 2, 0)), [None, Some(1.0), Some(1.5)]);
        let linear = window("return MovingFunctions.linearWeightedAvg(values);", 2, 1);
        assert_eq!(linear.value(1, &numbers), Some(5.0 / 4.0));
        assert_eq!(all(window(sum, i64::MAX, 0)), [Some(0.0), Some(1.0), Some(3.0)]);
        assert_eq!(all(window(sum, i64::MAX, i64::MAX)), [Some(7.0); 3]);
        assert_eq!(all(window(sum, i64::MAX, i64::MIN)), [Some(0.0); 3]);
        assert_eq!(all(window(sum, 1, i64::MAX)), [Some(0.0); 3]);
    }

    #[test]
    fn other_scripts_are_refused() {
        for wrong in [
            "1",
            "MovingFunctions.holt(values, 0.3, 0.1)",
            "MovingFunctions.sum(values) + 1",
        ] {
            assert!(Function::parse(wrong).is_err(), "{wrong}");
        }
    }
}
