//! Tests of ingest pipelines: what they make of documents.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpora;
mod definitions;
mod failures;
mod fields;
mod growth;
mod reference;
mod texts;

use ingest::{Context, Failure, Host, Pipeline};
use painless::Script;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// A host without other pipelines, at 1,000,000 seconds after 1970.
struct Alone;

impl Host for Alone {
    fn pipeline(&self, name: &str) -> Option<Arc<Pipeline>> {
        let again = json!({"processors": [{"pipeline": {"name": "again"}}]});
        (name == "again").then(|| Arc::new(Pipeline::parse(&again).unwrap()))
    }

    fn script(&self, id: &str) -> Option<Arc<Script>> {
        (id == "raise").then(|| Arc::new(Script::compile("ctx.n += params.by").unwrap()))
    }

    fn now_ms(&self) -> i64 {
        1_000_000_000
    }
}

fn context(source: &Json) -> Context {
    let read = json::Reader::whole(source.to_string().as_bytes()).unwrap();
    Context {
        index: "logs".to_owned(),
        id: Some("1".to_owned()),
        source: read.as_document().unwrap().clone(),
        ..Context::default()
    }
}

fn shown(context: &Context) -> Json {
    let mut out = String::new();
    json::write(value::Value::Document(context.source.clone()).as_ref(), &mut out);
    serde_json::from_str(&out).unwrap()
}

/// What processors make of a document.
fn made(processors: Json, source: Json) -> Json {
    let mut context = context(&source);
    let pipeline = Pipeline::parse(&json!({"processors": processors})).unwrap();
    assert!(pipeline.run(&mut context, &Alone).unwrap());
    shown(&context)
}

fn failure(processors: Json, source: Json) -> Failure {
    let pipeline = Pipeline::parse(&json!({"processors": processors})).unwrap();
    pipeline.run(&mut context(&source), &Alone).unwrap_err()
}
