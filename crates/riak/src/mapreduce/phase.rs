//! The phases of a job, as clients write them.

use super::erlang::{MapFunction, ReduceFunction};
use crate::error::{Result, RiakError};
use crate::names::Bucket;
use serde_json::{Map, Value};

/// The phases that a job has at most.
const PHASES_MAX: usize = 100;

/// One phase.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) step: Step,
    /// What its function gets as its last argument.
    pub(crate) argument: Option<Value>,
    /// Whether what it gives is part of the answer.
    pub(crate) keeps: bool,
}

/// What a phase does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A function of JavaScript for each object.
    Map(Script),
    /// A function of JavaScript for all that came before.
    Reduce(Script),
    /// One of Riak's own functions for each object.
    NativeMap(MapFunction),
    /// One of Riak's own functions for all that came before.
    NativeReduce(ReduceFunction),
    /// The links of each object to this bucket, and of this tag; all by default.
    Link {
        bucket: Option<Vec<u8>>,
        tag: Option<Vec<u8>>,
    },
    /// Source in Erlang, which is not run: the job fails as where Riak does not allow it.
    ErlangSource,
}

/// Where a function of JavaScript is found.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    Source(String),
    /// One of those that are there, such as `Riak.mapValues`.
    Named(String),
    /// The value of an object.
    Stored(Bucket, Vec<u8>),
}

pub(super) fn read_phases(query: &Value) -> Result<Vec<Phase>> {
    let not_a_list = || {
        RiakError::bad(format!(
            "The value of the \"query\" field was not a list:\n   {query}\n"
        ))
    };
    let phases = query.as_array().ok_or_else(not_a_list)?;
    if phases.len() > PHASES_MAX {
        return Err(RiakError::bad(format!(
            "The query has {} phases; {PHASES_MAX} are the most",
            phases.len()
        )));
    }
    let last = phases.len().saturating_sub(1);
    let read = |(at, phase)| read_phase(phase, at == last);
    phases.iter().enumerate().map(read).collect()
}

fn read_phase(phase: &Value, is_last: bool) -> Result<Phase> {
    let unrecognized = || {
        RiakError::bad(format!(
            "Unrecognized format of query phase:\n   {phase}\n\nValid formats are:\n   {{\"map\":{{...spec...}}}}\n   {{\"reduce\":{{...spec...}}}}\n   {{\"link\":{{...spec...}}}}\n"
        ))
    };
    let members = phase.as_object().filter(|members| members.len() == 1);
    let (kind, spec) = members
        .and_then(|members| members.iter().next())
        .ok_or_else(unrecognized)?;
    let spec = spec.as_object().ok_or_else(unrecognized)?;
    let keeps = match spec.get("keep") {
        None => is_last,
        Some(Value::Bool(keeps)) => *keeps,
        Some(_) => {
            return Err(RiakError::bad(format!(
                "The \"keep\" field was not a boolean value in:\n   {phase}\n"
            )));
        }
    };
    let step = match kind.as_str() {
        "map" => match read_function(spec)? {
            Function::Script(script) => Step::Map(script),
            Function::ErlangSource => Step::ErlangSource,
            Function::Erlang(module, function) => Step::NativeMap(
                MapFunction::find(&module, &function).ok_or_else(|| unknown(&module, &function))?,
            ),
        },
        "reduce" => match read_function(spec)? {
            Function::Script(script) => Step::Reduce(script),
            Function::ErlangSource => Step::ErlangSource,
            Function::Erlang(module, function) => Step::NativeReduce(
                ReduceFunction::find(&module, &function).ok_or_else(|| unknown(&module, &function))?,
            ),
        },
        "link" => read_link(spec)?,
        _ => return Err(unrecognized()),
    };
    Ok(Phase {
        step,
        argument: spec.get("arg").cloned(),
        keeps,
    })
}

fn unknown(module: &str, function: &str) -> RiakError {
    RiakError::bad(format!(
        "The function {module}:{function} is not known in such a phase; use one of riak_kv_mapreduce\n"
    ))
}

enum Function {
    Script(Script),
    Erlang(String, String),
    ErlangSource,
}

fn read_function(spec: &Map<String, Value>) -> Result<Function> {
    let shown = || Value::Object(spec.clone());
    let text = |name: &str| spec.get(name).and_then(Value::as_str).map(str::to_owned);
    match spec.get("language").map(|language| (language, language.as_str())) {
        Some((_, Some("javascript"))) => {
            match (text("source"), text("name"), spec.get("bucket"), text("key")) {
                (Some(source), ..) => Ok(Function::Script(Script::Source(source))),
                (None, Some(name), ..) => Ok(Function::Script(Script::Named(name))),
                (None, None, Some(bucket), Some(key)) => Ok(Function::Script(Script::Stored(
                    read_bucket(bucket)?,
                    key.into_bytes(),
                ))),
                (None, None, Some(_), None) => Err(RiakError::bad(format!(
                    "Javascript phase was missing a \"key\" field to match the \"bucket\" field, pointing to the function to evaluate in:   {}\n",
                    shown()
                ))),
                (None, None, None, _) => Err(RiakError::bad(format!(
                    "No function specified in Javascript phase:\n   {}\n\nFunctions may be specified by:\n   - a \"source\" field, with source for a Javascript function\n   - a \"name\" field, naming a predefined Javascript function\n   - \"bucket\" and \"key\" fields, specifying a Riak object containing Javascript function source\n",
                    shown()
                ))),
            }
        }
        Some((_, Some("erlang"))) => match (text("module"), text("function")) {
            (Some(module), Some(function)) => Ok(Function::Erlang(module, function)),
            _ if spec.contains_key("source") || (spec.contains_key("bucket") && spec.contains_key("key")) => {
                Ok(Function::ErlangSource)
            }
            _ => Err(RiakError::bad(format!(
                "No function specified in Erlang phase:\n   {}\n\nFunctions may be specified by \"module\" and \"function\" fields, specifying an Erlang module and function\n",
                shown()
            ))),
        },
        Some((language, _)) => Err(RiakError::bad(format!(
            "Unknown language {language} in phase:\n   {}\n",
            shown()
        ))),
        None => Err(RiakError::bad(format!(
            "No \"language\" was specified for the phase:\n   {}\n",
            shown()
        ))),
    }
}

fn read_link(spec: &Map<String, Value>) -> Result<Step> {
    let wanted = |name: &str| match spec.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok((text != "_").then(|| text.as_bytes().to_vec())),
        Some(_) => Err(RiakError::bad(format!(
            "Invalid link step specification:\n   {}\n\n \"bucket\" and \"tag\" fields must have string values.\n",
            Value::Object(spec.clone())
        ))),
    };
    Ok(Step::Link {
        bucket: wanted("bucket")?,
        tag: wanted("tag")?,
    })
}

/// A bucket by its name, or by `[type, name]`.
pub(super) fn read_bucket(bucket: &Value) -> Result<Bucket> {
    let names = match bucket {
        Value::String(name) => Some((None, name)),
        Value::Array(names) => match names.as_slice() {
            [Value::String(kind), Value::String(name)] => Some((Some(kind.as_bytes()), name)),
            _ => None,
        },
        _ => None,
    };
    let (kind, name) = names.ok_or_else(|| {
        RiakError::bad(format!(
            "Invalid bucket {bucket}: a name or a list of a bucket type and a name is wanted\n"
        ))
    })?;
    Bucket::new(kind, name.as_bytes())
}
