//! Settings of indices: `/{index}/_settings`.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::names::{Options, resolve};
use crate::respond::{Answer, ok};
use auth::Action;
use http::Method;
use serde_json::{Map, Value, json};

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    match call.method {
        Method::GET => {}
        Method::PUT => return Err(ElasticError::unsupported("changing the settings of an index")),
        _ => return Err(call.not_allowed("GET, PUT")),
    }
    let options = Options::take(&mut call.parameters)?;
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    call.parameters
        .without_effect(&["local", "master_timeout", "include_defaults"]);
    call.parameters.end()?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let mut settings = call.index(&name, Action::Find)?.settings();
        if is_flat {
            let mut flat = Map::new();
            flatten(&settings, "", &mut flat);
            settings = Value::Object(flat);
        }
        answer.insert(name, json!({"settings": settings}));
    }
    Ok(ok(Value::Object(answer)))
}

fn flatten(value: &Value, prefix: &str, out: &mut Map<String, Value>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}.{name}")
                };
                flatten(value, &path, out);
            }
        }
        other => drop(out.insert(prefix.to_owned(), other.clone())),
    }
}
