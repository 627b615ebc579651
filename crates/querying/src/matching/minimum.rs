//! `minimum_should_match`: `2`, `-1`, `75%`, `-25%`, `2<75%`, `2<-25% 9<-3`.

use crate::query::no_query;
use mapping::error::Result;

/// How many of this many clauses must match.
pub(super) fn minimum(spec: &str, clauses: usize) -> Result<usize> {
    let clauses = i64::try_from(clauses).unwrap_or(i64::MAX);
    let wanted = match spec.contains('<') {
        true => conditional(spec.trim(), clauses)?,
        false => simple(spec.trim(), clauses)?,
    };
    Ok(usize::try_from(wanted).unwrap_or(0))
}

/// What the last condition says that is met, before the first that is not; all clauses where none is met.
fn conditional(spec: &str, clauses: i64) -> Result<i64> {
    let mut wanted = clauses;
    for condition in close_up(spec).split(' ') {
        let (above, then) = condition.split_once('<').unwrap_or((condition, ""));
        if clauses <= whole(above)? {
            return Ok(wanted);
        }
        wanted = simple(then.trim(), clauses)?;
    }
    Ok(wanted)
}

/// The same conditions without white space beside their signs.
fn close_up(spec: &str) -> String {
    let parts: Vec<&str> = spec.split('<').map(str::trim).collect();
    parts.join("<")
}

fn simple(spec: &str, clauses: i64) -> Result<i64> {
    Ok(match spec.strip_suffix('%') {
        Some(percent) => {
            let part = clauses.saturating_mul(whole(percent)?) / 100;
            if part < 0 { clauses + part } else { part }
        }
        None => match whole(spec)? {
            number if number < 0 => clauses + number,
            number => number,
        },
    })
}

/// A whole number, as Java reads an `int`.
fn whole(text: &str) -> Result<i64> {
    let number: Result<i32, _> = text.parse();
    let number = number.map_err(|_| no_query(&format!("For input string: \"{text}\"")))?;
    Ok(i64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_percentages_and_conditions_are_understood() {
        for (spec, clauses, wanted) in [
            ("2", 5, 2),
            ("-1", 5, 4),
            ("-7", 5, 0),
            ("75%", 5, 3),
            ("-25%", 5, 4),
            ("2<75%", 2, 2),
            ("2<75%", 4, 3),
            ("2 < 75%", 4, 3),
            ("3<-25% 9<-3", 10, 7),
            ("3 <-25% 9< -3", 10, 7),
            // The first condition that is not met ends them.
            ("9<-3 3<-25%", 5, 5),
        ] {
            assert_eq!(
                minimum(spec, clauses).expect("valid"),
                wanted,
                "{spec} of {clauses}"
            );
        }
        for (spec, wrong) in [("many", "many"), ("x%", "x"), ("2.5", "2.5"), ("a<1", "a")] {
            let error = minimum(spec, 3).expect_err("refused");
            let wanted =
                format!("query_shard_exception: failed to create query: For input string: \"{wrong}\"");
            assert_eq!(error.to_string(), wanted, "{spec}");
        }
    }
}
