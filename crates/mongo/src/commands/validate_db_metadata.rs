//! `validateDBMetadata`: what of views and indexes a version of the stable API does not have.

use super::{aggregate_rules, stable_api};
use crate::arguments::Fields;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use code::Code;
use engine::{CollectionEntry, Engine, Namespace};
use value::{Document, DocumentBuf, Value, doc};

/// The bytes that errors may take in an answer.
const ERRORS_BYTES_MAX: usize = 16_000_000;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    arguments.any("validateDBMetadata");
    let database = arguments.string("db")?;
    let collection = arguments.string("collection")?;
    let parameters = arguments
        .document("apiParameters")?
        .ok_or_else(|| arguments.missing("apiParameters"))?;
    let parameters = Fields::new("validateDBMetadata.apiParameters", parameters);
    let version = parameters.required_string("version")?;
    let is_strict = parameters.bool("strict")?.unwrap_or(false);
    parameters.bool("deprecationErrors")?;
    parameters.finish()?;
    arguments.finish()?;
    call.require(Action::Validate, Resource::Database(database.unwrap_or_default()))?;
    let engine = &call.server.engine;
    let mut findings = Findings::default();
    // Only what is strict refuses anything; nothing is deprecated.
    if is_strict && version == "1" {
        let databases = match database {
            Some(database) => vec![database.to_owned()],
            None => engine.databases(),
        };
        for database in databases {
            look(engine, &database, collection, &mut findings)?;
        }
    }
    let mut reply = doc! {"apiVersionErrors": Value::from(findings.errors)};
    if findings.are_more {
        reply.push("hasMoreErrors", true);
    }
    Ok(reply.into())
}

/// What was found.
#[derive(Default)]
struct Findings {
    errors: Vec<Document>,
    bytes: usize,
    /// Whether there are others, for which there is no room.
    are_more: bool,
}

impl Findings {
    fn add(&mut self, namespace: &Namespace, message: String) {
        let error = doc! {
            "ns": namespace.to_string(),
            "code": Code::API_STRICT_ERROR.number(),
            "codeName": Code::API_STRICT_ERROR.name().into_owned(),
            "errmsg": message,
        };
        self.bytes += DocumentBuf::from(&error).bytes().len();
        self.are_more |= self.bytes > ERRORS_BYTES_MAX;
        if !self.are_more {
            self.errors.push(error);
        }
    }
}

/// Looks at the collections of a database, or at the one of a name: first at views.
fn look(engine: &Engine, database: &str, wanted: Option<&str>, findings: &mut Findings) -> Result<()> {
    let mut entries = engine.collections(database);
    entries.retain(|entry| wanted.is_none_or(|wanted| entry.name == wanted));
    entries.sort_by_key(|entry| !entry.is_view);
    for entry in entries {
        let namespace = Namespace::new(database, entry.name.as_str());
        match entry.is_view {
            true => look_at_view(&namespace, &entry, findings),
            false => look_at_indexes(engine, &namespace, findings)?,
        }
        if findings.are_more {
            break;
        }
    }
    Ok(())
}

fn look_at_view(namespace: &Namespace, view: &CollectionEntry, findings: &mut Findings) {
    let Some(Value::Array(stages)) = view.options.get("pipeline") else {
        return;
    };
    if let Some(stage) = aggregate_rules::unstable_stage(stages) {
        findings.add(namespace, aggregate_rules::not_stable(stage));
    }
}

fn look_at_indexes(engine: &Engine, namespace: &Namespace, findings: &mut Findings) -> Result<()> {
    let indexes = match engine.indexes(namespace) {
        Ok(indexes) => indexes,
        // It was dropped a moment ago.
        Err(error) if error.code == Code::NAMESPACE_NOT_FOUND => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for index in indexes.iter().filter(|index| !stable_api::has_index(index)) {
        let name = index.get("name").and_then(Value::as_str).unwrap_or_default();
        findings.add(
            namespace,
            format!("The index with name {name} is not allowed in API version 1."),
        );
    }
    Ok(())
}
