//! `minimum_should_match`: `2`, `-1`, `75%`, `-25%`, `2<75%`, `2<-25% 9<-3`.

use mapping::error::{Result, SearchError};

/// How many of this many clauses must match.
pub(super) fn minimum(spec: &str, clauses: usize) -> Result<usize> {
    let clauses = clauses as i64;
    let mut wanted = clauses;
    if spec.contains('<') {
        for condition in spec.split_whitespace() {
            let (above, then) = condition.split_once('<').ok_or_else(|| invalid(spec))?;
            let above: i64 = above.parse().map_err(|_| invalid(spec))?;
            if clauses > above {
                wanted = simple(then, clauses).ok_or_else(|| invalid(spec))?;
            }
        }
    } else {
        wanted = simple(spec.trim(), clauses).ok_or_else(|| invalid(spec))?;
    }
    Ok(wanted.max(0) as usize)
}

fn simple(spec: &str, clauses: i64) -> Option<i64> {
    let number = match spec.strip_suffix('%') {
        Some(percent) => {
            let percent: i64 = percent.parse().ok()?;
            let part = clauses.checked_mul(percent)? / 100;
            if percent < 0 { clauses + part } else { part }
        }
        None => {
            let number: i64 = spec.parse().ok()?;
            if number < 0 { clauses + number } else { number }
        }
    };
    Some(number)
}

fn invalid(spec: &str) -> SearchError {
    SearchError::illegal(format!("[minimum_should_match] cannot be [{spec}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_percentages_and_conditions_are_understood() {
        for (spec, clauses, wanted) in [
            ("2", 5, 2),
            ("-1", 5, 4),
            ("75%", 5, 3),
            ("-25%", 5, 4),
            ("2<75%", 2, 2),
            ("2<75%", 4, 3),
            ("3<-25% 9<-3", 10, 7),
        ] {
            assert_eq!(
                minimum(spec, clauses).expect("valid"),
                wanted,
                "{spec} of {clauses}"
            );
        }
        assert!(minimum("many", 3).is_err());
    }
}
