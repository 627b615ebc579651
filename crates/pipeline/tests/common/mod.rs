//! Helpers that the tests of single stages share.

use language::expression::Variables;
use pipeline::{Pipeline, Source, Surroundings};
use query::QueryError;
use query::execute::{Interruption, StreamState};
use store::Namespace;
use value::{Document, DocumentBuf, Value};

/// What a stage makes of documents.
pub fn run(stage: Document, input: &[Document]) -> Result<Vec<Document>, QueryError> {
    let stages = [Value::from(stage)];
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll"))?;
    let source = Source::Documents(input.iter().map(DocumentBuf::from).collect());
    let mut stream = pipeline.run(source, &Surroundings::default(), Interruption::default());
    let mut batch = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers starts");
    while runtime.block_on(stream.fill(&mut batch, usize::MAX, usize::MAX))? == StreamState::More {}
    Ok(batch.iter().map(DocumentBuf::to_document).collect())
}
