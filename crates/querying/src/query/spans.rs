//! Reading `span_*`: where the terms of a text stand to each other, as Lucene's spans have it.

use super::term_level::field_of;
use super::{Parser, Query, Span};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use serde_json::Value;

/// The names of queries that say where something stands.
const NAMES: [&str; 9] = [
    "field_masking_span",
    "span_containing",
    "span_first",
    "span_multi",
    "span_near",
    "span_not",
    "span_or",
    "span_term",
    "span_within",
];

/// Whether a query of this name says where something stands.
fn is_span(name: &str) -> bool {
    NAMES.contains(&name)
}

impl Parser {
    pub(super) fn span(self, name: &str, body: &Value) -> Result<Query> {
        let (span, boost) = self.one_span(name, body)?;
        Ok(Query::Span {
            span: Box::new(span),
            boost,
        })
    }

    fn one_span(self, name: &str, body: &Value) -> Result<(Span, f32)> {
        let mut members = Members::of(name, body)?;
        let boost = members.boost()?;
        members.take("_name");
        let span = match name {
            "span_term" => return span_term(&mut members, boost),
            "span_multi" => self.multi(&mut members)?,
            "span_near" => Span::Near {
                clauses: self.clauses(&mut members, name, true)?,
                slop: members.integer("slop")?.unwrap_or(0),
                in_order: members.flag("in_order")?.unwrap_or(true),
            },
            "span_or" => Span::Or(self.clauses(&mut members, "spanOr", false)?),
            "span_not" => self.not(&mut members)?,
            "span_first" => {
                let inner = self.required_span(&mut members, "spanFirst", "match")?;
                let missing = || SearchError::parsing("spanFirst must have [end] set for it");
                Span::First(inner, members.integer("end")?.ok_or_else(missing)?)
            }
            "field_masking_span" => {
                let inner = self.required_span(&mut members, name, "query")?;
                let missing = || SearchError::parsing("field_masking_span must have [field] set for it");
                Span::Masked(inner, members.text("field")?.ok_or_else(missing)?)
            }
            _ => {
                let big = self.required_span(&mut members, name, "big")?;
                let little = self.required_span(&mut members, name, "little")?;
                match name {
                    "span_within" => Span::Within(big, little),
                    _ => Span::Containing(big, little),
                }
            }
        };
        members.end()?;
        Ok((span, boost))
    }

    /// A query that must be one of where something stands.
    fn inner_span(self, outer: &str, member: &str, value: &Value) -> Result<Span> {
        let wrong = || SearchError::parsing(format!("{outer} [{member}] must be of type span query"));
        let object = value.as_object().filter(|object| object.len() == 1);
        let (name, body) = object.and_then(|object| object.iter().next()).ok_or_else(wrong)?;
        match is_span(name) {
            true => Ok(self.inner()?.one_span(name, body)?.0),
            false => Err(wrong()),
        }
    }

    fn required_span(self, members: &mut Members<'_>, outer: &str, member: &str) -> Result<Box<Span>> {
        let missing = || SearchError::parsing(format!("{outer} must have [{member}] span query clause"));
        let value = members.take(member).ok_or_else(missing)?;
        self.inner_span(outer, member, value).map(Box::new)
    }

    fn clauses(self, members: &mut Members<'_>, outer: &str, has_gaps: bool) -> Result<Vec<Span>> {
        let given = members.take("clauses").map(one_or_many).unwrap_or_default();
        if given.is_empty() {
            return Err(SearchError::parsing(format!("{outer} must include [clauses]")));
        }
        let one = |value: &Value| match value.get("span_gap").filter(|_| has_gaps) {
            Some(gap) => gap_of(gap),
            None => self.inner_span(outer, "clauses", value),
        };
        given.into_iter().map(one).collect()
    }

    fn multi(self, members: &mut Members<'_>) -> Result<Span> {
        let wrong = || SearchError::parsing("[span_multi] [match] must be of type multi term query");
        let missing = || SearchError::parsing("[span_multi] must have [match] multi term query clause");
        match self.query(members.take("match").ok_or_else(missing)?)? {
            Query::Pattern { field, pattern, .. } => Ok(Span::Multi { field, pattern }),
            Query::Range { .. } => Err(SearchError::unsupported("[range] within [span_multi]")),
            _ => Err(wrong()),
        }
    }

    fn not(self, members: &mut Members<'_>) -> Result<Span> {
        let include = self.required_span(members, "spanNot", "include")?;
        let exclude = self.required_span(members, "spanNot", "exclude")?;
        let (before, after, both) = (
            members.integer("pre")?,
            members.integer("post")?,
            members.integer("dist")?,
        );
        if both.is_some() && (before.is_some() || after.is_some()) {
            return Err(SearchError::parsing(
                "spanNot can either use [dist] or [pre] & [post] (or none)",
            ));
        }
        let places = |given: Option<i64>| given.or(both).unwrap_or(0).max(0);
        Ok(Span::Not {
            include,
            exclude,
            before: places(before),
            after: places(after),
        })
    }
}

fn span_term(members: &mut Members<'_>, boost: f32) -> Result<(Span, f32)> {
    let (field, body) = field_of("span_term", members)?;
    let missing = || SearchError::illegal("value cannot be null");
    let (value, own) = match body {
        Value::Object(object) => {
            let mut inner = Members::of_object("span_term", object);
            let own = inner.boost()?;
            inner.take("_name");
            let value = inner.take("value").or_else(|| inner.take("term"));
            inner.end()?;
            (value.and_then(scalar), own)
        }
        value => (scalar(value), 1.0),
    };
    let span = Span::Term {
        field: field.to_owned(),
        value: value.ok_or_else(missing)?,
    };
    Ok((span, boost * own))
}

/// `{"span_gap": {"field": width}}`
fn gap_of(gap: &Value) -> Result<Span> {
    let wrong = || SearchError::parsing("[span_gap] must name a field and how many places there are");
    let members = gap.as_object().filter(|members| members.len() == 1);
    let width = members.and_then(|members| members.values().next()?.as_i64());
    width.map(Span::Gap).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use crate::parse_query;
    use serde_json::{Value, json};

    #[test]
    fn what_is_no_span_is_refused() {
        let term = json!({"span_term": {"t": "a"}});
        for (query, wanted) in [
            (json!({"span_near": {}}), "span_near must include [clauses]"),
            (
                json!({"span_or": {"clauses": [{"term": {"t": "a"}}]}}),
                "spanOr [clauses] must be of type span query",
            ),
            (
                json!({"span_first": {"match": term}}),
                "spanFirst must have [end] set for it",
            ),
            (
                json!({"span_not": {"include": term}}),
                "spanNot must have [exclude] span query clause",
            ),
            (
                json!({"span_not": {"include": term, "exclude": term, "pre": 1, "dist": 1}}),
                "spanNot can either use [dist] or [pre] & [post] (or none)",
            ),
            (
                json!({"span_multi": {"match": {"term": {"t": "a"}}}}),
                "[span_multi] [match] must be of type multi term query",
            ),
            (
                json!({"span_within": {"big": term}}),
                "span_within must have [little] span query clause",
            ),
        ] {
            let error = parse_query(&query).expect_err("refused");
            assert_eq!(error.reason, wanted, "{query}");
        }
        let fine: Value = json!({"span_near": {"clauses": [term, {"span_gap": {"t": 2}}, term], "slop": 1}});
        assert!(parse_query(&fine).is_ok());
    }
}
