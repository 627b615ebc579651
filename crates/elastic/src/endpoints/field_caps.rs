//! `_field_caps`: what can be done with fields.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::resolve::{Options, resolve};
use crate::respond::{Answer, ok};
use auth::Action;
use http::Method;
use search::FieldCaps;

/// `/{index}/_field_caps`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let include_unmapped = call.parameters.flag("include_unmapped")?.unwrap_or(false);
    let fields = call.parameters.list("fields");
    call.parameters.end()?;
    let body = call.object()?;
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::unsupported(format!(
            "[{other}] of field capabilities"
        )));
    }
    let fields = fields
        .filter(|fields| !fields.is_empty())
        .ok_or_else(|| ElasticError::validation(&["no fields specified".to_owned()]))?;
    let mut caps = FieldCaps::default();
    for name in resolve(call, expression, options)? {
        let mapping = call.open_index(&name, Action::Find)?.mapping().await?;
        caps.add(&name, &mapping, &fields);
    }
    Ok(ok(caps.finish(include_unmapped)))
}
