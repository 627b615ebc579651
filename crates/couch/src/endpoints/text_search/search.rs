//! `_search`: searches as CouchDB has them with Clouseau.

use super::arguments::{Arguments, bookmark_of};
use super::asked::asked;
use super::hits::{Documents, write_all};
use super::{check_partition, opened};
use crate::call::Call;
use crate::stream::Output;
use crate::{respond, stream};
use access::error::{CouchError, Result};
use clouseau::{Form, FoundHit, Groups, SearchOutcome, TextSearch, older_terms, stored};
use http::{Method, Response};
use serde_json::{Map, Value as Json, json};

/// `/{db}/_design/{name}/_search/{index}`.
pub(crate) async fn run(call: &mut Call, design: &str, name: &str) -> Result<Response> {
    let database = call.database()?;
    let arguments = Arguments::of(call, Form::Search).await?;
    let asked = asked(
        &arguments,
        &call.server.config,
        database.collection.is_partitioned(),
    )?;
    let shown_fields = arguments.texts("include_fields")?;
    let is_updated = match arguments.text("stale")? {
        None => true,
        Some("ok") => false,
        Some(_) => return Err(CouchError::query_parse("stale only available as stale=ok")),
    };
    let index = opened(call, &database, (design, Form::Search, name), is_updated).await?;
    check_partition(&index, asked.partition.as_deref())?;
    let documents = arguments.flag("include_docs")?.unwrap_or(false);
    let memory = call.server.engine.memory();
    let Some(grouping) = &asked.grouping else {
        let found = asked.find(&index, memory).await?;
        let documents = Documents::of(&database, documents).await?;
        return stream::respond_with(&call.operation, move |mut output| async move {
            let shown = |found: &FoundHit| shown(found, shown_fields.as_deref());
            let written = write_found(&found, &asked, &documents, &mut output, shown).await;
            (output, written)
        })
        .await;
    };
    let groups = asked.find_groups(&index, grouping, memory).await?;
    let documents = Documents::of(&database, documents).await?;
    let names = match arguments.text("group_field")? {
        Some(_) => Names::NEW,
        None => Names::OLD,
    };
    stream::respond_with(&call.operation, move |mut output| async move {
        let shown = |found: &FoundHit| shown(found, shown_fields.as_deref());
        let written = write_groups(&groups, &names, &documents, &mut output, shown).await;
        (output, written)
    })
    .await
}

/// `/_search_analyze`.
pub(crate) async fn analyze(call: &mut Call) -> Result<Response> {
    let said = match call.method {
        Method::GET | Method::HEAD => {
            let said = call
                .query
                .iter()
                .map(|(name, value)| (name.to_owned(), value.into()));
            said.collect::<Map<String, Json>>()
        }
        Method::POST => {
            call.check_is_json()?;
            call.json_map().await?
        }
        _ => return Err(CouchError::method_not_allowed("GET,POST")),
    };
    let analyzer = said.get("analyzer");
    let analyzer = analyzer.ok_or_else(|| CouchError::bad_request("analyzer parameter is mandatory"))?;
    let text = said.get("text");
    let text = text.ok_or_else(|| CouchError::bad_request("text parameter is mandatory"))?;
    let text = text.as_str();
    let text = text.ok_or_else(|| CouchError::bad_request("text parameter must be a string"))?;
    Ok(respond::ok(
        json!({"tokens": older_terms(analyzer, text)?}).to_string(),
    ))
}

async fn write_found(
    found: &SearchOutcome,
    asked: &TextSearch,
    documents: &Documents,
    output: &mut Output,
    shown: impl Fn(&FoundHit) -> String,
) -> Result<()> {
    output.text.push_str(&head(found, asked));
    write_all(&found.hits, documents, output, shown).await?;
    output.text.push(']');
    for (name, counted) in [("counts", &found.counts), ("ranges", &found.ranges)] {
        if let Some(counted) = counted {
            let counted = Json::Object(counted.clone());
            output.text.push_str(&format!(r#","{name}":{counted}"#));
        }
    }
    output.text.push('}');
    Ok(())
}

/// What members of grouped answers are called, which depends on how grouping was asked for.
struct Names {
    total: &'static str,
    grouped: Option<&'static str>,
    hits: &'static str,
}

impl Names {
    const NEW: Names = Names {
        total: "total_rows",
        grouped: None,
        hits: "rows",
    };
    const OLD: Names = Names {
        total: "total_hits",
        grouped: Some("total_grouped_hits"),
        hits: "hits",
    };
}

async fn write_groups(
    found: &Groups,
    names: &Names,
    documents: &Documents,
    output: &mut Output,
    shown: impl Fn(&FoundHit) -> String,
) -> Result<()> {
    output
        .text
        .push_str(&format!(r#"{{"{}":{}"#, names.total, found.total));
    if let Some(grouped) = names.grouped {
        output
            .text
            .push_str(&format!(r#","{grouped}":{}"#, found.total_grouped));
    }
    output.text.push_str(r#","groups":["#);
    for (at, group) in found.groups.iter().enumerate() {
        output.text.push_str(if at > 0 { "," } else { "" });
        let by = json!(group.by);
        let (total, hits) = (names.total, names.hits);
        output
            .text
            .push_str(&format!(r#"{{"by":{by},"{total}":{},"{hits}":["#, group.total));
        write_all(&group.hits, documents, output, &shown).await?;
        output.text.push_str("]}");
    }
    output.text.push_str("]}");
    Ok(())
}

/// What stands before the hits. Where there are none, the bookmark is the one that came.
fn head(found: &SearchOutcome, asked: &TextSearch) -> String {
    let last = found
        .hits
        .last()
        .map(|last| last.hit.sort_values())
        .or_else(|| asked.after.clone());
    let bookmark = json!(bookmark_of(&last.unwrap_or_default()));
    format!(r#"{{"total_rows":{},"bookmark":{bookmark},"rows":["#, found.total)
}

fn shown(FoundHit { hit, highlights }: &FoundHit, wanted: Option<&[String]>) -> String {
    let mut order = hit.sort_values();
    // What makes the order of hits one that can be gone on with is no part of what was asked; Clouseau shows its place instead.
    order.pop();
    order.push(hit.sequence.into());
    let mut fields = stored(&hit.document);
    if let Some(wanted) = wanted {
        fields.retain(|name, _| wanted.contains(name));
    }
    let (id, order, fields) = (json!(hit.id), Json::Array(order), Json::Object(fields));
    let highlights = highlights.as_ref().map(|found| json!(found));
    let highlights = highlights.map_or_else(String::new, |found| format!(r#","highlights":{found}"#));
    format!(r#"{{"id":{id},"order":{order},"fields":{fields}{highlights}"#)
}
