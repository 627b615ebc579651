//! What a processor does, a file for each kind of them.

mod control;
mod convert;
mod csv;
mod date;
mod dissect;
mod fields;
mod fingerprint;
mod grok;
mod key_values;
mod network;
mod sizes;
mod structure;
mod texts;
mod uri;

use crate::context::Context;
use crate::error::{PipelineError, Result};
use crate::options::{self, Options};
use crate::pipeline::Run;
pub(crate) use control::compile;
pub(crate) use convert::Type;

/// Whether the document goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Drop,
}

/// A processor by its type.
#[derive(Debug)]
pub(crate) enum ProcessorKind {
    Append(fields::Append),
    Convert(convert::Convert),
    Csv(csv::Csv),
    Date(date::Date),
    DateIndexName(date::DateIndexName),
    Dissect(dissect::Dissect),
    DotExpander(structure::DotExpander),
    Drop,
    Fail(control::Fail),
    Fingerprint(fingerprint::Fingerprint),
    Foreach(structure::Foreach),
    Grok(grok::Grok),
    Json(structure::Json),
    KeyValue(key_values::KeyValue),
    NetworkDirection(network::NetworkDirection),
    Pipeline(control::Pipeline),
    Remove(fields::Remove),
    Rename(fields::Rename),
    Script(control::Script),
    Set(fields::Set),
    Sort(structure::Sort),
    Text(texts::Text),
    UriParts(uri::UriParts),
}

/// The types of processors that are here.
pub const PROCESSORS: &[&str] = &[
    "append",
    "bytes",
    "convert",
    "csv",
    "date",
    "date_index_name",
    "dissect",
    "dot_expander",
    "drop",
    "fail",
    "fingerprint",
    "foreach",
    "grok",
    "gsub",
    "html_strip",
    "join",
    "json",
    "kv",
    "lowercase",
    "network_direction",
    "pipeline",
    "remove",
    "rename",
    "script",
    "set",
    "sort",
    "split",
    "trim",
    "uppercase",
    "uri_parts",
    "urldecode",
];

/// Processors of Elasticsearch that are not here.
const NOT_HERE: &[&str] = &[
    "attachment",
    "circle",
    "community_id",
    "enrich",
    "geoip",
    "inference",
    "redact",
    "registered_domain",
    "reroute",
    "set_security_user",
    "user_agent",
];

impl ProcessorKind {
    pub(crate) fn parse(
        kind: &str,
        options: &mut Options,
        depth: usize,
        count: &mut usize,
    ) -> options::Result<ProcessorKind> {
        Ok(match kind {
            "append" => ProcessorKind::Append(fields::Append::parse(options)?),
            "convert" => ProcessorKind::Convert(convert::Convert::parse(options)?),
            "csv" => ProcessorKind::Csv(csv::Csv::parse(options)?),
            "date" => ProcessorKind::Date(date::Date::parse(options)?),
            "date_index_name" => ProcessorKind::DateIndexName(date::DateIndexName::parse(options)?),
            "dissect" => ProcessorKind::Dissect(dissect::Dissect::parse(options)?),
            "dot_expander" => ProcessorKind::DotExpander(structure::DotExpander::parse(options)?),
            "drop" => ProcessorKind::Drop,
            "fail" => ProcessorKind::Fail(control::Fail::parse(options)?),
            "fingerprint" => ProcessorKind::Fingerprint(fingerprint::Fingerprint::parse(options)?),
            "foreach" => ProcessorKind::Foreach(structure::Foreach::parse(options, depth, count)?),
            "grok" => ProcessorKind::Grok(grok::Grok::parse(options)?),
            "json" => ProcessorKind::Json(structure::Json::parse(options)?),
            "kv" => ProcessorKind::KeyValue(key_values::KeyValue::parse(options)?),
            "network_direction" => {
                ProcessorKind::NetworkDirection(network::NetworkDirection::parse(options)?)
            }
            "pipeline" => ProcessorKind::Pipeline(control::Pipeline::parse(options)?),
            "remove" => ProcessorKind::Remove(fields::Remove::parse(options)?),
            "rename" => ProcessorKind::Rename(fields::Rename::parse(options)?),
            "script" => ProcessorKind::Script(control::Script::parse(options)?),
            "set" => ProcessorKind::Set(fields::Set::parse(options)?),
            "sort" => ProcessorKind::Sort(structure::Sort::parse(options)?),
            "bytes" | "gsub" | "html_strip" | "join" | "lowercase" | "split" | "trim" | "uppercase"
            | "urldecode" => ProcessorKind::Text(texts::Text::parse(kind, options)?),
            "uri_parts" => ProcessorKind::UriParts(uri::UriParts::parse(options)?),
            known if NOT_HERE.contains(&known) => {
                return Err(PipelineError::unsupported(format!("the processor [{known}]")));
            }
            other => {
                return Err(PipelineError::new(format!(
                    "No processor type exists with name [{other}]"
                )));
            }
        })
    }

    pub(crate) fn run(&self, context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
        match self {
            ProcessorKind::Append(append) => append.run(context)?,
            ProcessorKind::Convert(convert) => convert.run(context)?,
            ProcessorKind::Csv(csv) => csv.run(context)?,
            ProcessorKind::Date(date) => date.run(context, run.host.now_ms())?,
            ProcessorKind::DateIndexName(name) => name.run(context, run.host.now_ms())?,
            ProcessorKind::Dissect(dissect) => dissect.run(context)?,
            ProcessorKind::DotExpander(expander) => expander.run(context)?,
            ProcessorKind::Drop => return Ok(Flow::Drop),
            ProcessorKind::Fail(fail) => fail.run(context)?,
            ProcessorKind::Fingerprint(fingerprint) => fingerprint.run(context)?,
            ProcessorKind::Foreach(foreach) => return foreach.run(context, run),
            ProcessorKind::Grok(grok) => grok.run(context)?,
            ProcessorKind::Json(json) => json.run(context)?,
            ProcessorKind::KeyValue(pairs) => pairs.run(context)?,
            ProcessorKind::NetworkDirection(direction) => direction.run(context)?,
            ProcessorKind::Pipeline(pipeline) => return pipeline.run(context, run),
            ProcessorKind::Remove(remove) => remove.run(context)?,
            ProcessorKind::Rename(rename) => rename.run(context)?,
            ProcessorKind::Script(script) => script.run(context, run)?,
            ProcessorKind::Set(set) => set.run(context)?,
            ProcessorKind::Sort(sort) => sort.run(context)?,
            ProcessorKind::Text(text) => text.run(context)?,
            ProcessorKind::UriParts(parts) => parts.run(context)?,
        }
        Ok(Flow::Next)
    }
}
