//! Searches made of templates: `_search/template`, `_msearch/template`, `_render/template`.

use super::multi::{self, SearchKind};
use super::parameters::AskedSearch;
use super::perform;
use crate::endpoints::stored_scripts::source_text;
use http::Method;
use indices::error::{ElasticError, Result};
use mustache::Template;
use rest::call::Call;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// `/{index}/_search/template`.
pub(crate) async fn search(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let template = call.required_object()?;
    let body = body_of(call, &template, None).await?;
    let asked = AskedSearch::take(&mut call.parameters, body)?;
    call.parameters.end()?;
    Ok(ok(perform(call, expression, options, asked).await?))
}

/// `/{index}/_msearch/template`.
pub(crate) async fn several(call: &mut Call, expression: Option<&str>) -> Result<Answer> {
    multi::run(call, expression, SearchKind::Templates).await
}

/// `/_render/template/{id}`.
pub(crate) async fn render(call: &mut Call, id: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    call.parameters.end()?;
    let body = body_of(call, &call.object()?, id).await?;
    Ok(ok(json!({"template_output": body})))
}

/// The body that a template and its parameters come to; `id` is that of one that is kept.
pub(super) async fn body_of(
    call: &Call,
    given: &Map<String, Value>,
    id: Option<&str>,
) -> Result<Map<String, Value>> {
    let (mut id, mut source) = (id.map(str::to_owned), None);
    let (mut params, mut more) = (json!({}), Map::new());
    for (name, value) in given {
        match (name.as_str(), value) {
            ("id", Value::String(text)) => id = Some(text.clone()),
            ("source" | "inline" | "template", value) => source = Some(source_text(value)),
            ("params", Value::Object(_)) => params = value.clone(),
            ("params", Value::Null) => {}
            ("explain" | "profile", Value::Bool(flag)) => {
                more.insert(name.clone(), json!(flag));
            }
            (other, _) => {
                return Err(ElasticError::parsing(format!(
                    "[search_template] unknown field [{other}]"
                )));
            }
        }
    }
    let source = match (source, id) {
        (Some(_), Some(_)) => {
            return Err(ElasticError::validation(&[
                "template must have either a [source] or an [id]".to_owned(),
            ]));
        }
        (Some(source), None) => source,
        (None, Some(id)) => call.kept_script(&id, "mustache").await?,
        (None, None) => return Err(ElasticError::validation(&["template is missing".to_owned()])),
    };
    let text = Template::parse(&source)?.render(&params)?;
    let Value::Object(mut body) = serde_json::from_str(&text)? else {
        return Err(ElasticError::parsing("the template becomes no JSON object"));
    };
    body.extend(more);
    Ok(body)
}
