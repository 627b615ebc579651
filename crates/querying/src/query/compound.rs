//! Queries made of queries.

use super::{BoolQuery, BoostingQuery, InnerHits, NestedMode, NestedQuery, Parser, Query};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;

impl Parser {
    pub(super) fn compound(self, name: &str, body: &Value) -> Result<Query> {
        let mut members = match (name, body) {
            // The one that Elasticsearch reads by an object parser.
            ("bool", Value::Object(object)) => Members::of_content(name, object),
            _ => Members::of(name, body)?,
        };
        let boost = members.boost()?;
        members.take("_name");
        let query = match name {
            "match_all" => Query::MatchAll { boost },
            "match_none" => Query::MatchNone,
            "bool" => Query::Bool(self.bool(&mut members, boost)?),
            "constant_score" => {
                let filter = self.required(&mut members, name, "filter")?;
                Query::ConstantScore { filter, boost }
            }
            "dis_max" => {
                let missing =
                    || SearchError::parsing("[dis_max] requires 'queries' field with at least one clause");
                Query::DisMax {
                    queries: self.queries(members.take("queries").ok_or_else(missing)?)?,
                    tie_breaker: members.number("tie_breaker")?.unwrap_or(0.0) as f32,
                    boost,
                }
            }
            "boosting" => Query::Boosting(self.boosting(&mut members, boost)?),
            _ => Query::Nested(self.nested(&mut members, boost)?),
        };
        members.end()?;
        Ok(query)
    }

    fn bool(self, members: &mut Members<'_>, boost: f32) -> Result<BoolQuery> {
        let mut clauses = |name: &str| match members.take(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(value) => self.queries(value),
        };
        let (must, filter) = (clauses("must")?, clauses("filter")?);
        let (should, mut must_not) = (clauses("should")?, clauses("must_not")?);
        must_not.extend(clauses("mustNot")?);
        let name = "minimum_should_match";
        let minimum = match members.take(name) {
            Some(several @ (Value::Array(_) | Value::Object(_))) => {
                return Err(members.wrong_type(name, several));
            }
            given => given.and_then(scalar),
        };
        Ok(BoolQuery {
            must,
            filter,
            should,
            must_not,
            minimum,
            finds_others: members.flag("adjust_pure_negative")?.unwrap_or(true),
            boost,
        })
    }

    fn boosting(self, members: &mut Members<'_>, boost: f32) -> Result<BoostingQuery> {
        let unset = |name: &str, kind: &str| {
            SearchError::parsing(format!("[boosting] query requires '{name}' {kind}'"))
        };
        let mut query = |name: &str| match members.take(name) {
            Some(query) => Ok(Box::new(self.query(query)?)),
            None => Err(unset(name, "query to be set")),
        };
        let (positive, negative) = (query("positive")?, query("negative")?);
        let name = "negative_boost";
        let factor = members.number(name)?.filter(|factor| *factor >= 0.0);
        let factor = factor.ok_or_else(|| unset(name, "to be set to be a positive value"))?;
        Ok(BoostingQuery {
            positive,
            negative,
            negative_boost: factor as f32,
            boost,
        })
    }

    fn nested(self, members: &mut Members<'_>, boost: f32) -> Result<NestedQuery> {
        let missing = || SearchError::parsing("[nested] requires 'path' field");
        let inner = members.take("inner_hits").map(InnerHits::parse).transpose()?;
        Ok(NestedQuery {
            inner: inner.map(Box::new),
            path: members.text("path")?.ok_or_else(missing)?,
            query: self.required(members, "nested", "query")?,
            mode: match members.text("score_mode")?.as_deref() {
                None | Some("avg") => NestedMode::Avg,
                Some("max") => NestedMode::Max,
                Some("min") => NestedMode::Min,
                Some("sum") => NestedMode::Sum,
                Some("none") => NestedMode::None,
                Some(other) => {
                    let reason = format!("No score mode for child query [{other}] found");
                    return Err(SearchError::illegal(reason));
                }
            },
            ignore_unmapped: members.flag("ignore_unmapped")?.unwrap_or(false),
            boost,
        })
    }

    pub(super) fn required(self, members: &mut Members<'_>, query: &str, name: &str) -> Result<Box<Query>> {
        let value = members.take(name);
        let value =
            value.ok_or_else(|| SearchError::parsing(format!("[{query}] requires a '{name}' element")))?;
        Ok(Box::new(self.query(value)?))
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_query;
    use serde_json::json;

    #[test]
    fn clauses_that_are_null_are_none() {
        for query in [
            json!({"bool": {"must": null, "filter": null, "should": null, "must_not": null}}),
            json!({"bool": {"minimum_should_match": null}}),
        ] {
            assert!(parse_query(&query).is_ok(), "{query}");
        }
    }

    #[test]
    fn wrong_clauses_of_compound_queries_are_refused_as_by_elasticsearch() {
        let all = json!({"match_all": {}});
        for (query, wanted) in [
            (
                json!({"bool": {"musst": all}}),
                "x_content_parse_exception: [bool] unknown field [musst]",
            ),
            (
                json!({"bool": {"minimum_should_match": ["1"]}}),
                "x_content_parse_exception: [bool] minimum_should_match doesn't support values of type: START_ARRAY",
            ),
            (
                json!({"bool": {"adjust_pure_negative": 1}}),
                "x_content_parse_exception: [bool] adjust_pure_negative doesn't support values of type: VALUE_NUMBER",
            ),
            (
                json!({"boosting": {"negative": all, "negative_boost": 1}}),
                "parsing_exception: [boosting] query requires 'positive' query to be set'",
            ),
            (
                json!({"boosting": {"positive": all, "negative_boost": 1}}),
                "parsing_exception: [boosting] query requires 'negative' query to be set'",
            ),
            (
                json!({"boosting": {"positive": all, "negative": all}}),
                "parsing_exception: [boosting] query requires 'negative_boost' to be set to be a positive value'",
            ),
            (
                json!({"boosting": {"positive": all, "negative": all, "negative_boost": -0.5}}),
                "parsing_exception: [boosting] query requires 'negative_boost' to be set to be a positive value'",
            ),
        ] {
            let error = parse_query(&query).expect_err("refused");
            assert_eq!(error.to_string(), wanted, "{query}");
        }
    }
}
