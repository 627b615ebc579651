//! Limits of `simple_query_string`: depth and size.

use search::{DEPTH_MAX, ErrorKind, Query, Result, parse_query};
use serde_json::{Value, json};

fn parse(body: &Value) -> Result<Query> {
    parse_query(&json!({"simple_query_string": body}))
}

/// How many queries are within one another.
fn height(query: &Query) -> usize {
    match query {
        Query::Bool(query) => {
            let inner = query.must.iter().chain(&query.should).chain(&query.must_not);
            1 + inner.map(height).max().unwrap_or(0)
        }
        Query::DisMax { queries, .. } => queries.iter().map(height).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn operators_that_take_turns_are_nested_so_far_and_no_further() {
    let text = |turns: usize| format!("a{}", "+b|c".repeat(turns / 2));
    let parsed = parse(&json!({"query": text(DEPTH_MAX)})).expect("parsed");
    assert_eq!(height(&parsed), DEPTH_MAX);
    for text in [
        text(DEPTH_MAX + 2),
        text(50_000),
        format!("({})+c|d", text(DEPTH_MAX)),
        "(a+b|c|-(".repeat(11_000),
    ] {
        let refused = parse(&json!({"query": text})).map(|query| height(&query));
        assert!(refused.is_err(), "{refused:?}");
    }
    assert_eq!(
        parse(&json!({"query": "a|b|c|d".repeat(1000)})).map(|query| height(&query)),
        Ok(1)
    );
}

#[test]
fn signs_that_mean_something_elsewhere_are_words() {
    let parsed = parse(&json!({"query": "a:".repeat(50_000)})).map(|query| height(&query));
    assert_eq!(parsed, Ok(0));
}

#[test]
fn many_words_in_many_fields_are_too_many_clauses() {
    let fields: Vec<String> = (0..1000).map(|at| format!("f{at}")).collect();
    let of = |words: usize| parse(&json!({"query": "a* ".repeat(words), "fields": &fields}));
    assert!(of(65).is_ok());
    let refused = of(30_000).expect_err("refused");
    assert_eq!(refused.kind, ErrorKind::TooManyClauses);
}
