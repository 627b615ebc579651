//! `_field_caps`: what can be done with fields.

use auth::Action;
use fetch::{FieldCaps, IndexFilter};
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::scan;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use search::{Mapping, Request};
use serde_json::{Map, Value};
use std::pin::pin;

/// `/{index}/_field_caps`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let include_unmapped = call.parameters.flag("include_unmapped")?.unwrap_or(false);
    let mut fields = call.parameters.list("fields");
    call.parameters.end()?;
    let body = call.object()?;
    let mut filter = None;
    for (name, value) in &body {
        match name.as_str() {
            "index_filter" => filter = Some(IndexFilter::parse(value)?),
            // Clients of 8 send the names here.
            "fields" => fields = Some(names_of(value)?),
            other => {
                return Err(ElasticError::parsing(format!(
                    "request does not support [{other}]"
                )));
            }
        }
    }
    let fields = fields
        .filter(|fields| !fields.is_empty())
        .ok_or_else(|| ElasticError::illegal("specified fields can't be null or empty"))?;
    let mut caps = FieldCaps::default();
    for name in resolve(call, expression, options)? {
        let index = call.open_index(&name, Action::Find)?;
        let mapping = index.mapping().await?;
        let is_wanted = match &filter {
            Some(filter) => may_match(call, filter, &index, &mapping).await?,
            None => true,
        };
        if is_wanted {
            caps.add(&name, &mapping, &fields);
        }
    }
    Ok(ok(caps.finish(include_unmapped)))
}

/// The names of fields in a body: a list, or one text with commas.
fn names_of(value: &Value) -> Result<Vec<String>> {
    let wrong = || ElasticError::parsing("[fields] must be a list of names");
    match value {
        Value::String(names) => Ok(names.split(',').map(str::to_owned).collect()),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        _ => Err(wrong()),
    }
}

/// Whether an index may have what a filter looks for.
pub(crate) async fn may_match(
    call: &Call,
    filter: &IndexFilter,
    index: &Index,
    mapping: &Mapping,
) -> Result<bool> {
    let show = |_: &search::Hit, _: &[search::SortKey], _: &Map<String, Value>| Ok(Value::Null);
    let places = scan::places(&[(index.clone(), 1.0)]).await?;
    let mut found = Vec::with_capacity(filter.ranges().len());
    for (field, range) in filter.ranges() {
        if let Some(is_known) = IndexFilter::is_known(field, mapping) {
            found.push(is_known);
            continue;
        }
        let request = Request {
            query: Some(search::parse_query(range)?),
            size: 0,
            terminate_after: Some(1),
            ..Request::default()
        };
        let counted = scan::run(&request, false, &places, None, &call.held, &show);
        found.push(call.read(pin!(counted)).await?.outcome.total > 0);
    }
    Ok(filter.may_match(&index.name, &found))
}
