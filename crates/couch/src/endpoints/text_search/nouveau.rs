//! `_nouveau`: searches of indexes by Lucene's syntax.

use super::arguments::{Arguments, bookmark_of, direction};
use super::hits::{Documents, write_all};
use super::{check_partition, opened};
use crate::call::Call;
use crate::respond;
use crate::stream;
use access::error::{CouchError, Result};
use clouseau::{FieldRanges, Form, FoundHit, HITS_MAX, SearchOutcome, SortBy, TextSearch, stored, terms};
use http::{Method, Response};
use serde_json::{Map, Value as Json, json};
use std::time::Instant;

/// Hits by default.
const LIMIT_DEFAULT: usize = 25;
/// Values of a field that are counted by default, and at most.
const TOP_N_DEFAULT: usize = 10;
const TOP_N_MAX: usize = 1_000;

/// `/{db}/_design/{name}/_nouveau/{index}`.
pub(crate) async fn run(call: &mut Call, design: &str, name: &str) -> Result<Response> {
    let begun = Instant::now();
    let database = call.database()?;
    let arguments = Arguments::of(call, Form::Nouveau).await?;
    let asked = asked(&arguments)?;
    let is_updated = arguments.flag("update")?.unwrap_or(true);
    let index = opened(call, &database, (design, Form::Nouveau, name), is_updated).await?;
    check_partition(&index, asked.partition.as_deref())?;
    let update_latency = begun.elapsed().as_millis().max(1);
    let found = asked.find(&index, call.server.engine.memory()).await?;
    let documents = Documents::of(&database, arguments.flag("include_docs")?.unwrap_or(false)).await?;
    stream::respond_with(&call.operation, move |mut output| async move {
        output.text.push_str(&head(&found, &asked));
        let kinds = kinds(&asked.sort);
        let written = write_all(&found.hits, &documents, &mut output, |found| shown(found, &kinds)).await;
        output.text.push_str("],");
        let counted =
            json!({"counts": found.counts, "ranges": found.ranges, "update_latency": update_latency as u64});
        // Without the brace that opens it.
        output.text.push_str(&counted.to_string()[1..]);
        (output, written)
    })
    .await
}

/// `POST /_nouveau_analyze`.
pub(crate) async fn analyze(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    call.check_is_json()?;
    let body = call.json_map().await?;
    let analyzer = body.get("analyzer").cloned().unwrap_or_default();
    let text = body.get("text").and_then(Json::as_str);
    let text = text.ok_or_else(|| CouchError::bad_request("text parameter must be a string"))?;
    Ok(respond::ok(
        json!({"tokens": terms(&analyzer, text)?}).to_string(),
    ))
}

fn asked(arguments: &Arguments) -> Result<TextSearch> {
    let query = arguments.text("q")?;
    let query = query.ok_or_else(|| CouchError::query_parse("q parameter is mandatory"))?;
    check_locale(arguments.text("locale")?)?;
    Ok(TextSearch {
        query: query.to_owned(),
        partition: arguments.partition.clone(),
        limit: positive(arguments, "limit", LIMIT_DEFAULT, HITS_MAX)?,
        sort: sort(arguments)?,
        after: arguments.bookmark()?,
        counts: arguments.texts("counts")?,
        counts_max: positive(arguments, "top_n", TOP_N_DEFAULT, TOP_N_MAX)?,
        ranges: arguments
            .json("ranges")?
            .map(|ranges| ranges_of(&ranges))
            .transpose()?,
        ..TextSearch::default()
    })
}

fn positive(arguments: &Arguments, name: &str, default: usize, max: usize) -> Result<usize> {
    let Some(number) = arguments.number(name)? else {
        return Ok(default);
    };
    match usize::try_from(number) {
        Ok(number) if (1..=max).contains(&number) => Ok(number),
        Ok(number) if number > max => Err(CouchError::bad_request(format!(
            "{name} must be less than or equal to {max}"
        ))),
        _ => Err(CouchError::query_parse(format!(
            "{name} parameter must be greater than zero"
        ))),
    }
}

/// Numbers are read as JSON has them; a locale that writes them otherwise is refused.
fn check_locale(locale: Option<&str>) -> Result<()> {
    match locale.map(str::to_ascii_lowercase).as_deref() {
        None | Some("en" | "us" | "gb" | "en-us" | "en-gb" | "en_us" | "en_gb") => Ok(()),
        Some(other) => Err(CouchError::not_implemented(format!("the locale `{other}`"))),
    }
}

/// What hits are sorted by: relevance if the request does not say, and ids after all else.
fn sort(arguments: &Arguments) -> Result<Vec<SortBy>> {
    let named = match arguments.json("sort")? {
        None => {
            return Ok(vec![
                SortBy::Score { descending: true },
                SortBy::Id { descending: false },
            ]);
        }
        Some(Json::String(name)) => vec![name],
        Some(_) => arguments.texts("sort")?.unwrap_or_default(),
    };
    let mut keys: Vec<SortBy> = named.iter().map(|name| sort_key(name)).collect::<Result<_>>()?;
    if !matches!(keys.last(), Some(SortBy::Id { .. })) {
        keys.push(SortBy::Id { descending: false });
    }
    Ok(keys)
}

fn sort_key(text: &str) -> Result<SortBy> {
    let (descending, name) = direction(text);
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c == '.' || c == '_' || c.is_alphanumeric());
    // Versions before 3.4 wanted the field's type here, which the index knows.
    let typed = ["<double>", "<string>"]
        .iter()
        .find_map(|kind| name.strip_suffix(kind));
    match typed.unwrap_or(name) {
        "<score>" => Ok(SortBy::Score { descending }),
        "_id" => Ok(SortBy::Id { descending }),
        name if is_name(name) => Ok(SortBy::Field {
            name: name.to_owned(),
            descending,
        }),
        _ => Err(CouchError::bad_request(format!(
            "{text} is not a valid sort parameter"
        ))),
    }
}

/// For each field the ranges by their labels, as queries of that field.
fn ranges_of(ranges: &Json) -> Result<Vec<FieldRanges>> {
    let wrong = |reason: &'static str| move || CouchError::query_parse(reason);
    let fields = ranges
        .as_object()
        .ok_or_else(wrong("ranges parameter must be an object"))?;
    let of_field = |(name, ranges): (&String, &Json)| {
        let ranges = ranges
            .as_array()
            .ok_or_else(wrong("range values must be lists of objects"))?;
        let ranges = ranges.iter().map(|range| range_of(name, range));
        Ok((name.clone(), ranges.collect::<Result<_>>()?))
    };
    fields.iter().map(of_field).collect()
}

fn range_of(field: &str, range: &Json) -> Result<(String, Json)> {
    let wrong = || CouchError::query_parse("all values in ranges parameter must be objects");
    let range = range.as_object().ok_or_else(wrong)?;
    let label = range.get("label").and_then(Json::as_str);
    let label = label.ok_or_else(|| CouchError::query_parse("a range must have a `label`"))?;
    let mut bounds = Map::new();
    for (name, inclusive, exclusive) in [("min", "gte", "gt"), ("max", "lte", "lt")] {
        let Some(bound) = range.get(name).filter(|bound| !bound.is_null()) else {
            continue;
        };
        let is_inclusive = range.get(&format!("{name}_inclusive")) != Some(&Json::Bool(false));
        bounds.insert(
            if is_inclusive { inclusive } else { exclusive }.to_owned(),
            bound.clone(),
        );
    }
    Ok((label.to_owned(), json!({"range": {field: bounds}})))
}

/// What stands before the hits. Where there are none, the bookmark is the one that came.
fn head(found: &SearchOutcome, asked: &TextSearch) -> String {
    let last = found
        .hits
        .last()
        .map(|last| last.hit.sort_values())
        .or_else(|| asked.after.clone());
    let bookmark = bookmark_of(&last.unwrap_or_default());
    format!(
        r#"{{"bookmark":{},"total_hits":{},"total_hits_relation":"EQUAL_TO","hits":["#,
        json!(bookmark),
        found.total
    )
}

/// The names of the types of what hits are sorted by, where that does not depend on the value.
fn kinds(sort: &[SortBy]) -> Vec<Option<&'static str>> {
    let kind = |by: &SortBy| match by {
        SortBy::Score { .. } => Some("float"),
        SortBy::Id { .. } => Some("string"),
        _ => None,
    };
    sort.iter().map(kind).collect()
}

fn shown(FoundHit { hit, .. }: &FoundHit, kinds: &[Option<&'static str>]) -> String {
    let order = hit.sort_values().into_iter().zip(kinds).map(|(value, kind)| {
        let by_value = match &value {
            Json::Null => "null",
            Json::String(_) => "string",
            _ => "double",
        };
        json!({"@type": kind.unwrap_or(by_value), "value": value})
    });
    let order: Vec<Json> = order.collect();
    let fields = Json::Object(stored(&hit.document));
    format!(
        r#"{{"id":{},"order":{},"fields":{fields}"#,
        json!(hit.id),
        Json::Array(order)
    )
}
