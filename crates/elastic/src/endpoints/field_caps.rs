//! `_field_caps`: what can be done with fields.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::resolve::{Options, resolve};
use crate::respond::{Answer, ok};
use auth::Action;
use fetch::FieldCaps;
use http::Method;

/// `/{index}/_field_caps`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let include_unmapped = call.parameters.flag("include_unmapped")?.unwrap_or(false);
    let fields = call.parameters.list("fields");
    call.parameters.end()?;
    let body = call.object()?;
    for (name, value) in &body {
        match name.as_str() {
            // What all documents match leaves no index out.
            "index_filter" if value.get("match_all").is_some() => {}
            "index_filter" => {
                return Err(ElasticError::unsupported("[index_filter] of field capabilities"));
            }
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
        let mapping = call.open_index(&name, Action::Find)?.mapping().await?;
        caps.add(&name, &mapping, &fields);
    }
    Ok(ok(caps.finish(include_unmapped)))
}
