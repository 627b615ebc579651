//! `_find` and `_explain`.

use crate::call::Call;
use crate::mango::rows::Rows;
use crate::mango::text_rows::TextRows;
use crate::mango::{design, wrong};
use crate::stream::Output;
use crate::{respond, stream, text_index};
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use clouseau::{Form, TextIndex};
use http::{Method, Response};
use json::{write, write_string};
use mango::choice::{Bounds, Choice};
use mango::explain;
use mango::index::Index;
use mango::options::FindOptions;
use mango::text::Service;
use mango::warning::{Statistics, warnings};
use memory::Budget;
use std::fmt::Write as _;
use std::time::Instant;
use value::Value;

/// `POST /{db}/_find`; the parameter `partition` asks for one partition.
pub(crate) async fn find(call: &mut Call) -> Result<Response> {
    let (database, options) = asked(call).await?;
    let choice = chosen(&database, &options, true).await?;
    let text = match choice.index() {
        Some(index) if index.text.is_some() => Some(text_index(call, &database, index).await?),
        _ => None,
    };
    let memory = call.server.engine.memory().clone();
    stream::respond_with(&call.operation, |mut output| async move {
        let asked = (&database, &choice, &options);
        let written = match text {
            Some(text) => answer_text(asked, text, memory, &mut output).await,
            None => answer(asked, &mut output).await,
        };
        (output, written)
    })
    .await
}

/// `POST /{db}/_explain`.
pub(crate) async fn explain(call: &mut Call) -> Result<Response> {
    let (database, options) = asked(call).await?;
    let choice = chosen(&database, &options, false).await?;
    let partitioned = database.collection.is_partitioned();
    let explained = explain::explain(&database.name, partitioned, &choice, &options)?;
    let mut text = String::new();
    write(Value::from(explained).as_ref(), &mut text);
    Ok(respond::ok(text))
}

async fn asked(call: &mut Call) -> Result<(Database, FindOptions)> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let body = call.json_object().await?;
    let mut options = FindOptions::parse(&body, call.query.get("partition"))?;
    let setting = |name: &str| call.server.config.number("mango", name);
    if let (None, Some(limit)) = (body.get("limit"), setting("default_limit")) {
        options.limit = limit;
    }
    if let Some(examined_max) = setting("index_scan_warning_threshold") {
        options.examined_max = examined_max;
    }
    options
        .partition
        .as_deref()
        .map(ids::check_partition)
        .transpose()?;
    if options.partition.is_some() && !database.collection.is_partitioned() {
        return Err(wrong("bad_request", "database is not partitioned"));
    }
    Ok((database, options))
}

async fn chosen(database: &Database, options: &FindOptions, must: bool) -> Result<Choice> {
    let snapshot = database.snapshot().await?;
    let indexes = design::indexes(database, &snapshot).await?;
    let choice = Choice::of(indexes, options, database.collection.is_partitioned(), must)?;
    Ok(choice)
}

/// The full-text index that stands for a text index, brought up to date.
async fn text_index(call: &Call, database: &Database, index: &Index) -> Result<TextIndex> {
    let form = match index.text.as_ref().map(|text| text.service) {
        Some(Service::Nouveau) => Form::Nouveau,
        _ => Form::Search,
    };
    let design = index.ddoc.as_deref().unwrap_or_default();
    let design = design.strip_prefix(ids::DESIGN).unwrap_or(design);
    text_index::open(&call.server.designs, database, (design, form, &index.name), true).await
}

/// Whom is asked, which index answers, and what.
type Asked<'a> = (&'a Database, &'a Choice, &'a FindOptions);

/// Appends what a text index finds.
async fn answer_text(
    (database, choice, options): Asked<'_>,
    text: TextIndex,
    memory: Budget,
    output: &mut Output,
) -> Result<()> {
    let started = Instant::now();
    let Some(index) = choice.index() else {
        return Ok(());
    };
    let mut rows = TextRows::open(database, (index, text), options, memory).await?;
    output.text.push_str(r#"{"docs":["#);
    rows.write(output).await?;
    let warnings = warnings(index, options, &rows.statistics, false);
    write_end(
        &rows.bookmark(),
        (&rows.statistics, started),
        options,
        warnings,
        &mut output.text,
    );
    Ok(())
}

/// Appends what is found.
async fn answer((database, choice, options): Asked<'_>, output: &mut Output) -> Result<()> {
    let started = Instant::now();
    // Whoever must find has an index.
    let (Some(index), bounds @ Bounds::Ranges(_)) = (choice.index(), choice.bounds()) else {
        output.text.push_str("{\"docs\":[\r\n]}");
        return Ok(());
    };
    let mut rows = Rows::open(database, index, bounds, options).await?;
    output.text.push_str(r#"{"docs":["#);
    rows.write(output).await?;
    let warnings = warnings(index, options, &rows.statistics, rows.is_full_scan());
    write_end(
        &rows.bookmark(),
        (&rows.statistics, started),
        options,
        warnings,
        &mut output.text,
    );
    Ok(())
}

/// Appends what stands after the documents.
fn write_end(
    bookmark: &str,
    (statistics, started): (&Statistics, Instant),
    options: &FindOptions,
    warnings: Option<String>,
    text: &mut String,
) {
    text.push_str("\r\n],\r\n\"bookmark\": ");
    write_string(bookmark, text);
    if options.execution_stats {
        write_statistics(statistics, started, text);
    }
    if let Some(warnings) = warnings {
        text.push_str(",\r\n\"warning\": ");
        write_string(&warnings, text);
    }
    text.push('}');
}

fn write_statistics(statistics: &Statistics, started: Instant, text: &mut String) {
    let time_ms = started.elapsed().as_secs_f64() * 1_000.0;
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        ",\r\n\"execution_stats\": {{\"total_keys_examined\":{},\"total_docs_examined\":{},\
         \"total_quorum_docs_examined\":{},\"results_returned\":{},\"execution_time_ms\":{time_ms:.3}}}",
        statistics.keys_examined,
        statistics.documents_examined,
        statistics.quorum_documents_examined,
        statistics.results,
    );
}
