//! Where each document lies, for stages that ask for it: `{$meta: "recordId"}` behind what the query itself projects.

use crate::Result;
use crate::row::Row;
use crate::stage::{Run, Stage, named};
use crate::step::{Flow, Step, Work};
use language::projection::RECORD_ID;
use value::{Document, Value, doc};

/// The field in which a query shows where a document lies, which is the last one.
const SHOWN: &str = "$recordId";

/// Takes what the query shows out of the documents, and keeps it as their metadata.
#[derive(Debug)]
pub(crate) struct Recording;

impl Stage for Recording {
    fn start(&self, _run: &Run) -> Work {
        Work::local(RecordingStep)
    }

    /// It is a part of the query, which is shown as such.
    fn to_document(&self) -> Document {
        named("$match", Document::new())
    }
}

struct RecordingStep;

impl Step for RecordingStep {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let (document, metadata) = row.into_parts();
            let mut fields: Vec<(String, Value)> = document.into_iter().collect();
            let shown = fields.pop_if(|(name, _)| name == SHOWN);
            let document: Document = fields.into_iter().collect();
            out.push(match shown {
                Some((_, record)) => Row::with_metadata(document, metadata, doc! {RECORD_ID: record}),
                None => Row::of_parts(document, metadata),
            });
        }
        Ok(Flow::More)
    }
}

/// Whether a stage asks where documents lie.
pub(crate) fn asks_record(stage: &dyn Stage) -> bool {
    asks(&Value::Document(stage.to_document()))
}

fn asks(value: &Value) -> bool {
    match value {
        Value::Document(fields) => fields.iter().any(|(name, value)| {
            let is_it = name == "$meta" && value.as_str() == Some(RECORD_ID);
            is_it || asks(value)
        }),
        Value::Array(elements) => elements.iter().any(asks),
        _ => false,
    }
}
