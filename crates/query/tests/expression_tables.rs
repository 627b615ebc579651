//! Expressions as tables of data: `tests/expressions/*.json` hold expression, document and what comes out.
//!
//! Each file names where its answers are taken from. A case has `result`, or `missing: true`, or the code of an
//! `error`; its `document` is empty where none is given.

use query::expression::{Expression, ParseScope, Variables};
use value::json::{self, Mode};
use value::{Document, Value};

/// Runs the cases of a file and says which went otherwise.
fn check(file: &str) {
    let path = format!("{}/tests/expressions/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the table is beside the test");
    let table = json::parse_document(&text).expect("the table is JSON");
    let Some(Value::Array(cases)) = table.get("cases") else {
        panic!("{file}: no cases");
    };
    let wrong: Vec<String> = cases.iter().filter_map(wrong).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// What is wrong with a case, if anything.
fn wrong(case: &Value) -> Option<String> {
    let Value::Document(case) = case else {
        return Some("a case is an object".to_owned());
    };
    let document = match case.get("document") {
        Some(Value::Document(document)) => document.clone(),
        _ => Document::new(),
    };
    let expression = case.get("expression")?;
    let outcome = Expression::parse(expression, &ParseScope::new())
        .and_then(|parsed| parsed.evaluate((&document).into(), &Variables::new(0)));
    let as_expected = match (&outcome, case.get("error"), case.get("result")) {
        (Err(error), Some(Value::Int32(code)), _) => error.code.0 == *code,
        (Ok(Some(found)), None, Some(result)) => same(found, result),
        (Ok(None), None, None) => case.contains("missing"),
        _ => false,
    };
    (!as_expected).then(|| format!("{} gave {outcome:?}", shown(case)))
}

/// Equal in type and value; the last bits of doubles are left to the machine's functions.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Double(a), Value::Double(b)) => a == b || (a - b).abs() <= 1e-14 * b.abs(),
        _ => found == wanted,
    }
}

fn shown(case: &Document) -> String {
    json::to_string(case.into(), Mode::Relaxed)
}

#[test]
fn arithmetic() {
    check("arithmetic");
}

#[test]
fn arrays_and_sets() {
    check("array");
}

#[test]
fn dates() {
    check("date");
}

#[test]
fn logic_objects_and_variables() {
    check("logic");
}

#[test]
fn strings() {
    check("string");
}

#[test]
fn trigonometry() {
    check("trigonometry");
}

#[test]
fn types() {
    check("type");
}
