//! What a processor does, a file for each kind of them.

mod control;
mod convert;
mod csv;
mod date;
mod dissect;
mod fields;
mod grok;
mod key_values;
mod sizes;
mod structure;
mod texts;

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
pub(crate) enum Kind {
    Append(fields::Append),
    Convert(convert::Convert),
    Csv(csv::Csv),
    Date(date::Date),
    DateIndexName(date::DateIndexName),
    Dissect(dissect::Dissect),
    DotExpander(structure::DotExpander),
    Drop,
    Fail(control::Fail),
    Foreach(structure::Foreach),
    Grok(grok::Grok),
    Json(structure::Json),
    KeyValue(key_values::KeyValue),
    Pipeline(control::Pipeline),
    Remove(fields::Remove),
    Rename(fields::Rename),
    Script(control::Script),
    Set(fields::Set),
    Sort(structure::Sort),
    Text(texts::Text),
}

/// Processors of Elasticsearch that are not here.
const NOT_HERE: &[&str] = &[
    "attachment",
    "circle",
    "community_id",
    "enrich",
    "fingerprint",
    "geoip",
    "inference",
    "network_direction",
    "redact",
    "registered_domain",
    "reroute",
    "set_security_user",
    "uri_parts",
    "user_agent",
];

impl Kind {
    pub(crate) fn parse(
        kind: &str,
        options: &mut Options,
        depth: usize,
        count: &mut usize,
    ) -> options::Result<Kind> {
        Ok(match kind {
            "append" => Kind::Append(fields::Append::parse(options)?),
            "convert" => Kind::Convert(convert::Convert::parse(options)?),
            "csv" => Kind::Csv(csv::Csv::parse(options)?),
            "date" => Kind::Date(date::Date::parse(options)?),
            "date_index_name" => Kind::DateIndexName(date::DateIndexName::parse(options)?),
            "dissect" => Kind::Dissect(dissect::Dissect::parse(options)?),
            "dot_expander" => Kind::DotExpander(structure::DotExpander::parse(options)?),
            "drop" => Kind::Drop,
            "fail" => Kind::Fail(control::Fail::parse(options)?),
            "foreach" => Kind::Foreach(structure::Foreach::parse(options, depth, count)?),
            "grok" => Kind::Grok(grok::Grok::parse(options)?),
            "json" => Kind::Json(structure::Json::parse(options)?),
            "kv" => Kind::KeyValue(key_values::KeyValue::parse(options)?),
            "pipeline" => Kind::Pipeline(control::Pipeline::parse(options)?),
            "remove" => Kind::Remove(fields::Remove::parse(options)?),
            "rename" => Kind::Rename(fields::Rename::parse(options)?),
            "script" => Kind::Script(control::Script::parse(options)?),
            "set" => Kind::Set(fields::Set::parse(options)?),
            "sort" => Kind::Sort(structure::Sort::parse(options)?),
            "bytes" | "gsub" | "html_strip" | "join" | "lowercase" | "split" | "trim" | "uppercase"
            | "urldecode" => Kind::Text(texts::Text::parse(kind, options)?),
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
            Kind::Append(append) => append.run(context)?,
            Kind::Convert(convert) => convert.run(context)?,
            Kind::Csv(csv) => csv.run(context)?,
            Kind::Date(date) => date.run(context, run.host.now_ms())?,
            Kind::DateIndexName(name) => name.run(context, run.host.now_ms())?,
            Kind::Dissect(dissect) => dissect.run(context)?,
            Kind::DotExpander(expander) => expander.run(context)?,
            Kind::Drop => return Ok(Flow::Drop),
            Kind::Fail(fail) => fail.run(context)?,
            Kind::Foreach(foreach) => return foreach.run(context, run),
            Kind::Grok(grok) => grok.run(context)?,
            Kind::Json(json) => json.run(context)?,
            Kind::KeyValue(pairs) => pairs.run(context)?,
            Kind::Pipeline(pipeline) => return pipeline.run(context, run),
            Kind::Remove(remove) => remove.run(context)?,
            Kind::Rename(rename) => rename.run(context)?,
            Kind::Script(script) => script.run(context, run)?,
            Kind::Set(set) => set.run(context)?,
            Kind::Sort(sort) => sort.run(context)?,
            Kind::Text(text) => text.run(context)?,
        }
        Ok(Flow::Next)
    }
}
