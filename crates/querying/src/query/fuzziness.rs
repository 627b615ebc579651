//! What requests say of how far words may be from others.

use mapping::decimals::java_number;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{Members, scalar, token_of};
use serde_json::Value;

/// The lengths from which on `AUTO` allows one edit of a word, and two.
const AUTO: (usize, usize) = (3, 6);

/// Takes `AUTO`, `AUTO:3,6` or a number; a text that is none of them is refused once it is asked of a word.
pub(super) fn fuzziness(members: &mut Members<'_>) -> Result<Option<String>> {
    let text = match members.take("fuzziness") {
        None | Some(Value::Null) => return Ok(None),
        Some(flag @ Value::Bool(_)) => {
            return Err(SearchError::illegal(format!(
                "Can't parse fuzziness on token: [{}]",
                token_of(flag)
            )));
        }
        Some(other) => scalar(other).ok_or_else(|| {
            SearchError::parsing(format!(
                "[{}] unknown token [{}] after [fuzziness]",
                members.context(),
                token_of(other)
            ))
        })?,
    };
    bounds(&text)?;
    Ok(Some(text))
}

/// The lengths of `AUTO`; `None` of what is something else.
fn bounds(text: &str) -> Result<Option<(usize, usize)>> {
    if text.is_empty() {
        return Err(SearchError::illegal("fuzziness can't be null!"));
    }
    let upper = text.to_uppercase();
    let Some(rest) = upper.strip_prefix("AUTO") else {
        return Ok(None);
    };
    if rest.is_empty() {
        return Ok(Some(AUTO));
    }
    let Some(given) = rest.strip_prefix(':') else {
        return Ok(None);
    };
    // As Java parts a text, what is empty at its end is no part.
    let pair = given.trim_end_matches(',').split_once(',');
    let Some((low, high)) = pair.filter(|(_, high)| !high.contains(',')) else {
        return Err(SearchError::new(
            ErrorKind::Date,
            "failed to find low and high distance values",
        ));
    };
    let (Ok(low), Ok(high)) = (low.parse::<i32>(), high.parse::<i32>()) else {
        let reason = format!("failed to parse [{text}] as a \"auto:int,int\"");
        return Err(SearchError::new(ErrorKind::Date, reason));
    };
    match (usize::try_from(low), usize::try_from(high)) {
        (Ok(low), Ok(high)) if low <= high => Ok(Some((low, high))),
        _ => Err(SearchError::illegal(
            "fuzziness wrongly configured, must be: lowDistance > 0, highDistance > 0 and lowDistance <= highDistance ",
        )),
    }
}

/// The edits that are allowed in a word of this length, of `most` that there can be.
pub(crate) fn edits(fuzziness: &str, length: usize, most: usize) -> Result<usize> {
    if let Some((low, high)) = bounds(fuzziness)? {
        return Ok(usize::from(length >= low) + usize::from(length >= high));
    }
    let given = java_number(&fuzziness.to_uppercase()).map_err(|error| no_query(&error.reason))?;
    match given <= -1.0 {
        true => Err(no_query("maxEdits must be between 0 and 2")),
        false => Ok((given as usize).min(most)),
    }
}

/// Why a query cannot be asked of an index.
pub(crate) fn no_query(reason: &str) -> SearchError {
    SearchError::new(ErrorKind::QueryShard, format!("failed to create query: {reason}"))
}

/// The letters at the beginning of fuzzy words that stay.
pub(super) fn prefix_length(query: &str, members: &mut Members<'_>, name: &str) -> Result<usize> {
    let length = members.integer(name)?.unwrap_or(0);
    usize::try_from(length).map_err(|_| match query {
        "match" | "match_bool_prefix" => {
            SearchError::illegal(format!("[{query}] requires prefix length to be non-negative."))
        }
        "multi_match" => SearchError::illegal("No negative prefix length allowed."),
        _ => no_query("prefixLength cannot be negative."),
    })
}

/// The terms at most that stand for one, where a request says how many.
pub(super) fn expansions(query: &str, members: &mut Members<'_>, name: &str) -> Result<Option<usize>> {
    let Some(given) = members.integer(name)? else {
        return Ok(None);
    };
    let count = usize::try_from(given).ok();
    let is_in_order = query == "match_phrase_prefix";
    let count = count.filter(|count| *count > 0 || is_in_order);
    let refused = || match query {
        "match" | "match_bool_prefix" => {
            SearchError::illegal(format!("[{query}] requires maxExpansions to be positive."))
        }
        "match_phrase_prefix" => {
            SearchError::illegal(format!("[{query}] requires maxExpansions to be non-negative."))
        }
        "multi_match" => SearchError::illegal("Max expansions must be strictly great than zero."),
        _ => no_query("maxExpansions must be positive."),
    };
    count.map(Some).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_query;
    use serde_json::json;

    #[test]
    fn words_of_a_length_allow_edits() {
        let of = |fuzziness: &str, length: usize| edits(fuzziness, length, 2).ok();
        for (fuzziness, length, wanted) in [
            ("AUTO", 2, 0),
            ("auto", 3, 1),
            ("Auto", 6, 2),
            ("AUTO:2,2", 2, 2),
            ("AUTO:1,4,", 3, 1),
            ("0", 9, 0),
            ("1.9", 9, 1),
            ("-0.5", 9, 0),
            ("7", 9, 2),
        ] {
            assert_eq!(of(fuzziness, length), Some(wanted), "{fuzziness}");
        }
    }

    #[test]
    fn wrong_fuzziness_is_refused_as_by_elasticsearch() {
        let fuzzy = |name: &str, value: Value| json!({"fuzzy": {"k": {"value": "a", name: value}}});
        let of_match = |name: &str, value: Value| json!({"match": {"k": {"query": "a", name: value}}});
        let of_many =
            |name: &str, value: Value| json!({"multi_match": {"query": "a", "fields": ["k"], name: value}});
        for (query, wanted) in [
            (
                fuzzy("fuzziness", json!("AUTO:3")),
                "parse_exception: failed to find low and high distance values",
            ),
            (
                of_match("fuzziness", json!("auto:a,6")),
                "parse_exception: failed to parse [auto:a,6] as a \"auto:int,int\"",
            ),
            (
                of_match("fuzziness", json!("")),
                "illegal_argument_exception: fuzziness can't be null!",
            ),
            (
                of_many("fuzziness", json!(true)),
                "illegal_argument_exception: Can't parse fuzziness on token: [VALUE_BOOLEAN]",
            ),
            (
                fuzzy("prefix_length", json!(-1)),
                "query_shard_exception: failed to create query: prefixLength cannot be negative.",
            ),
            (
                fuzzy("max_expansions", json!(0)),
                "query_shard_exception: failed to create query: maxExpansions must be positive.",
            ),
            (
                of_match("prefix_length", json!(-1)),
                "illegal_argument_exception: [match] requires prefix length to be non-negative.",
            ),
            (
                of_match("max_expansions", json!(0)),
                "illegal_argument_exception: [match] requires maxExpansions to be positive.",
            ),
            (
                of_many("prefix_length", json!(-1)),
                "illegal_argument_exception: No negative prefix length allowed.",
            ),
            (
                of_many("max_expansions", json!(0)),
                "illegal_argument_exception: Max expansions must be strictly great than zero.",
            ),
            (
                of_many("fields", json!(["k^two"])),
                "number_format_exception: For input string: \"two\"",
            ),
            (
                of_many("boost", json!(-2)),
                "illegal_argument_exception: negative [boost] are not allowed in [multi_match], use a value between 0 and 1 to deboost",
            ),
            (
                of_many("type", json!("best")),
                "parse_exception: failed to parse [multi_match] query type [best]. unknown type.",
            ),
            (
                of_match("operator", json!("nor")),
                "illegal_argument_exception: No enum constant org.elasticsearch.index.query.Operator.NOR",
            ),
            (
                of_match("query", json!([1])),
                "parsing_exception: [match] unknown token [START_ARRAY] after [query]",
            ),
            (
                json!({"match_phrase": {"k": null}}),
                "illegal_argument_exception: [match_phrase] requires query value",
            ),
            (
                json!({"match": {}}),
                "parsing_exception: No text specified for text query",
            ),
            (
                json!({"term": {"k": null}}),
                "illegal_argument_exception: field name is null or empty",
            ),
            (
                of_many("slop", json!(-1)),
                "illegal_argument_exception: No negative slop allowed.",
            ),
        ] {
            let error = parse_query(&query).expect_err("refused");
            assert_eq!(error.to_string(), wanted, "{query}");
        }
        let given = |fuzziness: &str| edits(fuzziness, 3, 2).map_err(|error| error.to_string());
        let wrong = |reason: &str| Err(format!("query_shard_exception: failed to create query: {reason}"));
        assert_eq!(given("many"), wrong("For input string: \"MANY\""));
        assert_eq!(given("-1"), wrong("maxEdits must be between 0 and 2"));
    }
}
