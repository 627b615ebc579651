//! Lucene's query syntax, and the queries that it becomes.

use search::{DEPTH_MAX, ErrorKind, Query, parse_query, parse_query_string};
use serde_json::json;

fn shown(text: &str) -> String {
    match parse_query_string(text, Some("f"), false, false) {
        Ok(query) => show(&query),
        Err(error) => format!("error: {}", error.reason),
    }
}

/// A query in few signs: `+` must, `-` must not.
fn show(query: &Query) -> String {
    match query {
        Query::Bool(query) => {
            let all = |sign: &str, queries: &[Query]| {
                queries
                    .iter()
                    .map(|query| format!("{sign}{}", show(query)))
                    .collect::<Vec<_>>()
            };
            let parts = [
                all("+", &query.must),
                all("", &query.should),
                all("-", &query.must_not),
            ]
            .concat()
            .join(" ");
            if query.boost == 1.0 {
                format!("({parts})")
            } else {
                format!("({parts})^{}", query.boost)
            }
        }
        Query::DisMax { queries, .. } => queries.iter().map(show).collect::<Vec<_>>().join("|"),
        Query::Match { field, text, .. } => {
            format!("{field}={:?}", text.text.as_str().unwrap_or_default())
        }
        Query::Pattern { field, pattern, .. } => format!("{field}~{pattern:?}"),
        Query::Range { field, range, .. } => format!(
            "{field}{:?}..{:?}",
            range.low.as_ref().map(|end| end.1),
            range.high.as_ref().map(|end| end.1)
        ),
        Query::Exists { field, .. } => format!("exists {field}"),
        Query::MatchAll { .. } => "all".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_make_clauses_required() {
    for (text, wanted) in [
        ("a AND b", r#"(+f="a" +f="b")"#),
        ("a AND b OR c", r#"(+f="a" +f="b" f="c")"#),
        ("+a -b c", r#"(+f="a" f="c" -f="b")"#),
        ("NOT a", r#"(-f="a")"#),
        ("x:(a OR b) AND y:\"c d\"", r#"(+(x="a" x="b") +y="c d")"#),
        ("a b^2", r#"(f="a" (+f="b")^2)"#),
        ("_exists_:a", "exists a"),
        ("x:[1 TO 5}", "xSome(true)..Some(false)"),
        ("x:>=5", "xSome(true)..None"),
        ("*", "all"),
        ("x:*", "exists x"),
        ("a\\:b", r#"f="a:b""#),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn words_beside_each_other_are_one_text() {
    for (text, wanted) in [
        ("a b", r#"f="a b""#),
        ("a b c AND d", r#"(+f="c" +f="d" f="a b")"#),
        ("x:a b c", r#"(x="a" f="b c")"#),
        ("x:(a b) c", r#"(x="a b" f="c")"#),
        ("+a b c", r#"(+f="a" f="b c")"#),
        ("a - b", r#"(f="a" f="-" f="b")"#),
        ("a b\"c d\" e f", r#"(f="a b" f="c d" f="e f")"#),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn incomplete_queries_are_refused() {
    for text in [
        "(a",
        "a)",
        "\"a",
        "x:[1 TO",
        "AND a",
        "x:",
        "x:y:z",
        "x:_exists_:y",
    ] {
        assert!(shown(text).starts_with("error"), "{text}: {}", shown(text));
    }
}

#[test]
fn queries_nested_too_deep_are_refused() {
    for text in ["a:".repeat(50_000), "(".repeat(50_000), "a:(".repeat(30_000)] {
        assert!(shown(&text).starts_with("error"), "{}", &text[..10]);
    }
    let boosted = format!("{}a{}", "(".repeat(DEPTH_MAX), ")^2".repeat(DEPTH_MAX));
    assert!(!shown(&boosted).starts_with("error"));
}

#[test]
fn many_words_in_many_fields_are_too_many_clauses() {
    let body = |words: usize, fields: usize| {
        let fields: Vec<String> = (0..fields).map(|at| format!("f{at}")).collect();
        json!({"query_string": {"query": "a* ".repeat(words), "fields": fields}})
    };
    assert!(parse_query(&body(1000, 60)).is_ok());
    for (words, fields) in [(1000, 70), (30_000, 1000)] {
        let refused = parse_query(&body(words, fields)).expect_err("refused");
        assert_eq!(refused.kind, ErrorKind::TooManyClauses);
    }
}

#[test]
fn fuzzy_terms_without_a_number_have_the_edits_that_the_query_names() {
    let body =
        json!({"query": "word~ another~2", "default_field": "f", "fuzziness": 1, "fuzzy_max_expansions": 10});
    let parsed = parse_query(&json!({"query_string": body})).unwrap();
    let shown = show(&parsed);
    for (word, edits) in [("word", 1), ("another", 2)] {
        let wanted = format!("value: \"{word}\", fuzzy: Fuzzy {{ fuzziness: \"{edits}\"");
        assert!(shown.contains(&wanted), "{shown}");
    }
    assert!(shown.contains("expansions_max: 10"), "{shown}");
    assert!(parse_query(&json!({"query_string": {"query": "a", "fuzzy": 1}})).is_err());
}
