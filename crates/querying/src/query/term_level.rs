//! Queries for the terms of fields as they are.

use super::fuzziness::{expansions, fuzziness, prefix_length};
use super::regexp_flags;
use super::{CLAUSES_MAX, Fuzzy, Pattern, Query, Range, Rewrite, too_many_terms};
use mapping::error::{Result, SearchError};
use mapping::intervals::Relation;
use mapping::json::{Members, one_or_many, scalar, token_of};
use serde_json::Value;

pub(super) fn parse(name: &str, body: &Value) -> Result<Query> {
    let mut members = Members::of(name, body)?;
    match name {
        "ids" => ids(members),
        "exists" => {
            let boost = members.boost()?;
            members.take("_name");
            let missing = || SearchError::parsing("[exists] must be provided with a [field]");
            let field = members.text("field")?.ok_or_else(missing)?;
            members.end()?;
            Ok(Query::Exists { field, boost })
        }
        "terms" => terms(members),
        _ => of_field(name, members),
    }
}

/// Documents of a type, of which there is one.
pub(super) fn of_type(body: &Value) -> Result<Query> {
    let mut members = Members::of("type", body)?;
    let boost = members.boost()?;
    members.take("_name");
    let missing = || SearchError::parsing("[type] query value must be set");
    let value = members.take("value").cloned().ok_or_else(missing)?;
    members.end()?;
    Ok(Query::Term {
        field: "_type".to_owned(),
        value,
        case_insensitive: false,
        boost,
    })
}

/// Documents by their ids: none where none is named.
fn ids(mut members: Members<'_>) -> Result<Query> {
    let boost = members.boost()?;
    members.take("_name");
    // Documents have one type.
    let types = members.take("type").map(one_or_many).unwrap_or_default();
    let is_meant = types.is_empty() || types.iter().any(|name| *name == "_doc" || *name == "_all");
    let values = members.take("values").map(one_or_many).unwrap_or_default();
    let values = values
        .into_iter()
        .map(|value| scalar(value).ok_or_else(|| no_scalar(value)));
    let values: Vec<String> = values.collect::<Result<_>>()?;
    members.end()?;
    Ok(match is_meant && !values.is_empty() {
        true => Query::Ids { values, boost },
        false => Query::MatchNone,
    })
}

/// The error for a list or an object in place of a single value.
fn no_scalar(value: &Value) -> SearchError {
    SearchError::parsing(format!("Can't get text on a {}", token_of(value)))
}

fn terms(mut members: Members<'_>) -> Result<Query> {
    let boost = members.boost()?;
    members.take("_name");
    let missing = || {
        SearchError::parsing(
            "[terms] query requires a field name, followed by array of terms or a document lookup specification",
        )
    };
    let (field, values) = members.take_first().ok_or_else(missing)?;
    let values = match values {
        Value::Array(values) => values.clone(),
        Value::Object(_) => {
            return Err(SearchError::unsupported(
                "a lookup of [terms] in another document",
            ));
        }
        _ => return Err(missing()),
    };
    if values.iter().any(Value::is_null) {
        return Err(SearchError::parsing("No value specified for terms query"));
    }
    if let Some(several) = values.iter().find(|value| scalar(value).is_none()) {
        return Err(no_scalar(several));
    }
    match members.take_first() {
        None => {}
        Some((_, Value::Array(_))) => {
            return Err(SearchError::parsing(
                "[terms] query does not support multiple fields",
            ));
        }
        Some((other, _)) => {
            let reason = format!("[terms] query does not support [{other}]");
            return Err(SearchError::parsing(reason));
        }
    }
    if values.len() > CLAUSES_MAX {
        return Err(too_many_terms(values.len(), CLAUSES_MAX));
    }
    Ok(Query::Terms {
        field: field.to_owned(),
        values,
        boost,
    })
}

/// The one field that a query names, and what it says of it.
pub(super) fn field_of<'a>(query: &str, members: &mut Members<'a>) -> Result<(&'a str, &'a Value)> {
    let found = members.take_first().ok_or_else(|| no_field(query))?;
    match members.take_first() {
        None => Ok(found),
        Some((other, _)) => Err(SearchError::parsing(format!(
            "[{query}] query doesn't support multiple fields, found [{}] and [{other}]",
            found.0
        ))),
    }
}

fn no_field(query: &str) -> SearchError {
    match query {
        "match" => SearchError::parsing("No text specified for text query"),
        "fuzzy" => SearchError::illegal("field name cannot be null or empty"),
        of_text if of_text.starts_with("match") => {
            SearchError::illegal(format!("[{of_text}] requires fieldName"))
        }
        _ => SearchError::illegal("field name is null or empty"),
    }
}

fn no_value(query: &str) -> SearchError {
    match query {
        "fuzzy" => SearchError::illegal("query value cannot be null"),
        _ => SearchError::illegal("value cannot be null"),
    }
}

fn of_field(name: &str, mut members: Members<'_>) -> Result<Query> {
    // Old forms have these beside the field.
    let mut boost = members.boost()?;
    members.take("_name");
    let (field, body) = field_of(name, &mut members)?;
    let field = field.to_owned();
    let Value::Object(object) = body else {
        if name == "range" {
            return Err(match body {
                Value::Null => no_field(name),
                _ => SearchError::parsing(format!("[range] query does not support [{field}]")),
            });
        }
        if matches!(body, Value::Array(_)) {
            return Err(SearchError::parsing(format!(
                "[{name}] query does not support array of values"
            )));
        }
        // Elasticsearch's parser skips a null here, and then misses the field.
        if name == "term" && body.is_null() {
            return Err(no_field(name));
        }
        return value_query(
            name,
            field,
            body.clone(),
            &mut Members::of_object(name, &serde_json::Map::new()),
            boost,
        );
    };
    let mut members = Members::of_object(name, object);
    boost *= members.boost()?;
    members.take("_name");
    if name == "range" {
        let range = range(object, &mut members)?;
        members.end()?;
        return Ok(Query::Range { field, range, boost });
    }
    let value = members
        .take("value")
        .or_else(|| members.take(name))
        .or_else(|| members.take("term"));
    let value = value.cloned().ok_or_else(|| no_value(name))?;
    let query = value_query(name, field, value, &mut members, boost)?;
    members.end()?;
    Ok(query)
}

fn value_query(
    name: &str,
    field: String,
    value: Value,
    members: &mut Members<'_>,
    boost: f32,
) -> Result<Query> {
    let case_insensitive = members.flag("case_insensitive")?.unwrap_or(false);
    if value.is_null() {
        return Err(no_value(name));
    }
    if name == "term" {
        return Ok(Query::Term {
            field,
            value,
            case_insensitive,
            boost,
        });
    }
    let value = scalar(&value).ok_or_else(|| SearchError::parsing(format!("[{name}] needs a text")))?;
    let pattern = match name {
        "prefix" => Pattern::Prefix {
            value,
            case_insensitive,
        },
        "wildcard" => Pattern::Wildcard {
            value,
            case_insensitive,
        },
        "regexp" => {
            members.integer("max_determinized_states")?;
            let flags = regexp_flags::taken(members)?;
            Pattern::Regexp {
                value: regexp_flags::without(&value, flags),
                case_insensitive,
            }
        }
        _ => Pattern::Fuzzy {
            value,
            fuzzy: fuzzy(members)?,
        },
    };
    Ok(Query::Pattern {
        field,
        pattern,
        rewrite: Rewrite::parse(members.text("rewrite")?.as_deref())?,
        boost,
    })
}

/// How near the terms of `fuzzy` must be.
fn fuzzy(members: &mut Members<'_>) -> Result<Fuzzy> {
    let default = Fuzzy::default();
    Ok(Fuzzy {
        fuzziness: fuzziness(members)?.unwrap_or(default.fuzziness),
        prefix_length: prefix_length("fuzzy", members, "prefix_length")?,
        transpositions: members.flag("transpositions")?.unwrap_or(true),
        expansions_max: expansions("fuzzy", members, "max_expansions")?.unwrap_or(default.expansions_max),
        normalizes: false,
    })
}

/// The ends of a range; of several that are given for one side, the last counts.
fn range(given: &serde_json::Map<String, Value>, members: &mut Members<'_>) -> Result<Range> {
    let (mut low, mut high) = ((&Value::Null, true), (&Value::Null, true));
    for (name, value) in given {
        match name.as_str() {
            "gte" | "gt" => low = (value, name == "gte"),
            "lte" | "lt" => high = (value, name == "lte"),
            "from" => low.0 = value,
            "to" => high.0 = value,
            "include_lower" => low.1 = members.flag(name)?.unwrap_or(true),
            "include_upper" => high.1 = members.flag(name)?.unwrap_or(true),
            _ => continue,
        }
        members.take(name);
    }
    let end = |(value, includes): (&Value, bool)| (!value.is_null()).then(|| (value.clone(), includes));
    let mut range = Range {
        low: end(low),
        high: end(high),
        ..Range::default()
    };
    range.format = members.text("format")?;
    range.time_zone = members.text("time_zone")?;
    if let Some(relation) = members.text("relation")? {
        range.relation = Relation::parse(&relation)?;
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_of_several_ends_of_a_range_counts() {
        let ends = |given: Value| match parse("range", &json!({"n": given})) {
            Ok(Query::Range { range, .. }) => (range.low, range.high),
            other => panic!("no range: {other:?}"),
        };
        let end = |number: i64, includes: bool| Some((json!(number), includes));
        assert_eq!(ends(json!({"gte": 1, "gt": 2})), (end(2, false), None));
        assert_eq!(ends(json!({"gt": 2, "gte": 1})), (end(1, true), None));
        assert_eq!(
            ends(json!({"gt": 2, "from": null, "lt": 3})),
            (None, end(3, false))
        );
        let old = json!({"from": 1, "to": 3, "include_lower": false, "include_upper": true});
        assert_eq!(ends(old), (end(1, false), end(3, true)));
        assert_eq!(
            parse("range", &json!({"n": 5})).unwrap_err().reason,
            "[range] query does not support [n]"
        );
    }

    #[test]
    fn lists_have_one_value_each_and_are_of_one_field() {
        for (query, body, wanted) in [
            (
                "terms",
                json!({"k": ["a", null]}),
                "No value specified for terms query",
            ),
            (
                "terms",
                json!({"k": ["a", {"b": 1}]}),
                "Can't get text on a START_OBJECT",
            ),
            ("terms", json!({"k": [["a"]]}), "Can't get text on a START_ARRAY"),
            (
                "terms",
                json!({"k": ["a"], "l": ["b"]}),
                "[terms] query does not support multiple fields",
            ),
            (
                "terms",
                json!({"k": ["a"], "x": 1}),
                "[terms] query does not support [x]",
            ),
            (
                "ids",
                json!({"values": ["a", null]}),
                "Can't get text on a VALUE_NULL",
            ),
        ] {
            let error = parse(query, &body).expect_err("refused");
            assert_eq!(
                error.to_string(),
                format!("parsing_exception: {wanted}"),
                "{body}"
            );
        }
    }

    #[test]
    fn no_ids_are_those_of_no_document() {
        for body in [
            json!({}),
            json!({"values": []}),
            json!({"type": "other", "values": ["a"]}),
        ] {
            let query = parse("ids", &body).expect("a query");
            assert!(matches!(query, Query::MatchNone), "{body}: {query:?}");
        }
        let query = parse("ids", &json!({"type": "_all", "values": "a"})).expect("a query");
        assert!(matches!(query, Query::Ids { .. }), "{query:?}");
    }

    #[test]
    fn ranges_lie_to_each_other_in_three_ways() {
        for (relation, wanted) in [
            ("WITHIN", None),
            (
                "disjoint",
                Some("[range] query does not support relation [disjoint]"),
            ),
            ("near", Some("near is not a valid relation")),
        ] {
            let given = parse("range", &json!({"n": {"gte": 1, "relation": relation}}));
            let wanted = wanted.map(|reason| format!("illegal_argument_exception: {reason}"));
            assert_eq!(given.err().map(|error| error.to_string()), wanted, "{relation}");
        }
    }
}
