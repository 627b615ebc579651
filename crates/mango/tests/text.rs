//! Text indexes: the queries that selectors become, and the fields that the index must have.

use mango::Selector;
use mango::options::FindOptions;
use value::{Document, doc};

fn document(json: &str) -> Document {
    value::json::parse_document(json).expect("the test's JSON")
}

fn selector(json: &str) -> Selector {
    Selector::parse_query(&document(json)).expect("the test's selector")
}

#[test]
fn selectors_become_queries_of_lucene() {
    let exists = |path: &str| format!("(($fieldnames:{path}_3a*) OR ($fieldnames:{path}.*))");
    let cases = [
        (r#"{"a": 42}"#, "(a_3anumber:42)".to_owned()),
        (r#"{"a": -4.5}"#, r"(a_3anumber:\-4.5)".to_owned()),
        (r#"{"a": true}"#, "(a_3aboolean:true)".to_owned()),
        (r#"{"a": null}"#, "(a_3anull:true)".to_owned()),
        (r#"{"a.b": "x y"}"#, r#"(a.b_3astring:"x\ y")"#.to_owned()),
        (r#"{"a\\.b_c": "x"}"#, r#"(a_2eb_5fc_3astring:"x")"#.to_owned()),
        (r#"{"a": [1]}"#, "((a._5b_5d_3alength:1) AND (a._5b_5d_3anumber:1))".to_owned()),
        (r#"{"a.0": 1}"#, "((a.0_3anumber:1) OR (a._5b_5d_3anumber:1))".to_owned()),
        (r#"{"a": {"$lt": "x"}}"#, r#"(a_3astring:["" TO "x"})"#.to_owned()),
        (r#"{"a": {"$gte": -2}}"#, "(a_3anumber:[-2 TO *])".to_owned()),
        (r#"{"a": {"$gt": null}}"#, exists("a")),
        (r#"{"a": {"$ne": 1}}"#, format!("({} AND NOT ((a_3anumber:1)))", exists("a"))),
        (r#"{"a": {"$nin": []}}"#, format!("({})", exists("a"))),
        (r#"{"a": {"$exists": false}}"#, format!("($fieldnames:/.*/  AND NOT ({}))", exists("a"))),
        (r#"{"a": {"$regex": "^x"}}"#, "($fieldnames:a_3astring)".to_owned()),
        (r#"{"a": {"$mod": [2, 0]}}"#, "($fieldnames:a_3anumber)".to_owned()),
        (r#"{"a": {"$size": 6}}"#, "(a._5b_5d_3alength:6)".to_owned()),
        (r#"{"a": {"$beginsWith": "x-"}}"#, r"(a_3astring:x\-*)".to_owned()),
        (r#"{"a": {"$elemMatch": {"$eq": "x"}}}"#, r#"(a._5b_5d_3astring:"x")"#.to_owned()),
        (
            r#"{"a": {"$in": [1, {"b": 2}]}}"#,
            "(((a_3anumber:1) OR (a._5b_5d_3anumber:1)) OR (((a.b_3anumber:2)) OR ((a._5b_5d.b_3anumber:2))))".to_owned(),
        ),
        (
            r#"{"$text": "cat AND \"dog\"", "a": 1}"#,
            r#"(($default:"cat\ AND\ \"dog\"") AND (a_3anumber:1))"#.to_owned(),
        ),
        (r#"{"$or": []}"#, String::new()),
    ];
    for (given, wanted) in cases {
        assert_eq!(selector(given).text_query().expect("a query"), wanted, "{given}");
    }
}

#[test]
fn selectors_that_a_text_index_cannot_answer_are_refused() {
    for refused in [r#"{"a": {"$keyMapMatch": {"$eq": "k"}}}"#, r#"{"$text": 5}"#] {
        assert!(selector(refused).text_query().is_err(), "{refused}");
    }
}

#[test]
fn an_index_must_have_the_fields_that_bound_a_query() {
    let cases: [(&str, &[&str]); 5] = [
        (
            r#"{"$text": "x", "b": true, "c": 1, "d": {"$regex": "x"}}"#,
            &["$default", "b:boolean", "c:number", "d:string"],
        ),
        (r#"{"a": {"$in": ["x", 1]}}"#, &["a:string", "a:number"]),
        (r#"{"a": {"$exists": true}, "b": null, "c": {"$size": 1}}"#, &[]),
        (r#"{"$or": [{"a": 1}, {"b": {"$exists": false}}]}"#, &[]),
        (r#"{"a\\.b": 1}"#, &["a\\.b:number"]),
    ];
    for (given, wanted) in cases {
        assert_eq!(selector(given).text_fields().expect("fields"), wanted, "{given}");
    }
}

#[test]
fn only_queries_search_in_texts() {
    assert!(Selector::parse(&doc! {"$text": "x"}).is_err());
    assert!(Selector::parse_query(&doc! {"a": {"$text": "x"}}).is_err());
    assert!(FindOptions::parse(&document(r#"{"selector": {"$text": "x"}}"#), None).is_ok());
}
