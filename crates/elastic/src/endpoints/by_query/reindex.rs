//! `/_reindex`: documents of some indices, here or of another server, are put into one of this server's.

use super::job::{Job, Work};
use super::remote::{Copying, Remote};
use super::{Given, batch_size, begin, refuse, request, run, slice_of};
use crate::endpoints::search::slices;
use crate::lookups;
use auth::Action;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::scan;
use indices::scripts::Prepared;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::Answer;
use rest::source::SourceFilter;
use search::token_of;
use serde_json::{Map, Value};

const ACTION: &str = "indices:data/write/reindex";

pub(crate) async fn reindex(call: &mut Call) -> Result<Answer> {
    let slices = call.parameters.peek("slices").map(str::to_owned);
    let mut options = begin(call)?;
    call.parameters.end()?;
    let mut body = call.required_object()?;
    lookups::fill(call, "", &mut body).await?;
    let script = body.shift_remove("script");
    let script = script.as_ref().map(Prepared::of_json).transpose()?;
    options.read(&mut body)?;
    let mut object = |name: &str| match body.shift_remove(name) {
        Some(Value::Object(object)) => Ok(object),
        None => Ok(Map::new()),
        Some(other) => Err(ElasticError::parsing(format!(
            "[reindex] {name} doesn't support values of type: {}",
            token_of(&other)
        ))),
    };
    let (mut source, dest) = (object("source")?, object("dest")?);
    end(&body)?;
    refuse(&source, &["runtime_mappings"])?;
    if source.contains_key("remote") {
        refuse(&source, &["slice"])?;
    }
    if let Some(size) = source.shift_remove("size") {
        if size == 0 {
            return Err(ElasticError::validation(&[
                "[size] cannot be [0] in a scroll context".to_owned(),
            ]));
        }
        options.pace.batch = batch_size("size", size.as_i64())?;
    }
    let mut faults = Vec::new();
    let expression = names_of(&mut source, &mut faults);
    let target = Target::read(dest, faults)?;
    match source.shift_remove("remote") {
        None => within(call, &expression, source, target, (script, options)).await,
        Some(_) if script.is_some() => Err(ElasticError::unsupported(
            "a [script] of reindexing from another server",
        )),
        Some(remote) => {
            if let Some(slices) = slices.filter(|slices| slices != "1") {
                let reason =
                    format!("reindex from remote sources doesn't support slices > 1 but was [{slices}]");
                return Err(ElasticError::validation(&[reason]));
            }
            let remote = Remote::read(call, remote, &expression, source, options.pace.batch)?;
            let description = format!("reindex from [{remote}] [{expression}] to [{}]", target.name);
            let index = target.index(call).await?;
            let creates = target.creates;
            let copying = Copying::new(remote, index, creates, options.pace, call.held.another());
            run(call, copying, ACTION, description, options.waits).await
        }
    }
}

/// The indices that documents come from.
fn names_of(source: &mut Map<String, Value>, faults: &mut Vec<String>) -> String {
    match source.shift_remove("index") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(","),
        _ => {
            faults.push("use _all if you really want to copy from all existing indexes".to_owned());
            String::new()
        }
    }
}

/// Where documents go.
struct Target {
    name: String,
    creates: bool,
}

impl Target {
    /// Reads what is said of it; `faults` are those of what is said besides.
    fn read(mut dest: Map<String, Value>, mut faults: Vec<String>) -> Result<Target> {
        if dest.get("version_type").and_then(Value::as_str) == Some("internal") {
            dest.shift_remove("version_type");
        }
        refuse(&dest, &["pipeline", "version_type"])?;
        let name = dest.shift_remove("index");
        let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
        if name.is_empty() {
            faults.push("index must be specified".to_owned());
        }
        let creates = match dest.shift_remove("op_type").as_ref().and_then(Value::as_str) {
            None | Some("index") => false,
            Some("create") => true,
            Some(other) => {
                return Err(ElasticError::illegal(format!(
                    "opType must be 'create' or 'index', found: [{other}]"
                )));
            }
        };
        match dest.shift_remove("routing").as_ref().map(Value::as_str) {
            None | Some(Some("keep")) => {}
            Some(Some(other)) if other == "discard" || other.starts_with('=') => {
                return Err(ElasticError::unsupported(format!(
                    "[routing] of [{other}] in the destination of reindexing"
                )));
            }
            Some(_) => {
                faults.push("routing must be unset, [keep], [discard] or [=<some new value>]".to_owned());
            }
        }
        end(&dest)?;
        if !faults.is_empty() {
            return Err(ElasticError::validation(&faults));
        }
        Ok(Target {
            name: name.to_owned(),
            creates,
        })
    }

    async fn index(&self, call: &mut Call) -> Result<Index> {
        let index = call.index_for_writing(&self.name, Action::Insert).await?;
        call.require(Action::Update, &index.namespace)?;
        Ok(index)
    }
}

fn end(object: &Map<String, Value>) -> Result<()> {
    match object.keys().next() {
        None => Ok(()),
        Some(other) => Err(ElasticError::parsing(format!(
            "[reindex] unknown field [{other}]"
        ))),
    }
}

/// Copies within this server.
async fn within(
    call: &mut Call,
    expression: &str,
    mut source: Map<String, Value>,
    target: Target,
    (script, options): (Option<Prepared>, Given),
) -> Result<Answer> {
    lookups::fill(call, expression, &mut source).await?;
    let query = source
        .shift_remove("query")
        .map(|query| search::parse_query(&query))
        .transpose()?;
    let filter = source
        .shift_remove("_source")
        .map(|filter| SourceFilter::parse(&filter))
        .transpose()?;
    if filter.as_ref().is_some_and(|filter| filter.hidden) {
        let reason = "_source:false is not supported in this context";
        return Err(ElasticError::validation(&[reason.to_owned()]));
    }
    let (sort, slice) = (source.shift_remove("sort"), slice_of(&mut source)?);
    end(&source)?;
    let mut found = Vec::new();
    for name in resolve(call, expression, Options::OPEN)? {
        if name == target.name {
            let reason = format!("reindex cannot write into an index its reading from [{name}]");
            return Err(ElasticError::validation(&[reason]));
        }
        found.push((call.open_index(&name, Action::Find)?, 1.0));
    }
    let index = target.index(call).await?;
    let places = scan::places(&found).await?;
    let mut request = request(query, sort)?;
    slices::narrow(&mut request, slice, &places)?;
    let job = Job {
        places,
        request,
        work: Work::Copy {
            index,
            creates: target.creates,
            filter: filter.unwrap_or_default(),
            script,
        },
        pace: options.pace,
        held: call.held.another(),
    };
    let description = format!("reindex from [{expression}] to [{}]", target.name);
    run(call, job, ACTION, description, options.waits).await
}
