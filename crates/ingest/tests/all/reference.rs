//! Processors compared with Elasticsearch 7.10.
//!
//! Each line of the file beside this one has a processor, a document before and after it, or the error. A line without a
//! document says why the processor itself is refused.

use crate::{failure, made};
use ingest::Pipeline;
use serde_json::{Value, json};

#[test]
fn processors_do_what_those_of_elasticsearch_do() {
    for line in include_str!("reference.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let processors = json!([line["processor"]]);
        match (line.get("before"), line.get("reason")) {
            (Some(before), None) => assert_eq!(made(processors, before.clone()), line["after"], "{line}"),
            (Some(before), Some(reason)) => {
                assert_eq!(*reason, failure(processors, before.clone()).reason, "{line}");
            }
            (None, reason) => {
                let refused = Pipeline::parse(&json!({"processors": processors})).unwrap_err();
                assert_eq!(reason, Some(&json!(refused.reason)), "{line}");
            }
        }
    }
}
