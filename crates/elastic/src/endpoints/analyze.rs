//! `_analyze`: the terms of a text.

use crate::call::Call;
use crate::limits::ANALYZE_TOKENS_MAX;
use crate::respond::{Answer, ok};
use auth::Action;
use http::Method;
use indices::error::{ElasticError, Result};
use search::{Analysis, Analyzer, Token};
use serde_json::{Map, Value, json};

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let named = call.parameters.take("index");
    call.parameters.end()?;
    let mut body = call.required_object()?;
    let missing = || ElasticError::validation(&["text is missing".to_owned()]);
    let texts: Vec<String> = match body.remove("text").ok_or_else(missing)? {
        Value::Array(texts) => texts
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Value::String(text) => vec![text],
        other => vec![other.to_string()],
    };
    let mapping = match index.or(named.as_deref()) {
        Some(name) => Some(call.index(name, Action::Find)?.mapping().await?),
        None => None,
    };
    let none = Analysis::default();
    let analysis = mapping.as_ref().map_or(&none, |mapping| mapping.analysis());
    if body.remove("explain") == Some(Value::Bool(true)) || body.remove("attributes").is_some() {
        return Err(ElasticError::unsupported("[explain] of _analyze"));
    }
    let field = body
        .remove("field")
        .and_then(|field| field.as_str().map(str::to_owned));
    let of_field = field.and_then(|field| mapping.as_ref().and_then(|mapping| mapping.analyzer_of(&field)));
    let analyzer = match of_field {
        Some(analyzer) => analyzer,
        None => analyzer(&mut body, analysis)?,
    };
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[_analyze] unknown field [{other}]"
        )));
    }
    let (mut tokens, mut position, mut offset) = (Vec::new(), 0, 0);
    for text in &texts {
        let found = analyzer.tokens(text);
        let last = found.last().map_or(0, |token| token.position + 1);
        tokens.extend(found.iter().map(|token| shown(token, position, offset)));
        position += last + 100;
        offset += text.chars().count() + 1;
        if tokens.len() > ANALYZE_TOKENS_MAX {
            let reason = format!(
                "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [{ANALYZE_TOKENS_MAX}]."
            );
            return Err(ElasticError::illegal(reason));
        }
    }
    Ok(ok(json!({"tokens": tokens})))
}

fn analyzer(body: &mut Map<String, Value>, analysis: &Analysis) -> Result<Analyzer> {
    let list = |value: Option<Value>| match value {
        None => Vec::new(),
        Some(Value::Array(list)) => list,
        Some(one) => vec![one],
    };
    let tokenizer = body.remove("tokenizer");
    let (filters, char_filters) = (list(body.remove("filter")), list(body.remove("char_filter")));
    if let Some(name) = body
        .remove("normalizer")
        .and_then(|name| name.as_str().map(str::to_owned))
    {
        let missing = || ElasticError::illegal(format!("failed to find normalizer under [{name}]"));
        return analysis.normalizer(&name).ok_or_else(missing);
    }
    if tokenizer.is_none() && filters.is_empty() && char_filters.is_empty() {
        let name = body
            .remove("analyzer")
            .and_then(|name| name.as_str().map(str::to_owned));
        let name = name.unwrap_or_else(|| "standard".to_owned());
        let missing = || ElasticError::illegal(format!("failed to find global analyzer [{name}]"));
        return analysis.analyzer(&name).ok_or_else(missing);
    }
    let (filters, char_filters): (Vec<_>, Vec<_>) = (filters.iter().collect(), char_filters.iter().collect());
    Ok(analysis.of_parts(tokenizer.as_ref(), &filters, &char_filters)?)
}

fn shown(token: &Token, position: u32, offset: usize) -> Value {
    let mut shown = json!({
        "token": token.text,
        "start_offset": token.start + offset,
        "end_offset": token.end + offset,
        "type": token.kind,
        "position": token.position + position,
    });
    if token.length > 1 {
        shown["positionLength"] = json!(token.length);
    }
    shown
}
