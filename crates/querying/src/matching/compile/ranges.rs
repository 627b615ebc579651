//! Ranges of numbers, dates, addresses and terms.

use super::{Compiler, leaf, normalized};
use crate::matching::Node;
use crate::matching::test::Test;
use crate::query::Range;
use jiff::tz::TimeZone;
use mapping::asked;
use mapping::dates::{self, DateFormats, Rounding};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::Term;
use mapping::intervals::Interval;
use mapping::json::{as_f64, scalar};
use mapping::{Field, FieldKind};
use serde_json::Value;
use std::ops::Bound;

impl Compiler<'_> {
    pub(super) fn range(self, name: &str, range: &Range, boost: f32) -> Result<Node> {
        self.clauses.add(1)?;
        if name == "_seq_no" {
            let number = |value: &Value| as_f64(value).map_or(0, |number| number.max(0.0) as u64);
            let end = |end: &Option<(Value, bool)>| match end {
                None => Bound::Unbounded,
                Some((value, true)) => Bound::Included(number(value)),
                Some((value, false)) => Bound::Excluded(number(value)),
            };
            let any = self.mapping.fields().next().map(|(_, field)| field.clone());
            let test = Test::Sequence(end(&range.low), end(&range.high));
            return Ok(any.map_or(Node::Nothing, |field| leaf(field, test, boost)));
        }
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if field.kind == FieldKind::Point {
            let reason = format!(
                "failed to create query: Field [{name}] of type [{}] does not support range queries",
                field.type_name
            );
            return Err(SearchError::new(ErrorKind::QueryShard, reason));
        }
        if field.kind == FieldKind::Unsigned {
            let ends = asked::unsigned_range(&range.low, &range.high)?;
            return Ok(ends.map_or(Node::Nothing, |(low, high)| {
                leaf(
                    field,
                    Test::Range(Bound::Included(low), Bound::Included(high)),
                    boost,
                )
            }));
        }
        let low = self.end(&field, range, &range.low, true)?;
        let high = self.end(&field, range, &range.high, false)?;
        if let FieldKind::Range(inner) = &field.kind {
            let wanted = Interval::of_bounds(&field, inner, low, high);
            return Ok(wanted.map_or(Node::Nothing, |wanted| {
                leaf(field.clone(), Test::Interval(wanted, range.relation), boost)
            }));
        }
        Ok(leaf(field, Test::Range(low, high), boost))
    }

    fn end(
        self,
        field: &Field,
        range: &Range,
        end: &Option<(Value, bool)>,
        is_low: bool,
    ) -> Result<Bound<Term>> {
        let Some((value, includes)) = end else {
            return Ok(Bound::Unbounded);
        };
        let kind = match &field.kind {
            FieldKind::Range(inner) => &**inner,
            kind => kind,
        };
        let term = match kind {
            FieldKind::Date => {
                let ms = self.date(field, range, value, is_low != *includes)?;
                check_nanos(field, ms)?;
                Term::Date(ms)
            }
            FieldKind::Keyword => Term::Text(normalized(field, &scalar(value).unwrap_or_default())),
            FieldKind::Text => Term::Text(
                field
                    .search_analyzer
                    .normalize(&scalar(value).unwrap_or_default()),
            ),
            kind => asked::end(field, kind, value)?,
        };
        Ok(if *includes {
            Bound::Included(term)
        } else {
            Bound::Excluded(term)
        })
    }

    /// What is left out of a date is rounded away from the range where its end is not part of it, and else into it.
    pub(super) fn date(self, field: &Field, range: &Range, value: &Value, up: bool) -> Result<i64> {
        let own;
        let formats = match &range.format {
            Some(format) => {
                own = DateFormats::parse(format)?.in_locale_of(&field.formats);
                &own
            }
            None => &field.formats,
        };
        let zone = range
            .time_zone
            .as_deref()
            .map_or(Ok(TimeZone::UTC), dates::zone)?;
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        dates::parse_math(
            &scalar(value).unwrap_or_default(),
            formats,
            &zone,
            self.now_ms,
            rounding,
        )
    }
}

/// Refuses a moment that a field of nanoseconds cannot have.
fn check_nanos(field: &Field, ms: i64) -> Result<()> {
    let place = match ms {
        _ if !field.is_nanos() => return Ok(()),
        ms if ms < 0 => "is before the epoch in 1970",
        ms if ms > i64::MAX / 1_000_000 => "is after 2262-04-11T23:47:16.854775807",
        _ => return Ok(()),
    };
    let date = dates::date_text(ms).replace(".000Z", "Z");
    Err(SearchError::illegal(format!(
        "date[{date}] {place} and cannot be stored in nanosecond resolution"
    )))
}
