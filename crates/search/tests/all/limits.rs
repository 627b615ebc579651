//! Limits of a search: clauses of its queries, and buckets of its aggregations.

use language::interruption::within;
use language::{Code, Interruption};
use memory::Budget;
use search::{
    Aggregations, Analysis, BUCKETS_MAX, CLAUSES_MAX, ErrorKind, Held, Hit, Index, Mapping, Query, Request,
    Result, Run, Seen, SortKey, parse_query, parse_query_string,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use value::{DocumentBuf, doc};

/// A search of an index of 900 fields of texts and numbers.
fn run(request: &Request) -> Result<Run<'_>> {
    let kind = |at: usize| ["text", "keyword", "long"][at % 3];
    let fields = (0..900).map(|at| (format!("f{at}"), json!({"type": kind(at)})));
    let source = json!({"properties": fields.collect::<Map<_, _>>()});
    let index = Index {
        name: "index".to_owned(),
        mapping: Arc::new(Mapping::parse(&source, Analysis::default())?),
        boost: 1.0,
    };
    let held = Held::within(&Budget::default());
    Run::new(request, vec![index], 0, held)
}

fn begun(request: &Request) -> Result<()> {
    run(request)?.begin(0).map(drop)
}

fn asked(query: Query) -> Result<()> {
    begun(&Request {
        query: Some(query),
        ..Request::default()
    })
}

fn is_too_much(begun: &Result<()>) -> bool {
    begun
        .as_ref()
        .is_err_and(|error| error.kind == ErrorKind::TooManyClauses)
}

#[test]
fn each_word_counts_in_each_field() {
    let of = |words: usize, word: &str| {
        let text = format!("{word} ").repeat(words);
        asked(parse_query_string(&text, None, false, false)?)
    };
    for word in ["a", "a*", "a~1", "\"a b\""] {
        assert_eq!(of(10, word), Ok(()), "{word}");
        assert!(is_too_much(&of(1000, word)), "{word}");
    }
}

#[test]
fn queries_that_are_one_clause_each_have_room() {
    let of = |query: Value| asked(parse_query(&query)?);
    let terms = |count: usize| vec![json!({"term": {"f0": "a"}}); count];
    assert_eq!(of(json!({"bool": {"should": terms(CLAUSES_MAX)}})), Ok(()));
    let numbers: Vec<usize> = (0..CLAUSES_MAX).collect();
    assert_eq!(of(json!({"terms": {"f2": numbers}})), Ok(()));
    let patterns = |pattern: fn(usize) -> String| {
        let patterns = (0..5000).map(|at| json!({"wildcard": {"f1": pattern(at)}}));
        of(json!({"bool": {"should": patterns.collect::<Vec<_>>()}}))
    };
    assert_eq!(patterns(|_| "*a*".to_owned()), Ok(()));
    assert!(is_too_much(&patterns(|at| format!("*a{at}*"))));
    let exists = json!({"exists": {"field": "f*"}});
    assert!(is_too_much(&of(json!({"bool": {"filter": vec![exists; 1000]}}))));
    let words = "a b ".repeat(CLAUSES_MAX);
    let rule = json!({"match": {"query": words}});
    let rules = json!({"any_of": {"intervals": vec![rule; 3]}});
    assert!(is_too_much(&of(json!({"intervals": {"f0": rules}}))));
}

#[test]
fn filters_of_aggregations_count_with_the_query() {
    let words = json!({"multi_match": {"query": "a ".repeat(100)}});
    let filters = |count: usize| {
        let asked = json!({"a": {"filters": {"filters": vec![words.clone(); count]}}});
        let aggregations = Aggregations::parse(&asked)?;
        begun(&Request {
            aggregations,
            ..Request::default()
        })
    };
    assert_eq!(filters(1), Ok(()));
    assert!(is_too_much(&filters(10)));
}

/// Filters within filters, so many of each.
fn nested(count: usize, depth: usize) -> Result<()> {
    let mut asked = json!({});
    for _ in 0..depth {
        let filters = vec![json!({"match_all": {}}); count];
        asked = json!({"a": {"filters": {"filters": filters}, "aggs": asked}});
    }
    let aggregations = Aggregations::parse(&asked)?;
    begun(&Request {
        aggregations,
        ..Request::default()
    })
}

#[test]
fn buckets_that_no_document_has_to_make_are_counted_before_they_are_made() {
    const { assert!(200 * 201 < BUCKETS_MAX) };
    assert_eq!(nested(200, 2), Ok(()));
    for (count, depth) in [(300, 2), (1000, 3), (100, 20)] {
        let refused = nested(count, depth).expect_err("refused");
        assert_eq!(refused.kind, ErrorKind::TooManyBuckets, "{count} {depth}");
    }
}

#[test]
fn a_search_ends_while_all_fields_of_its_hits_are_looked_at() {
    let request = Request::default();
    let mut run = run(&request).unwrap();
    run.begin(0).unwrap();
    let document = DocumentBuf::from(&doc! {"f1": "a"});
    for sequence in 0..10 {
        let seen = Seen {
            id: "1",
            sequence,
            version: 1,
            document: &document,
        };
        assert_eq!(run.see(&seen), Ok(true));
    }
    let show = |_: &Hit, _: &[SortKey], _: &Map<String, Value>| Ok(Value::Null);
    let interruption = Interruption::default();
    interruption.kill.with(Code::INTERRUPTED);
    let ended = within(&interruption, || run.finish(false, &show));
    assert_eq!(ended.unwrap_err().kind, ErrorKind::Ended(Code::INTERRUPTED));
}
