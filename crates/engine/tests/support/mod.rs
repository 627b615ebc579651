//! Helpers that the tests of pipelines share: an engine in memory, documents in it, and a pipeline's results.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "each test file uses a part of it")]

use engine::{AggregateRequest, AggregateSource, Context, Engine, Error, Namespace, WriteOptions};
use kv::{Kv, Simulation};
use value::{Document, DocumentBuf, Value};

pub async fn new_engine() -> Engine {
    Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap()
}

pub fn namespace(collection: &str) -> Namespace {
    Namespace::new("db", collection)
}

pub async fn insert(engine: &Engine, collection: &str, documents: &[Document]) {
    let documents = documents.iter().map(DocumentBuf::from).collect();
    let options = WriteOptions::default();
    let reply = engine
        .insert(&Context::default(), &namespace(collection), documents, &options)
        .await
        .unwrap();
    assert!(reply.failures.is_empty());
}

pub async fn aggregate(
    engine: &Engine,
    collection: &str,
    stages: Vec<Value>,
) -> Result<Vec<Document>, Error> {
    let request = AggregateRequest {
        pipeline: stages,
        batch_size: Some(1_000),
        ..AggregateRequest::default()
    };
    let source = AggregateSource::Collection(namespace(collection));
    let reply = engine.aggregate(&Context::default(), &source, &request).await?;
    assert_eq!(reply.id, 0, "the first batch has everything");
    Ok(reply.batch.iter().map(DocumentBuf::to_document).collect())
}
