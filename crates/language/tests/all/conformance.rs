//! Conformance of expressions, as data: `tests/conformance/*.json` hold expressions, documents and results, a file for each
//! family of operators.
//!
//! Each file names the source of its answers. A case has a `result`, `missing: true`, or the code of an `error`; its
//! `document` is empty unless it is given.

use language::expression::{Expression, ParseScope, Variables};
use std::collections::{HashMap, HashSet};
use value::json::{self, Mode};
use value::{Document, Value};

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
        (Err(error), Some(Value::Int32(code)), _) => error.code.number() == *code,
        (Ok(Some(found)), None, Some(result)) => same(found, result),
        (Ok(None), None, None) => case.contains("missing"),
        _ => false,
    };
    (!as_expected).then(|| format!("{} gave {outcome:?}", shown(case)))
}

/// Equal in type and value; the last bits of doubles are left to the machine's functions.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Double(a), Value::Double(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-14 * b.abs()
        }
        _ => found == wanted,
    }
}

fn shown(case: &Document) -> String {
    json::to_string(case.into(), Mode::Relaxed)
}

/// The tables, by the names of their files.
fn tables() -> Vec<(String, Document)> {
    let folder = format!("{}/tests/conformance", env!("CARGO_MANIFEST_DIR"));
    let mut tables: Vec<(String, Document)> = std::fs::read_dir(folder)
        .expect("the tables are beside the test")
        .map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let text = std::fs::read_to_string(&path).expect("a table can be read");
            let name = path
                .file_stem()
                .expect("a table has a name")
                .to_string_lossy()
                .into_owned();
            let table = json::parse_document(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, table)
        })
        .collect();
    tables.sort_by(|(a, _), (b, _)| a.cmp(b));
    tables
}

fn cases(table: &Document) -> &[Value] {
    match table.get("cases") {
        Some(Value::Array(cases)) => cases,
        _ => panic!("a table has cases"),
    }
}

#[test]
fn expressions_give_what_the_tables_say() {
    let mut checked = 0;
    let mut all_wrong = Vec::new();
    for (name, table) in tables() {
        assert!(table.contains("source"), "{name} does not name its source");
        let cases = cases(&table);
        checked += cases.len();
        all_wrong.extend(
            cases
                .iter()
                .filter_map(wrong)
                .map(|wrong| format!("{name}: {wrong}")),
        );
    }
    assert!(
        all_wrong.is_empty(),
        "{} of {checked} are wrong:\n{}",
        all_wrong.len(),
        all_wrong.join("\n")
    );
}

/// What is no operator of an expression, and says so.
const REFUSED: [&str; 2] = ["$accumulator", "$where"];

/// The cases that every operator has at least.
const CASES_MIN: usize = 2;

#[test]
fn every_operator_has_cases() {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, table) in tables() {
        for case in cases(&table) {
            let Value::Document(case) = case else { continue };
            let mut names = HashSet::new();
            case.get("expression")
                .into_iter()
                .for_each(|expression| add_names(expression, &mut names));
            names
                .into_iter()
                .for_each(|name| *counts.entry(name).or_default() += 1);
        }
    }
    let mut few: Vec<&str> = language::expression::operator_names()
        .filter(|name| !REFUSED.contains(name))
        .filter(|name| counts.get(*name).copied().unwrap_or(0) < CASES_MIN)
        .collect();
    few.sort_unstable();
    assert!(
        few.is_empty(),
        "operators with fewer than {CASES_MIN} cases: {few:?}"
    );
}

fn add_names(expression: &Value, names: &mut HashSet<String>) {
    match expression {
        Value::Document(document) => {
            for (name, operand) in document.iter() {
                names.insert(name.to_owned());
                add_names(operand, names);
            }
        }
        Value::Array(operands) => operands.iter().for_each(|operand| add_names(operand, names)),
        _ => {}
    }
}
