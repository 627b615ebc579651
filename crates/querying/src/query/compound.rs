//! Queries made of queries.

use super::{BoolQuery, BoostingQuery, InnerHits, NestedMode, NestedQuery, Parser, Query};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;

impl Parser {
    pub(super) fn compound(self, name: &str, body: &Value) -> Result<Query> {
        let mut members = Members::of(name, body)?;
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
            "boosting" => Query::Boosting(BoostingQuery {
                positive: self.required(&mut members, name, "positive")?,
                negative: self.required(&mut members, name, "negative")?,
                negative_boost: members.number("negative_boost")?.unwrap_or(1.0) as f32,
                boost,
            }),
            _ => Query::Nested(self.nested(&mut members, boost)?),
        };
        members.end()?;
        Ok(query)
    }

    fn bool(self, members: &mut Members<'_>, boost: f32) -> Result<BoolQuery> {
        let mut clauses = |name: &str| {
            members
                .take(name)
                .map_or(Ok(Vec::new()), |value| self.queries(value))
        };
        let (must, filter) = (clauses("must")?, clauses("filter")?);
        let (should, mut must_not) = (clauses("should")?, clauses("must_not")?);
        must_not.extend(clauses("mustNot")?);
        let minimum = members.take("minimum_should_match").and_then(scalar);
        members.take("adjust_pure_negative");
        Ok(BoolQuery {
            must,
            filter,
            should,
            must_not,
            minimum,
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
