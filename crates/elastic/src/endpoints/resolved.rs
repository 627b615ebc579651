//! `_resolve/index`: what an expression stands for.

use auth::Action;
use http::Method;
use indices::error::Result;
use indices::streams::{TIME_FIELD, plain_aliases, stream_of};
use rest::call::Call;
use rest::listed::is_listed_or_all;
use rest::names;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `/_resolve/index/{name}`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let options = Options::default().taken(&mut call.parameters)?;
    call.parameters.end()?;
    let own = Options {
        aliases: false,
        ignore_unavailable: true,
        ..options
    };
    let mut indices = Vec::new();
    let mut names_of = patterns_of_names(call, expression, own)?;
    names_of.sort();
    for name in names_of {
        let index = call.index(&name, Action::Find)?;
        let mut attributes = vec![if index.is_closed() { "closed" } else { "open" }];
        if index.given_settings().get("hidden").and_then(Value::as_str) == Some("true") {
            attributes.push("hidden");
        }
        attributes.sort_unstable();
        let own = index.aliases();
        let stream = stream_of(&own).map(str::to_owned);
        let mut aliases: Vec<String> = plain_aliases(&own).keys().cloned().collect();
        aliases.sort();
        let mut one = json!({"name": name});
        if !aliases.is_empty() {
            one["aliases"] = json!(aliases);
        }
        one["attributes"] = json!(attributes);
        if let Some(stream) = stream {
            one["data_stream"] = json!(stream);
        }
        indices.push(one);
    }
    let mut aliases: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names::all(call) {
        for alias in plain_aliases(&call.index(&name, Action::Find)?.aliases()).keys() {
            if is_listed_or_all(expression, alias) {
                aliases.entry(alias.clone()).or_default().push(name.clone());
            }
        }
    }
    let aliases: Vec<Value> = aliases
        .into_iter()
        .map(|(name, indices)| json!({"name": name, "indices": indices}))
        .collect();
    let streams: Vec<Value> = call
        .streams()
        .into_iter()
        .filter(|(name, _)| is_listed_or_all(expression, name))
        .map(|(name, indices)| {
            let backing: Vec<String> = indices.into_iter().map(|index| index.name).collect();
            json!({"name": name, "backing_indices": backing, "timestamp_field": TIME_FIELD})
        })
        .collect();
    Ok(ok(
        json!({"indices": indices, "aliases": aliases, "data_streams": streams}),
    ))
}

/// The indices whose own names are meant: a name that is an alias stands for no index here.
fn patterns_of_names(call: &Call, expression: &str, options: Options) -> Result<Vec<String>> {
    let parts: Vec<&str> = expression
        .split(',')
        .filter(|part| !names::is_alias(call, part))
        .collect();
    match parts.is_empty() {
        true => Ok(Vec::new()),
        false => resolve(call, &parts.join(","), options),
    }
}
