//! Single documents.

mod options;

use auth::Action;
use engine::Record;
use fetch::WantedField;
use http::{Method, StatusCode};
use indices::Index;
use indices::documents::{check_names, document_of, head, source_of};
use indices::error::{ElasticError, Result, kinds};
use indices::scripts::Prepared;
use indices::streams::TIME_FIELD;
use indices::write::{Change, Update, Write, Written, write_one};
use memory::{Holder, Turn};
use options::Options;
pub(crate) use options::{no_alias, own_version, read_version};
use rest::call::Call;
use rest::respond::{Answer, exists, json, ok};
use rest::routed::{find, of_request};
use rest::source::SourceFilter;
use search::Mapping;
use serde_json::{Value, json};
use value::DocumentBuf;

/// `/{index}/_doc/{id}`.
pub(crate) async fn run(call: &mut Call, index: &str, id: &str) -> Result<Answer> {
    match call.method {
        Method::PUT | Method::POST => put(call, index, id, false).await,
        Method::GET | Method::HEAD => get(call, index, id).await,
        Method::DELETE => delete(call, index, id).await,
        _ => Err(call.not_allowed("DELETE, GET, HEAD, POST, PUT")),
    }
}

/// `/{index}/_create/{id}`.
pub(crate) async fn create(call: &mut Call, index: &str, id: &str) -> Result<Answer> {
    match call.method {
        Method::PUT | Method::POST => put(call, index, id, true).await,
        _ => Err(call.not_allowed("POST, PUT")),
    }
}

/// `POST /{index}/_doc`: a document without an id gets one.
pub(crate) async fn post(call: &mut Call, index: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    // An explicit `op_type` decides whether the document must be new.
    let creates = !call.parameters.has("op_type");
    put(call, index, &new_id(), creates).await
}

/// An id for a document that comes without one.
pub(crate) fn new_id() -> String {
    value::ObjectId::generate().to_string()
}

/// `if_seq_no` with `if_primary_term`, of which neither stands alone. No sequence number is the same as -2, and no term as 0.
pub(crate) fn condition(sequence: Option<i64>, term: Option<i64>) -> Result<Option<(u64, u64)>> {
    /// What says that there is no condition.
    const UNASSIGNED: i64 = -2;
    let sequence = sequence.filter(|sequence| *sequence != UNASSIGNED);
    let term = term.filter(|term| *term != 0);
    if let Some(negative) = sequence.filter(|sequence| *sequence < 0) {
        return Err(ElasticError::illegal(format!(
            "sequence numbers must be non negative. got [{negative}]."
        )));
    }
    if let Some(negative) = term.filter(|term| *term < 0) {
        return Err(ElasticError::illegal(format!(
            "primary term must be non negative. got [{negative}]"
        )));
    }
    let reason = match (sequence, term) {
        (None, None) => return Ok(None),
        (Some(sequence), Some(term)) => return Ok(Some((sequence as u64, term as u64))),
        (Some(_), None) => "ifSeqNo is set, but primary term is [0]".to_owned(),
        (None, Some(term)) => format!("ifSeqNo is unassigned, but primary term is [{term}]"),
    };
    Err(ElasticError::validation(&[reason]))
}

async fn put(call: &mut Call, name: &str, id: &str, create: bool) -> Result<Answer> {
    let options = Options::for_put(&mut call.parameters, create)?;
    call.parameters.end()?;
    let create = create || options.creates;
    let mut document = source_of(&call.body)?;
    options.check_alias(call, name)?;
    let (mut name, mut id) = (name.to_owned(), id.to_owned());
    let mut routing = of_request(call, &name, options.routing.clone())?;
    // What pipelines make of it.
    let mut grown = call.server.engine.memory().share(Holder::Ingest);
    let wanted = call.pipelines_of(&name, options.pipeline.as_deref()).await?;
    if !wanted.is_none() {
        let mut going = ingest::Context {
            index: name,
            id: Some(id),
            routing,
            source: document.to_document(),
            ..ingest::Context::default()
        };
        let pipelines = call.pipelines().await?;
        let goes_on = call.through(&pipelines, &wanted, &mut going).await?;
        grown
            .set(going.bytes())
            .map_err(|full| ElasticError::no_memory(&full))?;
        (name, id) = (going.index, going.id.unwrap_or_else(new_id));
        routing = going.routing;
        document = DocumentBuf::from(&going.source);
        if !goes_on {
            return Ok(ok(dropped(&name, &id)));
        }
    }
    let index = call.index_for_writing(&name, Action::Insert).await?;
    if !create {
        call.require(Action::Update, &index.namespace)?;
    }
    index.check_stream_write(&name, create, document.as_raw().get(TIME_FIELD).is_some())?;
    let change = Change::Put { document, create };
    let written = write_one(
        &index,
        Write {
            id,
            is_new: false,
            routing,
            change,
            condition: options.condition,
            version: options.version,
        },
    )
    .await?;
    Ok(answer(&index, &written, &options))
}

/// What is said of a document that a pipeline has dropped.
pub(crate) fn dropped(index: &str, id: &str) -> Value {
    json!({
        "_index": index, "_type": "_doc", "_id": id, "_version": -3, "result": "noop",
        "_shards": {"total": 0, "successful": 0, "failed": 0},
    })
}

fn answer(index: &Index, written: &Written, options: &Options) -> Answer {
    let mut body = written.to_json(&index.name);
    options.put_refresh(&mut body);
    json(written.status(), Value::Object(body))
}

async fn delete(call: &mut Call, name: &str, id: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters.end()?;
    let index = match options.version {
        // The deletion of what was never there is remembered with its version.
        Some(_) => call.index_for_writing(name, Action::Remove).await?,
        None => call.open_index(name, Action::Remove)?,
    };
    index.check_stream_write(name, false, true)?;
    let write = Write {
        id: id.to_owned(),
        is_new: false,
        routing: of_request(call, name, options.routing.clone())?,
        change: Change::Delete,
        condition: options.condition,
        version: options.version,
    };
    let written = write_one(&index, write).await?;
    Ok(answer(&index, &written, &options))
}

/// `/{index}/_update/{id}`.
pub(crate) async fn update(call: &mut Call, name: &str, id: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    // Others' changes are never in the way: a write that meets one begins again.
    let retries = call.parameters.integer("retry_on_conflict")?.unwrap_or(0);
    let upserts = call.parameters.flag("doc_as_upsert")?.unwrap_or(false);
    let is_versioned = ["version", "version_type"].map(|name| call.parameters.has(name));
    let options = Options::take(&mut call.parameters)?;
    let shown = rest::source::taken(&mut call.parameters);
    call.parameters.end()?;
    let (mut update, shown_by_body) = parse_update(&call.body, upserts)?;
    call.fill_script(update.script.as_mut()).await?;
    if is_versioned.contains(&true) {
        return Err(ElasticError::validation(&[
            "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead"
                .to_owned(),
        ]));
    }
    check_update(&update, options.condition.is_some(), retries)?;
    options.check_alias(call, name)?;
    let routing = of_request(call, name, options.routing.clone())?;
    let mut grown = call.server.engine.memory().share(Holder::Ingest);
    let wanted = call.pipelines_of(name, None).await?;
    if let Some(made) = update.made().filter(|_| !wanted.is_none()) {
        let context = ingest::Context {
            index: name.to_owned(),
            id: Some(id.to_owned()),
            routing: routing.clone(),
            ..ingest::Context::default()
        };
        let pipelines = call.pipelines().await?;
        let Some(bytes) = call.made_through(&pipelines, &wanted, context, made).await? else {
            return Ok(ok(dropped(name, id)));
        };
        grown.set(bytes).map_err(|full| ElasticError::no_memory(&full))?;
    }
    // One that has no document to change makes its index all the same.
    let index = call.index_for_writing(name, Action::Update).await?;
    index.check_stream_write(name, false, true)?;
    let write = Write {
        id: id.to_owned(),
        is_new: false,
        routing,
        change: Change::Update(update),
        condition: options.condition,
        version: options.version,
    };
    let written = write_one(&index, write).await?;
    let mut body = written.to_json(&index.name);
    // What is not written is not refreshed.
    if written.result != "noop" {
        options.put_refresh(&mut body);
    }
    if let (Some(filter), Some(document)) = (
        shown.or(shown_by_body).filter(|filter| !filter.hidden),
        &written.document,
    ) {
        body.insert("get".to_owned(), json!({"found": true, "_source": filter.shown(document), "_seq_no": written.sequence, "_primary_term": 1}));
    }
    Ok(json(written.status(), Value::Object(body)))
}

/// Refuses what does not go with a condition on the document.
pub(crate) fn check_update(update: &Update, is_conditional: bool, retries: i64) -> Result<()> {
    let upserts = update.doc_as_upsert || update.upsert.is_some();
    let mut faults = Vec::new();
    if is_conditional && retries > 0 {
        faults.push("compare and write operations can not be retried".to_owned());
    }
    if is_conditional && upserts {
        faults.push("compare and write operations can not be used with upsert".to_owned());
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::validation(&faults)),
    }
}

/// Reads the body of an update, and what of the document it wants to see. `doc_as_upsert` is meant where the body does not say it.
pub(crate) fn parse_update(bytes: &[u8], doc_as_upsert: bool) -> Result<(Update, Option<SourceFilter>)> {
    let mut update = Update {
        detect_noop: true,
        doc_as_upsert,
        ..Update::default()
    };
    let mut shown = None;
    // One that says nothing lacks what it is to do.
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) {
        b"{}".as_slice()
    } else {
        bytes
    };
    for (name, value) in document_of(bytes)?.to_document().iter() {
        match name {
            "doc" => update.part = Some(object_of(name, value)?),
            "upsert" => update.upsert = Some(object_of(name, value)?),
            "doc_as_upsert" => update.doc_as_upsert = flag_of(name, value)?,
            "detect_noop" => update.detect_noop = flag_of(name, value)?,
            "_source" => {
                let mut text = String::new();
                json::write(value.as_ref(), &mut text);
                shown = Some(SourceFilter::parse(&serde_json::from_str(&text)?)?);
            }
            "script" => update.script = Some(Prepared::parse(value)?),
            "scripted_upsert" => update.scripted_upsert = flag_of(name, value)?,
            other => {
                return Err(update_error(format!(
                    "[UpdateRequest] unknown field [{other}]{}",
                    search::meant(other, &UPDATE)
                )));
            }
        }
    }
    match amiss(&update) {
        Some(reason) => Err(ElasticError::validation(&[reason.to_owned()])),
        None => Ok((update, shown)),
    }
}

fn object_of(name: &str, value: &value::Value) -> Result<value::Document> {
    match value {
        value::Value::Document(document) => {
            check_names(document.iter().map(|(name, _)| name))?;
            Ok(document.clone())
        }
        other => Err(wrong_type(name, other)),
    }
}

fn flag_of(name: &str, value: &value::Value) -> Result<bool> {
    match value {
        value::Value::Bool(flag) => Ok(*flag),
        value::Value::String(text) if text == "true" => Ok(true),
        value::Value::String(text) if text == "false" => Ok(false),
        value::Value::String(_) => Err(update_error(format!(
            "[UpdateRequest] failed to parse field [{name}]"
        ))),
        other => Err(wrong_type(name, other)),
    }
}

fn wrong_type(name: &str, value: &value::Value) -> ElasticError {
    update_error(format!(
        "[UpdateRequest] {name} doesn't support values of type: {}",
        token_of(value)
    ))
}

/// Why an update says too little, or too much.
fn amiss(update: &Update) -> Option<&'static str> {
    match (&update.part, &update.script) {
        (None, None) => Some("script or doc is missing"),
        (Some(_), Some(_)) => Some("can't provide both script and doc"),
        (None, Some(_)) if update.doc_as_upsert => Some("doc must be specified if doc_as_upsert is enabled"),
        _ => None,
    }
}

fn update_error(reason: String) -> ElasticError {
    ElasticError::new(StatusCode::BAD_REQUEST, "x_content_parse_exception", reason)
}

/// The members of an update.
const UPDATE: [&str; 9] = [
    "_source",
    "detect_noop",
    "doc",
    "doc_as_upsert",
    "if_primary_term",
    "if_seq_no",
    "script",
    "scripted_upsert",
    "upsert",
];

/// What a value is called where a parser meets it.
fn token_of(value: &value::Value) -> &'static str {
    match value {
        value::Value::Document(_) => "START_OBJECT",
        value::Value::Array(_) => "START_ARRAY",
        value::Value::String(_) => "VALUE_STRING",
        value::Value::Bool(_) => "VALUE_BOOLEAN",
        value::Value::Null => "VALUE_NULL",
        _ => "VALUE_NUMBER",
    }
}

/// The parameters of reads: what of the document is wanted, and its routing.
fn read_options(call: &mut Call, name: &str) -> Result<(SourceFilter, Option<String>)> {
    let routing = call
        .parameters
        .take("routing")
        .filter(|routing| !routing.is_empty());
    let routing = of_request(call, name, routing)?;
    let parameters = &mut call.parameters;
    parameters.flag("refresh")?;
    parameters.without_effect(&["realtime", "preference"]);
    Ok((rest::source::taken(parameters).unwrap_or_default(), routing))
}

/// The fields that are wanted beside a document, which is shown only if it is one of them.
pub(crate) fn stored_fields(mut names: Vec<String>, filter: &mut SourceFilter) -> Result<Vec<WantedField>> {
    filter.hidden |= filter.is_all() && !names.iter().any(|name| name == "_source");
    names.retain(|name| !["_source", "_routing", "_none_"].contains(&name.as_str()));
    Ok(WantedField::parse(&json!(names))?)
}

async fn get(call: &mut Call, name: &str, id: &str) -> Result<Answer> {
    let stored = call.parameters.list("stored_fields");
    let (mut filter, routing) = read_options(call, name)?;
    let stored = stored.map_or(Ok(Vec::new()), |names| stored_fields(names, &mut filter))?;
    let (kind, number) = (
        call.parameters.take("version_type"),
        call.parameters.long("version")?,
    );
    let version = read_version(kind.as_deref(), number)?;
    call.parameters.end()?;
    let index = call.open_index(name, Action::Find)?;
    let _turn = turn_to_answer(&index).await?;
    let snapshot = index.collection.snapshot().await?;
    let record = find(&index, &snapshot, id, routing.as_deref()).await?;
    count(&index, record.is_some());
    if call.method == Method::HEAD {
        return Ok(exists(record.is_some()));
    }
    let Some(record) = record else {
        let body = json!({"_index": index.name, "_type": "_doc", "_id": id, "found": false});
        return Ok(json(StatusCode::NOT_FOUND, body));
    };
    check_version(id, &record, version)?;
    let mapping = index.known_mapping();
    let filter = filter.of_mapping(&mapping);
    let mut answer = found(&index.name, id, &record, &filter);
    put_stored(&mut answer, &mapping, &record, &stored)?;
    Ok(ok(answer))
}

/// Waits until answers of others leave room for the one whose document is read next.
pub(crate) async fn turn_to_answer(index: &Index) -> Result<Turn> {
    let turn = index.collection.turn_to_answer().await;
    turn.map_err(|full| ElasticError::no_memory(&full))
}

/// Refuses a document of another version than the one that is asked for.
pub(crate) fn check_version(id: &str, record: &Record, wanted: Option<i64>) -> Result<()> {
    let present = record.generation();
    match wanted {
        Some(version) if u64::try_from(version) != Ok(present) => {
            let reason = format!(
                "[{id}]: version conflict, current version [{present}] is different than the one provided [{version}]"
            );
            Err(ElasticError::new(StatusCode::CONFLICT, kinds::CONFLICT, reason))
        }
        _ => Ok(()),
    }
}

fn count(index: &Index, was_found: bool) {
    let counters = index.counters();
    let counter = if was_found {
        &counters.found
    } else {
        &counters.missing
    };
    counter.add(1);
}

/// A document that was found, as it is shown.
pub(crate) fn found(index: &str, id: &str, record: &Record, filter: &SourceFilter) -> Value {
    let mut body = head(index, id, record);
    body.insert("found".to_owned(), json!(true));
    if !filter.hidden {
        body.insert("_source".to_owned(), filter.shown(&record.document));
    }
    Value::Object(body)
}

/// Adds the fields that are wanted beside a document.
pub(crate) fn put_stored(
    answer: &mut Value,
    mapping: &Mapping,
    record: &Record,
    wanted: &[WantedField],
) -> Result<()> {
    let fields = fetch::stored_of(mapping, &record.document, wanted)?;
    if !fields.is_empty() {
        answer["fields"] = Value::Object(fields);
    }
    Ok(())
}

/// `/{index}/_source/{id}`.
pub(crate) async fn source(call: &mut Call, name: &str, id: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::HEAD])?;
    let (filter, routing) = read_options(call, name)?;
    call.parameters.end_without(&["version", "version_type"])?;
    if filter.hidden {
        return Err(ElasticError::validation(&[
            "fetching source can not be disabled".to_owned()
        ]));
    }
    let index = call.open_index(name, Action::Find)?;
    let filter = filter.of_mapping(&index.known_mapping());
    let _turn = turn_to_answer(&index).await?;
    let snapshot = index.collection.snapshot().await?;
    let record = find(&index, &snapshot, id, routing.as_deref()).await?;
    count(&index, record.is_some());
    let record = record.filter(|_| !filter.hidden);
    match record {
        _ if call.method == Method::HEAD => Ok(exists(record.is_some())),
        Some(record) => Ok(ok(filter.shown(&record.document))),
        None => {
            let reason = format!("Document not found [{name}]/[_doc]/[{id}]");
            Err(ElasticError::new(
                StatusCode::NOT_FOUND,
                "resource_not_found_exception",
                reason,
            ))
        }
    }
}
