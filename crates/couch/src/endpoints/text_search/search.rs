//! `_search`: searches as CouchDB has them with Clouseau.

use super::arguments::{Arguments, body, bookmark_of};
use super::hits::{Documents, write_all};
use super::{check_partition, opened};
use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::text_search::{Asked, FieldRanges, Form, Found, SortBy, older_terms, stored};
use crate::{respond, stream};
use http::{Method, Response};
use search::Hit;
use serde_json::{Map, Value as Json, json};

/// Hits where nobody says how many, and at most; of partitioned databases both are more.
const LIMIT_DEFAULT: i64 = 25;
const LIMIT_MAX: i64 = 200;
const LIMIT_OF_PARTITIONS: i64 = 2_000;
/// Values of a field that are counted.
const COUNTS_MAX: usize = 1_000;

/// How the names begin of what Clouseau does and this does not.
const REFUSED: [&str; 2] = ["group_", "highlight_"];

/// `/{db}/_design/{name}/_search/{index}`.
pub(crate) async fn run(call: &mut Call, design: &str, name: &str) -> Result<Response> {
    let database = call.database()?;
    let arguments = Arguments::of(call).await?;
    let asked = asked(&arguments, database.collection.is_partitioned())?;
    let shown_fields = arguments.texts("include_fields")?;
    let is_updated = match arguments.text("stale")? {
        None => true,
        Some("ok") => false,
        Some(_) => return Err(CouchError::query_parse("stale only available as stale=ok")),
    };
    let index = opened(call, &database, (design, Form::Search, name), is_updated).await?;
    check_partition(&index, asked.partition.as_deref())?;
    let found = asked.find(&index, call.server.engine.memory()).await?;
    let documents = Documents::of(&database, arguments.flag("include_docs")?.unwrap_or(false)).await?;
    stream::respond_with(&call.operation, move |mut output| async move {
        output.text.push_str(&head(&found, &asked));
        let shown = |hit: &Hit| shown(hit, shown_fields.as_deref());
        let written = write_all(&found.hits, &documents, &mut output, shown).await;
        output.text.push(']');
        for (name, counted) in [("counts", &found.counts), ("ranges", &found.ranges)] {
            if let Some(counted) = counted {
                let counted = Json::Object(counted.clone());
                output.text.push_str(&format!(r#","{name}":{counted}"#));
            }
        }
        output.text.push('}');
        (output, written)
    })
    .await
}

/// `/_search_analyze`.
pub(crate) async fn analyze(call: &mut Call) -> Result<Response> {
    let said = match call.method {
        Method::GET => {
            let said = call
                .query
                .iter()
                .map(|(name, value)| (name.to_owned(), value.into()));
            said.collect::<Map<String, Json>>()
        }
        Method::POST => {
            call.check_is_json()?;
            body(call).await?
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

fn asked(arguments: &Arguments, is_partitioned: bool) -> Result<Asked> {
    if let Some(refused) = REFUSED.into_iter().find_map(|start| arguments.first(start)) {
        return Err(CouchError::not_implemented(format!("`{refused}` of a search")));
    }
    let query = arguments.text("q")?.or(arguments.text("query")?);
    let query =
        query.ok_or_else(|| CouchError::query_parse("Query must include a 'q' or 'query' argument"))?;
    let asked = Asked {
        query: query.to_owned(),
        partition: arguments.partition.clone(),
        limit: limit(arguments.number("limit")?, is_partitioned)?,
        sort: sort(arguments)?,
        after: arguments.bookmark()?,
        counts: arguments.texts("counts")?,
        counts_max: COUNTS_MAX,
        ranges: arguments
            .json("ranges")?
            .map(|ranges| ranges_of(&ranges))
            .transpose()?,
        drilldown: drilldown(arguments)?,
    };
    let counts = asked.counts.is_some() || asked.ranges.is_some() || !asked.drilldown.is_empty();
    if counts && asked.partition.is_some() {
        return Err(CouchError::bad_request(
            "`partition` and any of `drilldown`, `ranges`, `group_field`, `group_sort`, `group_limit` or `group_by` are incompatible",
        ));
    }
    Ok(asked)
}

fn limit(limit: Option<i64>, is_partitioned: bool) -> Result<usize> {
    let (default, max) = match is_partitioned {
        true => (LIMIT_OF_PARTITIONS, LIMIT_OF_PARTITIONS),
        false => (LIMIT_DEFAULT, LIMIT_MAX),
    };
    let limit = limit.unwrap_or(default);
    if limit > max {
        let reason = format!("Value for limit is too large, must not exceed {max}");
        return Err(CouchError::query_parse(reason));
    }
    usize::try_from(limit).map_err(|_| CouchError::query_parse("limit must be greater than or equal to zero"))
}

/// By relevance where nobody says; by ids behind all else.
fn sort(arguments: &Arguments) -> Result<Vec<SortBy>> {
    let named = match arguments.json("sort")? {
        None => vec!["-<score>".to_owned()],
        Some(Json::String(name)) => vec![name],
        Some(_) => arguments.texts("sort")?.unwrap_or_default(),
    };
    let keys = named.iter().map(|name| sort_key(name));
    let mut keys: Vec<SortBy> = keys.collect::<Result<_>>()?;
    keys.push(SortBy::Id { descending: false });
    Ok(keys)
}

fn sort_key(text: &str) -> Result<SortBy> {
    let (descending, name) = match text.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, text),
    };
    if name == "<score>" {
        return Ok(SortBy::Score { descending });
    }
    if name.starts_with("<distance") {
        return Err(CouchError::not_implemented("sorting by a distance"));
    }
    let (name, kind) = name.split_once('<').unwrap_or((name, "number>"));
    match kind {
        "number>" | "string>" if !name.is_empty() => Ok(SortBy::Field {
            name: name.to_owned(),
            descending,
        }),
        _ => Err(CouchError::bad_request(format!(
            "Unrecognized sort parameter: {text}"
        ))),
    }
}

/// For each field the ranges by their labels, as queries in Lucene's syntax of that field.
fn ranges_of(ranges: &Json) -> Result<Vec<FieldRanges>> {
    let wrong = || CouchError::query_parse("ranges must be an object of objects of ranges such as [0 TO 10]");
    let of_field = |(name, ranges): (&String, &Json)| {
        let ranges = ranges
            .as_object()
            .ok_or_else(wrong)?
            .iter()
            .map(|(label, range)| {
                let range = range.as_str().ok_or_else(wrong)?;
                let query = json!({"query_string": {"query": format!("{}:{range}", escaped(name))}});
                Ok((label.clone(), query))
            });
        Ok((name.clone(), ranges.collect::<Result<_>>()?))
    };
    ranges
        .as_object()
        .ok_or_else(wrong)?
        .iter()
        .map(of_field)
        .collect()
}

/// A field's name as a query names it.
fn escaped(name: &str) -> String {
    let special = |c: &char| !c.is_alphanumeric() && !matches!(c, '_' | '.');
    let each = name
        .chars()
        .flat_map(|c| special(&c).then_some('\\').into_iter().chain([c]));
    each.collect()
}

/// Lists of a field's name and the values of which it has one.
fn drilldown(arguments: &Arguments) -> Result<Vec<(String, Vec<String>)>> {
    let mut found = Vec::new();
    if let Some(lists) = arguments.json("drilldown")? {
        add_drilldown(&lists, &mut found)?;
    }
    Ok(found)
}

fn add_drilldown(value: &Json, found: &mut Vec<(String, Vec<String>)>) -> Result<()> {
    let wrong = || CouchError::query_parse("drilldown must be a list of a field and its values");
    let list = value.as_array().ok_or_else(wrong)?;
    if list.iter().all(Json::is_array) {
        return list.iter().try_for_each(|one| add_drilldown(one, found));
    }
    let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
    let texts = texts.collect::<Option<Vec<String>>>().ok_or_else(wrong)?;
    let (name, values) = texts
        .split_first()
        .filter(|(_, values)| !values.is_empty())
        .ok_or_else(wrong)?;
    found.push((name.clone(), values.to_vec()));
    Ok(())
}

/// What stands before the hits. Where there are none, the bookmark is the one that came.
fn head(found: &Found, asked: &Asked) -> String {
    let last = found
        .hits
        .last()
        .map(Hit::sort_values)
        .or_else(|| asked.after.clone());
    let bookmark = json!(bookmark_of(&last.unwrap_or_default()));
    format!(r#"{{"total_rows":{},"bookmark":{bookmark},"rows":["#, found.total)
}

fn shown(hit: &Hit, wanted: Option<&[String]>) -> String {
    let mut order = hit.sort_values();
    // What makes the order of hits one that can be gone on with is no part of what was asked.
    order.pop();
    order.push(0.into());
    let mut fields = stored(&hit.document);
    if let Some(wanted) = wanted {
        fields.retain(|name, _| wanted.contains(name));
    }
    let (id, order, fields) = (json!(hit.id), Json::Array(order), Json::Object(fields));
    format!(r#"{{"id":{id},"order":{order},"fields":{fields}"#)
}
