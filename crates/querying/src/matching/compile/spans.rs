//! Spans, by their fields.

use super::{Compiler, leaf, normalized};
use crate::matching::spans::ReadySpan;
use crate::matching::test::Test;
use crate::matching::{Node, TermPattern};
use crate::query::Span;
use mapping::Field;
use mapping::error::{Result, SearchError};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn span(self, span: &Span, boost: f32) -> Result<Node> {
        let field = match span.field() {
            Some(name) => self.searchable(name)?,
            None => None,
        };
        let Some(field) = field else {
            return Ok(Node::Nothing);
        };
        let ready = self.ready_span(span)?;
        Ok(leaf(field, Test::Spans(Box::new(ready)), boost))
    }

    fn ready_span(self, span: &Span) -> Result<ReadySpan> {
        let several = |spans: &[Span]| -> Result<Vec<ReadySpan>> {
            check_fields(spans)?;
            spans.iter().map(|span| self.ready_span(span)).collect()
        };
        let boxed = |span: &Span| self.ready_span(span).map(Box::new);
        Ok(match span {
            Span::Term { field, value } => {
                self.clauses.add(1)?;
                match self.textual(field)? {
                    Some(field) => {
                        let term = if field.is_keyword() {
                            normalized(&field, value)
                        } else {
                            value.clone()
                        };
                        ReadySpan::Term(field, term)
                    }
                    None => ReadySpan::Nothing,
                }
            }
            Span::Multi { field, pattern } => {
                self.clauses.add(1)?;
                match self.textual(field)? {
                    Some(field) => {
                        let pattern = TermPattern::of(pattern, self.clauses, str::to_owned)?;
                        ReadySpan::Multi(field, pattern)
                    }
                    None => ReadySpan::Nothing,
                }
            }
            Span::Near {
                clauses,
                slop,
                in_order,
            } => ReadySpan::Near(several(clauses)?, *slop, *in_order),
            Span::Gap(places) => ReadySpan::Gap(*places),
            Span::Or(clauses) => ReadySpan::Or(several(clauses)?),
            Span::Not {
                include,
                exclude,
                before,
                after,
            } => ReadySpan::Not(boxed(include)?, boxed(exclude)?, *before, *after),
            Span::First(inner, end) => ReadySpan::First(boxed(inner)?, *end),
            Span::Containing(big, little) => ReadySpan::Containing(boxed(big)?, boxed(little)?),
            Span::Within(big, little) => ReadySpan::Within(boxed(big)?, boxed(little)?),
            Span::Masked(inner, _) => self.ready_span(inner)?,
        })
    }

    /// The field of a span, whose terms are those of a text; `None` where it is not mapped.
    fn textual(self, name: &str) -> Result<Option<Arc<Field>>> {
        match self.searchable(name)? {
            Some(field) if !field.is_textual() => Err(SearchError::illegal(format!(
                "Can only use span queries on text fields - not on [{name}] which is of type [{}]",
                field.type_name
            ))),
            field => Ok(field),
        }
    }
}

/// Refuses to look for spans of several fields near each other.
fn check_fields(spans: &[Span]) -> Result<()> {
    let mut fields = spans.iter().filter_map(Span::field);
    let first = fields.next();
    match fields.all(|field| Some(field) == first) {
        true => Ok(()),
        false => Err(SearchError::illegal("Clauses must have same field.")),
    }
}

#[cfg(test)]
mod tests {
    use crate::matching::{Clauses, Statistics, compile};
    use crate::parse_query;
    use mapping::Mapping;
    use mapping::analysis::Analysis;
    use mapping::fields::View;
    use serde_json::{Value, json};
    use value::doc;

    /// Whether a query finds `a b c d b a`, or why it is none.
    fn finds(query: &Value) -> Result<bool, String> {
        let source =
            json!({"properties": {"t": {"type": "text"}, "u": {"type": "text"}, "n": {"type": "long"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let query = parse_query(query).map_err(|error| error.reason)?;
        let node = compile(&query, &mapping, 0, &Clauses::default()).map_err(|error| error.reason)?;
        let document = doc! {"t": "a b c d b a", "u": "x b"};
        let view = View::of_document(&mapping, (&document).into());
        Ok(node.score(&view, &Statistics::default()).is_some())
    }

    fn term(text: &str) -> Value {
        json!({"span_term": {"t": text}})
    }

    fn near(texts: &[&str], slop: i64, in_order: bool) -> Value {
        let clauses: Vec<Value> = texts.iter().map(|text| term(text)).collect();
        json!({"span_near": {"clauses": clauses, "slop": slop, "in_order": in_order}})
    }

    #[test]
    fn terms_stand_near_each_other() {
        for (query, wanted) in [
            (near(&["a", "b"], 0, true), true),
            (near(&["a", "c"], 0, true), false),
            (near(&["a", "c"], 1, true), true),
            (near(&["c", "a"], 1, true), false),
            (near(&["c", "a"], 2, true), true),
            (near(&["d", "c"], 0, true), false),
            (near(&["d", "c"], 0, false), true),
            (near(&["a", "d"], 1, false), true),
            (near(&["a", "d"], 0, false), false),
            (
                json!({"span_near": {"clauses": [term("a"), {"span_gap": {"t": 1}}, term("c")]}}),
                true,
            ),
        ] {
            assert_eq!(finds(&query), Ok(wanted), "{query}");
        }
    }

    #[test]
    fn spans_stand_to_others_as_they_must() {
        let big = near(&["a", "d"], 2, true);
        for (query, wanted) in [
            (json!({"span_first": {"match": term("b"), "end": 2}}), true),
            (json!({"span_first": {"match": term("c"), "end": 2}}), false),
            (
                json!({"span_not": {"include": term("c"), "exclude": term("d")}}),
                true,
            ),
            (
                json!({"span_not": {"include": term("c"), "exclude": term("d"), "post": 1}}),
                false,
            ),
            (
                json!({"span_containing": {"big": big, "little": term("c")}}),
                true,
            ),
            (json!({"span_within": {"big": big, "little": term("x")}}), false),
            (json!({"span_or": {"clauses": [term("x"), term("d")]}}), true),
            (
                json!({"span_multi": {"match": {"prefix": {"t": {"value": "d"}}}}}),
                true,
            ),
            (
                json!({"span_near": {"clauses": [term("a"), {"field_masking_span": {"query": {"span_term": {"u": "b"}}, "field": "t"}}]}}),
                true,
            ),
        ] {
            assert_eq!(finds(&query), Ok(wanted), "{query}");
        }
    }

    #[test]
    fn spans_are_of_one_field_of_text() {
        let mixed = json!({"span_near": {"clauses": [term("a"), {"span_term": {"u": "b"}}]}});
        assert_eq!(finds(&mixed), Err("Clauses must have same field.".to_owned()));
        let number = json!({"span_term": {"n": 1}});
        assert!(finds(&number).is_err());
        assert_eq!(finds(&json!({"span_term": {"missing": "a"}})), Ok(false));
    }
}
