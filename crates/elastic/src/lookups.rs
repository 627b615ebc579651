//! Parts of searches that are elsewhere: values of `terms`, what something is to be like, scripts that are kept. They are read
//! before a search is.

use crate::index_names::IndexNames;
use auth::Action;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use indices::error::{ElasticError, Result};
use indices::scan;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::routed::{find, of_request};
use search::{Like, MoreLike};
use serde_json::{Map, Value, json};
use value::DocumentBuf;

/// The members of a search that may have look-ups or scripts.
const PARTS: [&str; 9] = [
    "query",
    "post_filter",
    "knn",
    "aggs",
    "aggregations",
    "sort",
    "script_fields",
    "rescore",
    "script",
];
/// How many `wrapper` queries within each other are decoded at most.
const WRAPPERS_MAX: usize = 8;
/// Look-ups of one search at most.
const LOOKUPS_MAX: usize = 100;

/// Puts what documents say into the queries of a search.
pub(crate) async fn fill(call: &Call, expression: &str, body: &mut Map<String, Value>) -> Result<()> {
    let mut places = Vec::new();
    let mut names = IndexNames::of(call);
    for name in PARTS {
        if let Some(value) = body.get_mut(name) {
            unwrap(value, 0);
            names.expand(value)?;
        }
        if let Some(value) = body.get(name) {
            wanted_of(name, value, &format!("/{name}"), &mut places);
        }
    }
    if places.len() > LOOKUPS_MAX {
        return Err(ElasticError::illegal(format!(
            "a search looks into other documents at most {LOOKUPS_MAX} times"
        )));
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut whole = Value::Object(std::mem::take(body));
    for place in places {
        let Some(clause) = whole.pointer_mut(&place) else {
            continue;
        };
        let found = match (clause.get("more_like_this"), clause.get("terms")) {
            (Some(like), _) => more_like(call, expression, like).await?,
            (None, Some(given)) => terms(call, given.clone()).await?,
            (None, None) => script(call, clause).await?,
        };
        *clause = found;
    }
    if let Value::Object(filled) = whole {
        *body = filled;
    }
    Ok(())
}

/// Replaces `wrapper` queries that have look-ups by the queries within them.
fn unwrap(value: &mut Value, depth: usize) {
    if let Some(mut inner) = wrapped(value)
        && depth < WRAPPERS_MAX
    {
        unwrap(&mut inner, depth + 1);
        let mut places = Vec::new();
        wanted(&inner, "", &mut places);
        if !places.is_empty() {
            *value = inner;
        }
        return;
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|inner| unwrap(inner, depth)),
        Value::Array(list) => list.iter_mut().for_each(|inner| unwrap(inner, depth)),
        _ => {}
    }
}

/// The query that a `wrapper` holds; `None` if this is none, or what it holds cannot be parsed.
fn wrapped(value: &Value) -> Option<Value> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let wrapper = object.get("wrapper")?.as_object()?;
    let text = wrapper.get("query").filter(|_| wrapper.len() == 1)?.as_str()?;
    let decoded = BASE64_STANDARD.decode(text).ok()?;
    let query: Value = serde_json::from_slice(&decoded).ok()?;
    query.is_object().then_some(query)
}

/// The same of a member of this name, which may be a script that is kept.
fn wanted_of(name: &str, value: &Value, place: &str, out: &mut Vec<String>) {
    let is_kept = value.get("id").is_some_and(Value::is_string) && value.get("source").is_none();
    match name == "script" && is_kept {
        true => out.push(place.to_owned()),
        false => wanted(value, place, out),
    }
}

/// A script with its source in the place of its id.
async fn script(call: &Call, given: &Value) -> Result<Value> {
    let mut script = given.as_object().cloned().unwrap_or_default();
    if let Some(Value::String(id)) = script.shift_remove("id") {
        let source = call.kept_script(&id, "painless").await?;
        script.insert("source".to_owned(), source.into());
    }
    Ok(Value::Object(script))
}

/// The places of clauses that look into documents.
fn wanted(value: &Value, place: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let is_clause = object.len() == 1;
            if is_clause
                && object
                    .get("more_like_this")
                    .is_some_and(|like| like.get("like").is_some())
            {
                out.push(place.to_owned());
                return;
            }
            if is_clause && object.get("terms").and_then(lookup).is_some() {
                out.push(place.to_owned());
                return;
            }
            for (name, inner) in object {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                wanted_of(name, inner, &format!("{place}/{escaped}"), out);
            }
        }
        Value::Array(list) => {
            for (at, inner) in list.iter().enumerate() {
                wanted(inner, &format!("{place}/{at}"), out);
            }
        }
        _ => {}
    }
}

/// The field and the look-up of a `terms` query.
fn lookup(terms: &Value) -> Option<(&String, &Map<String, Value>)> {
    terms.as_object()?.iter().find_map(|(name, value)| {
        let object = value.as_object()?;
        let is_lookup = object.contains_key("id") && object.contains_key("path");
        is_lookup.then_some((name, object))
    })
}

async fn terms(call: &Call, terms: Value) -> Result<Value> {
    let Some((field, object)) = lookup(&terms) else {
        return Ok(json!({"terms": terms}));
    };
    let text = |name: &str| {
        object
            .get(name)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    if let Some(other) = object
        .keys()
        .find(|name| !["index", "id", "path", "routing", "type"].contains(&name.as_str()))
    {
        return Err(ElasticError::parsing(format!(
            "[terms_lookup] unknown field [{other}]"
        )));
    }
    let missing =
        || ElasticError::parsing("[terms] query lookup element requires specifying the index, id and path");
    let (index, id, path) = (
        text("index").ok_or_else(missing)?,
        text("id").ok_or_else(missing)?,
        text("path").ok_or_else(missing)?,
    );
    let mut values = Vec::new();
    if let Some(document) = document(call, &index, &id, text("routing")).await? {
        let whole = Value::Object(::json::exact_object(&document));
        collect(&whole, &path, &mut values);
        values.retain(|value| !value.is_null() && !value.is_object());
    }
    let mut filled = terms.as_object().cloned().unwrap_or_default();
    filled.insert(field.clone(), Value::Array(values));
    Ok(json!({"terms": filled}))
}

/// The values at a path.
fn collect(value: &Value, path: &str, out: &mut Vec<Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| collect(value, path, out)),
        value if path.is_empty() => out.push(value.clone()),
        Value::Object(object) => {
            if let Some(value) = object.get(path) {
                collect(value, "", out);
            }
            for (at, _) in path.match_indices('.') {
                if let Some(value) = object.get(&path[..at]) {
                    collect(value, &path[at + 1..], out);
                }
            }
        }
        _ => {}
    }
}

async fn document(call: &Call, name: &str, id: &str, routing: Option<String>) -> Result<Option<DocumentBuf>> {
    let index = call.open_index(name, Action::Find)?;
    let routing = of_request(call, name, routing)?;
    let snapshot = index.collection.snapshot().await?;
    let found = find(&index, &snapshot, id, routing.as_deref()).await?;
    Ok(found.map(|record| record.document))
}

async fn more_like(call: &Call, expression: &str, body: &Value) -> Result<Value> {
    let mut query = MoreLike::parse(body)?;
    let names = resolve(call, expression, Options::OPEN)?;
    let mut places = Vec::new();
    for name in &names {
        let index = call.open_index(name, Action::Find)?;
        let mapping = index.mapping().await?;
        places.push((index, mapping));
    }
    let (like, unlike) = query.wanted();
    let all: Vec<(Like, bool)> = like
        .iter()
        .map(|one| (one.clone(), true))
        .chain(unlike.iter().map(|one| (one.clone(), false)))
        .collect();
    for (one, is_liked) in all {
        match one {
            Like::Text(text) => {
                for (_, mapping) in &places {
                    query.learn_text(mapping, &text, is_liked)?;
                }
            }
            Like::There(Some(name), id, routing) => {
                let mapping = call.open_index(&name, Action::Find)?.mapping().await?;
                if let Some(document) = document(call, &name, &id, routing).await? {
                    query.learn_document(&mapping, &document, is_liked);
                }
            }
            Like::There(None, id, routing) => {
                for (index, mapping) in &places {
                    let routing = routing.clone();
                    if let Some(document) = document(call, &index.name, &id, routing).await? {
                        query.learn_document(mapping, &document, is_liked);
                    }
                }
            }
            Like::Given(value) => {
                let document = indices::documents::document_of(value.to_string().as_bytes())?;
                for (_, mapping) in &places {
                    query.learn_document(mapping, &document, is_liked);
                }
            }
        }
    }
    for (index, mapping) in &places {
        let snapshot = index.collection.snapshot().await?;
        scan::each(&snapshot, |record| {
            query.count(mapping, record.document.as_ref());
            Ok(())
        })
        .await?;
    }
    Ok(query.query())
}
