//! Helpers that the tests of `$setWindowFields` share.

use crate::common::run;
use value::{Document, Value, doc};

/// One stage over documents that are sorted by `t`.
pub fn window(output: impl Into<Value>) -> Document {
    doc! {"$setWindowFields": {"sortBy": {"t": 1}, "output": (output.into())}}
}

/// One output over the document before and each document itself.
pub fn slope(function: Document) -> Document {
    let output = function.with("window", doc! {"documents": [(-1), 0]});
    window(doc! {"r": output})
}

pub fn date(ms: i64) -> Value {
    Value::DateTime(ms)
}

/// What `r` is in each result.
#[track_caller]
pub fn computed(stage: Document, input: &[Document]) -> Vec<Value> {
    let results = run(stage.clone(), input).unwrap_or_else(|error| panic!("{stage:?}: {error}"));
    let of = |result: &Document| result.get("r").cloned().unwrap_or(Value::Undefined);
    results.iter().map(of).collect()
}

#[track_caller]
pub fn check_codes(cases: Vec<(Document, Vec<Document>, i32)>) {
    for (stage, input, expected) in cases {
        let refused = run(stage.clone(), &input).expect_err("it is refused");
        assert_eq!(refused.code().number(), expected, "{stage:?} {input:?}");
    }
}
