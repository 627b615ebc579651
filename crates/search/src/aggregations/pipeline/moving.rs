//! `moving_fn`: what a script makes of the buckets before each one.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use querying::{DocumentScript, work};
use serde_json::Value;

/// The buckets before each one, and what is made of their numbers.
#[derive(Clone, Debug)]
pub(in crate::aggregations) struct Window {
    buckets: i64,
    shift: i64,
    script: DocumentScript,
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
            None | Some(Value::Null) => return Err(SearchError::illegal("Required [script]")),
            Some(script) => DocumentScript::parse(script)?,
        };
        Ok(Window {
            buckets,
            shift: members.integer("shift")?.unwrap_or(0),
            script,
        })
    }

    /// What is made of the numbers before the bucket at this place.
    pub(super) fn value(&self, at: usize, numbers: &[f64]) -> Result<f64> {
        let window = self.window(at, numbers);
        work(1 + window.len() / 8)?;
        self.script.number_of_row("values", window)
    }

    fn window<'n>(&self, at: usize, numbers: &'n [f64]) -> &'n [f64] {
        let most = i64::try_from(numbers.len()).unwrap_or(i64::MAX);
        let place = |place: i64| place.clamp(0, most) as usize;
        let end = i64::try_from(at).unwrap_or(i64::MAX).saturating_add(self.shift);
        let (from, to) = (place(end.saturating_sub(self.buckets)), place(end));
        numbers.get(from..to).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn window(script: &str, buckets: i64, shift: i64) -> Window {
        Window {
            buckets,
            shift,
            script: DocumentScript::parse(&json!(script)).expect("a script"),
        }
    }

    #[test]
    fn functions_see_the_buckets_before_and_where_they_are_moved_to() {
        let numbers = [1.0, 2.0, 4.0];
        let all = |window: Window| -> Vec<f64> {
            let value = |at| window.value(at, &numbers).expect("a number");
            (0..numbers.len()).map(value).collect()
        };
        let sum = "MovingFunctions.sum(values)";
        assert_eq!(all(window(sum, 2, 0)), [0.0, 1.0, 3.0]);
        assert_eq!(all(window(sum, 2, 1)), [1.0, 3.0, 6.0]);
        let mean = all(window("MovingFunctions.unweightedAvg(values)", 2, 0));
        assert!(mean[0].is_nan() && mean[1..] == [1.0, 1.5]);
        let linear = window("return MovingFunctions.linearWeightedAvg(values);", 2, 1);
        assert_eq!(linear.value(1, &numbers).ok(), Some(5.0 / 4.0));
        assert_eq!(all(window(sum, i64::MAX, 0)), [0.0, 1.0, 3.0]);
        assert_eq!(all(window(sum, i64::MAX, i64::MAX)), [7.0; 3]);
        assert_eq!(all(window(sum, i64::MAX, i64::MIN)), [0.0; 3]);
        assert_eq!(all(window(sum, 1, i64::MAX)), [0.0; 3]);
    }

    #[test]
    fn scripts_may_be_any() {
        let guarded = "values.length < 2 ? Double.MAX_VALUE * 0 : MovingFunctions.holt(values, 1.0, 1.0) + 1";
        let window = window(guarded, 3, 1);
        assert_eq!(window.value(0, &[1.0, 2.0]).ok(), Some(0.0));
        assert_eq!(window.value(1, &[1.0, 2.0]).ok(), Some(3.0));
        let none = self::window("values.length == 0 ? null : 'a'", 1, 0);
        assert!(none.value(0, &[1.0]).is_err() && none.value(1, &[1.0]).is_err());
    }
}
