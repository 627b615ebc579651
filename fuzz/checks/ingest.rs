//! What must hold for any patterns of grok and dissect, and any text that is taken apart by them. Each gives back whether the pattern
//! was accepted, and panics where something does not hold.

use ingest::{Context, Host, Pipeline};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use value::Document;

/// There are no other pipelines.
struct Alone;

impl Host for Alone {
    fn pipeline(&self, _: &str) -> Option<Arc<Pipeline>> {
        None
    }

    fn now_ms(&self) -> i64 {
        0
    }
}

/// The first line is the pattern, the rest the text.
fn parts(bytes: &[u8]) -> Option<(&str, &str)> {
    str::from_utf8(bytes).ok()?.split_once('\n')
}

/// Whether the processor is one. Then it runs, and leaves what it was given.
fn run(processor: Json, text: &str) -> bool {
    let Ok(pipeline) = Pipeline::parse(&json!({"processors": [processor]})) else {
        return false;
    };
    let mut context = Context {
        source: Document::new().with("text", text).with("kept", 1),
        ..Context::default()
    };
    // Whether it fails is up to the text.
    let _ = pipeline.run(&mut context, &Alone);
    assert!(!context.source.is_empty());
    true
}

/// `grok`: what is accepted ends, whatever the text.
pub fn grok(bytes: &[u8]) -> bool {
    parts(bytes).is_some_and(|(pattern, text)| {
        let definitions = json!({"OWN": "[a-z]+"});
        run(
            json!({"grok": {"field": "text", "patterns": [pattern], "pattern_definitions": definitions}}),
            text,
        )
    })
}

/// `dissect`, likewise.
pub fn dissect(bytes: &[u8]) -> bool {
    parts(bytes)
        .is_some_and(|(pattern, text)| run(json!({"dissect": {"field": "text", "pattern": pattern}}), text))
}
