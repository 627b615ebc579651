//! `$lookup`: joins each document with documents of another collection.

mod by_document;
mod by_field;
mod found;
mod parse;
mod whole;

pub(crate) use parse::parse;

use crate::join_step::JoinStep;
use crate::stage::{Run, Stage, named};
use crate::step::Work;
use crate::sub_pipeline::SubPipeline;
use language::expression::Expression;
use std::sync::Arc;
use store::Namespace;
use value::Document;
use value::path::FieldPath;

/// A parsed `$lookup`.
#[derive(Debug)]
struct Lookup {
    operand: Document,
    /// The pipeline that is looked up; without stages if none are given.
    sub: SubPipeline,
    /// The field for the results.
    into: FieldPath,
    /// The fields that must be equal, if they are given.
    fields: Option<JoinFields>,
    /// The variables that the stages see, by name.
    variables: Vec<(String, Expression)>,
    /// Whether stages were given, so that they run for each document.
    has_pipeline: bool,
}

/// The fields on which documents are joined.
#[derive(Clone, Debug)]
struct JoinFields {
    local: FieldPath,
    foreign: FieldPath,
    foreign_name: String,
}

impl Stage for Arc<Lookup> {
    fn start(&self, run: &Run) -> Work {
        match &self.fields {
            Some(fields) if !self.has_pipeline => {
                JoinStep::work(by_field::Joining::new(Arc::clone(self), fields.clone(), run), run)
            }
            _ => JoinStep::work(by_document::LookingUp::new(Arc::clone(self), run), run),
        }
    }

    fn to_document(&self) -> Document {
        named("$lookup", self.operand.clone())
    }

    fn reads(&self) -> Vec<&Namespace> {
        self.sub.reads()
    }
}
