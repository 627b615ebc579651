//! Everything that compares strings, once under a collation that ignores case. `tests/collation/*.json` hold documents, what
//! is done to them and the result, a file for each family.
//!
//! Beside its cases a file names the operators of its family that compare nothing. Together with the operators of the cases
//! these must be all operators, so a new operator has to be put among one or the other.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use language::expression::{self, Variables};
use pipeline::{Pipeline, Source, Surroundings};
use query::QueryError;
use query::execute::{Interruption, StreamState};
use std::collections::BTreeSet;
use store::Namespace;
use update::{self, Update, UpdateInput, UpdateScope};
use value::collation::Collation;
use value::json::{self, Mode};
use value::{Document, DocumentBuf, Value, doc};

/// Strength 2: letters and accents count, cases do not.
fn variables() -> Variables {
    let collation = Collation::parse(&doc! {"locale": "en", "strength": 2}).unwrap();
    Variables::new(0).with_collation(collation)
}

fn table(family: &str) -> Document {
    let path = format!("{}/tests/collation/{family}.json", env!("CARGO_MANIFEST_DIR"));
    json::parse_document(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list<'t>(table: &'t Document, name: &str) -> &'t [Value] {
    match table.get(name) {
        Some(Value::Array(values)) => values,
        other => panic!("'{name}' is no array: {other:?}"),
    }
}

fn documents(values: &[Value]) -> Vec<Document> {
    let document = |value: &Value| match value {
        Value::Document(document) => document.clone(),
        other => panic!("not a document: {other:?}"),
    };
    values.iter().map(document).collect()
}

/// What the stages make of the documents.
fn piped(stages: &[Value], input: &[Document]) -> Result<Vec<Document>, QueryError> {
    let pipeline = Pipeline::parse(stages, &variables(), &Namespace::new("db", "coll"))?;
    let source = Source::Documents(input.iter().map(DocumentBuf::from).collect());
    let mut stream = pipeline.run(source, &Surroundings::default(), Interruption::default());
    let mut batch = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers starts");
    while runtime.block_on(stream.fill(&mut batch, usize::MAX, usize::MAX))? == StreamState::More {}
    Ok(batch.iter().map(DocumentBuf::to_document).collect())
}

/// What the update makes of each document.
fn updated(update: &Document, input: &[Document]) -> Result<Vec<Document>, QueryError> {
    let variables = variables();
    let scope = UpdateScope {
        variables: &variables,
    };
    let update = Update::parse(&UpdateInput::Document(update.clone()), &[], &scope)?;
    let change = |document: &Document| {
        let mut changed = document.clone();
        update.apply(&mut changed, None, false, &variables)?;
        Ok(changed)
    };
    input.iter().map(change).collect()
}

/// What a case does: an expression on each document, stages on all of them, or an update of each.
fn outcome(case: &Document, input: &[Document]) -> Result<Vec<Document>, QueryError> {
    if let Some(expression) = case.get("expression") {
        let computed = doc! {"$replaceWith": {"r": expression.clone()}};
        return piped(&[Value::Document(computed)], input);
    }
    match case.get("update") {
        Some(Value::Document(update)) => updated(update, input),
        _ => piped(list(case, "stages"), input),
    }
}

/// Runs the cases of a family, which must have one for each of these names that it does not pass over.
fn check(family: &str, names: impl Iterator<Item = &'static str>) {
    let table = table(family);
    assert!(table.contains("source"), "{family} names no source");
    let text = |value: &Value| value.as_ref().as_str().unwrap().to_owned();
    let passed_over: BTreeSet<String> = list(&table, "compareNothing").iter().map(text).collect();
    let mut covered = BTreeSet::new();
    for case in documents(list(&table, "cases")) {
        let shown = json::to_string((&case).into(), Mode::Relaxed);
        let input = documents(list(&case, "documents"));
        let found = outcome(&case, &input).unwrap_or_else(|error| panic!("{shown}: {error:?}"));
        assert_eq!(found, documents(list(&case, "result")), "{shown}");
        covered.insert(text(case.get("of").unwrap()));
    }
    assert!(covered.is_disjoint(&passed_over), "{family}: compares or not?");
    let known: BTreeSet<String> = names.map(str::to_owned).collect();
    let told: BTreeSet<String> = covered.union(&passed_over).cloned().collect();
    assert_eq!(
        told, known,
        "{family}: put a new operator with what compares, or with what does not"
    );
}

#[test]
fn expressions_follow_the_collation() {
    check("expressions", expression::operator_names());
}

#[test]
fn accumulators_follow_the_collation() {
    check("accumulators", pipeline::accumulator_names());
}

#[test]
fn window_functions_follow_the_collation() {
    check("window_functions", pipeline::window_function_names());
}

#[test]
fn stages_follow_the_collation() {
    check("stages", pipeline::stage_names());
}

#[test]
fn updates_follow_the_collation() {
    check("updates", update::OPERATORS.into_iter());
}
