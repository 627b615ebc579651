//! A document that would grow without end fails.

use crate::{context, failure, made};
use ingest::{Host, Pipeline};
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::sync::Arc;

const GROWN: &str = "the document has grown to more than";

#[test]
fn every_way_to_double_a_document_again_and_again_fails() {
    let doubling = |step: Json| Json::Array(vec![step; 40]);
    let source = json!({"a": "x".repeat(1000), "list": ["x".repeat(1000), "y"]});
    for step in [
        json!({"set": {"field": "a", "value": "{{a}}{{a}}"}}),
        json!({"append": {"field": "list", "value": vec!["{{list}}"; 3]}}),
        json!({"gsub": {"field": "a", "pattern": "^.*$", "replacement": "$0$0"}}),
        json!({"foreach": {"field": "list", "processor": {"set": {"field": "_ingest._value", "value": "{{_ingest._value}}{{_ingest._value}}"}}}}),
        json!({"script": "ctx.a = ctx.a + ctx.a"}),
    ] {
        let mut whole = context(&source);
        let pipeline = Pipeline::parse(&json!({"processors": doubling(step.clone())})).unwrap();
        let failed = pipeline.run(&mut whole, &crate::Alone).unwrap_err();
        let is_known = failed.reason.contains(GROWN) || failed.reason.contains("which is the limit");
        assert!(is_known, "{step}: {}", failed.reason);
    }
}

#[test]
fn a_text_that_is_named_often_is_a_failure_at_once() {
    let often = json!([{"set": {"field": "b", "value": "{{a}}".repeat(100_000)}}]);
    let failed = failure(often, json!({"a": "x".repeat(1_000_000)}));
    assert!(failed.reason.contains(GROWN), "{}", failed.reason);
    let joined = json!([{"join": {"field": "a", "separator": "x".repeat(1_000_000)}}]);
    let failed = failure(joined, json!({"a": vec![1; 10_000]}));
    assert!(failed.reason.contains(GROWN), "{}", failed.reason);
}

#[test]
fn names_count_as_what_they_name() {
    let named: Vec<Json> = (0..100)
        .map(|number| json!({"set": {"field": format!("{{{{a}}}}{number}"), "value": 1}}))
        .collect();
    let failed = failure(json!(named), json!({"a": "x".repeat(1_000_000)}));
    assert!(failed.reason.contains(GROWN), "{}", failed.reason);
    let dotted: serde_json::Map<String, Json> = (0..10_001)
        .map(|number| (format!("a.{number}"), json!(1)))
        .collect();
    let failed = failure(json!([{"dot_expander": {"field": "*"}}]), Json::Object(dotted));
    assert!(failed.reason.contains("which is the limit"), "{}", failed.reason);
}

#[test]
fn large_documents_pass() {
    let large = json!({"a": "x".repeat(5_000_000), "b": 1});
    let processors = json!([{"set": {"field": "c", "value": "{{b}}"}}, {"uppercase": {"field": "a"}}]);
    assert_eq!(made(processors, large)["c"], "1");
}

/// A pipeline that runs itself again and again, and is told to end.
struct Impatient(Cell<u32>);

impl painless::Host for Impatient {
    fn field(&self, _: &str) -> Option<Vec<value::Value>> {
        None
    }

    fn look(&self) -> Result<(), painless::Ended> {
        self.0.set(self.0.get() + 1);
        match self.0.get() > 1000 {
            true => Err(painless::Ended {
                code: code::Code::INTERRUPTED,
                reason: "nobody waits".to_owned(),
            }),
            false => Ok(()),
        }
    }
}

impl Host for Impatient {
    fn pipeline(&self, _: &str) -> Option<Arc<Pipeline>> {
        let again = json!({"pipeline": {"name": "again", "ignore_failure": true}});
        let pipeline = Pipeline::parse(&json!({"processors": vec![again; 100]}));
        Some(Arc::new(pipeline.unwrap()))
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn scripts(&self) -> &dyn painless::Host {
        self
    }
}

#[test]
fn pipelines_that_run_each_other_end_when_nobody_waits() {
    let host = Impatient(Cell::new(0));
    let pipeline = host.pipeline("again").unwrap();
    let failed = pipeline.run(&mut context(&json!({})), &host).unwrap_err();
    assert_eq!(failed.reason, "nobody waits");
}
