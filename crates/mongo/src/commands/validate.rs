//! `validate`: checks all that is kept of a collection. It repairs nothing.

use crate::arguments::{Arguments, is_true};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::{Engine, Namespace, ValidateReport};
use value::{Binary, Document, Value, doc};

/// Options that do not go together.
const NOT_TOGETHER: [(&str, &str); 10] = [
    ("background", "full"),
    ("background", "enforceFastCount"),
    ("background", "repair"),
    ("enforceFastCount", "repair"),
    ("checkBSONConformance", "repair"),
    ("metadata", "background"),
    ("metadata", "full"),
    ("metadata", "enforceFastCount"),
    ("metadata", "checkBSONConformance"),
    ("metadata", "repair"),
];

/// What is said of a damaged collection whose repair was asked for.
const NOT_REPAIRED: &str =
    "validate repairs nothing: `larder repair` saves what can be read into a new folder";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let options = Options::parse(&arguments)?;
    arguments.finish()?;
    let engine = &call.server.engine;
    let entry = engine.collection_entry(&namespace);
    if entry.as_ref().is_some_and(|entry| entry.is_view) {
        return Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            "Cannot validate a view",
        ));
    }
    let indexes = index_specs(engine, &namespace)?;
    let report = match options.metadata_only {
        true => None,
        false => Some(engine.validate(&namespace, options.full).await?),
    };
    let mut reply = doc! {"ns": namespace.to_string()};
    if let Some(uuid) = entry.and_then(|entry| entry.uuid) {
        let bytes = uuid.to_vec();
        reply.push("uuid", Binary { subtype: 4, bytes });
    }
    describe(&mut reply, report, indexes, options.repairs);
    Ok(reply.into())
}

/// Tells what was found. Without a report nothing was read that could be wrong.
fn describe(
    reply: &mut Document,
    report: Option<ValidateReport>,
    indexes: Vec<(String, Document)>,
    repairs: bool,
) {
    if let Some(report) = &report {
        reply.push("nInvalidDocuments", 0);
        reply.push("nNonCompliantDocuments", 0);
        reply.push("nrecords", Value::count(report.records));
    }
    let report = report.unwrap_or_default();
    let valid = report.is_valid();
    let (mut keys, mut details) = (Document::new(), Document::new());
    for (name, spec) in indexes {
        // Of an index that never had an entry nothing is counted.
        let mut counted = report.index_entries.iter();
        let entries = counted
            .find(|(counted, _)| *counted == name)
            .map_or(0, |(_, entries)| *entries);
        keys.push(name.clone(), Value::count(entries));
        details.push(name, doc! {"valid": valid, "spec": spec});
    }
    reply.push("nIndexes", keys.len() as i32);
    reply.push("keysPerIndex", keys);
    reply.push("indexDetails", details);
    reply.push("valid", valid);
    reply.push("repaired", false);
    reply.push("repairMode", "None");
    let warnings = if repairs && !valid {
        vec![NOT_REPAIRED]
    } else {
        Vec::new()
    };
    reply.push("warnings", Value::from(warnings));
    reply.push("errors", Value::from(report.findings));
    for name in ["extraIndexEntries", "missingIndexEntries", "corruptRecords"] {
        reply.push(name, Value::Array(Vec::new()));
    }
}

/// What is asked. Values of every type are true or false, as in MongoDB.
struct Options {
    /// Whether documents and all else are read byte by byte.
    full: bool,
    /// Whether no document and no entry of an index is read.
    metadata_only: bool,
    /// Whether what is wrong should be mended.
    repairs: bool,
}

impl Options {
    fn parse(arguments: &Arguments<'_>) -> Result<Options> {
        let is_set = |name| is_true(arguments.any(name));
        if let Some((one, other)) = NOT_TOGETHER
            .into_iter()
            .find(|(one, other)| is_set(one) && is_set(other))
        {
            return Err(CommandError::invalid_options(format!(
                "Running the validate command with both {{ {one}: true }} and {{ {other}: true }} is not supported."
            )));
        }
        let refuses_documents =
            arguments.any("checkBSONConformance").is_some() && !is_set("checkBSONConformance");
        if refuses_documents && (is_set("full") || is_set("enforceFastCount")) {
            return Err(CommandError::invalid_options(
                "Cannot explicitly set 'checkBSONConformance: false' with full validation set.",
            ));
        }
        let repairs = is_set("repair");
        if repairs && arguments.any("fixMultikey").is_some() && !is_set("fixMultikey") {
            return Err(CommandError::invalid_options(
                "Running the validate command with both { fixMultikey: false } and { repair: true } is not supported.",
            ));
        }
        // The first is how it always runs; and the counts, the documents' BSON and whether an index is multikey are always
        // compared with what is there.
        arguments.ignore(&["background", "logDiagnostics", "scandata", "fixMultikey"]);
        Ok(Options {
            full: is_set("full") || is_set("enforceFastCount") || is_set("checkBSONConformance"),
            metadata_only: is_set("metadata"),
            repairs,
        })
    }
}

/// The indexes that `listIndexes` shows, by name, but for that of a clustered collection, which is the collection itself.
fn index_specs(engine: &Engine, namespace: &Namespace) -> Result<Vec<(String, Document)>> {
    let specs = engine.indexes(namespace)?.into_iter();
    let specs = specs.filter(|spec| !spec.contains("clustered"));
    let named = |spec: Document| match spec.get("name") {
        Some(Value::String(name)) => Some((name.clone(), spec)),
        _ => None,
    };
    Ok(specs.filter_map(named).collect())
}
