//! Who asks, and keys for programs: `_security/_authenticate`, `_security/api_key`.

use auth::User;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::api_keys::{KEYS_MAX, belongs_to, is_valid, make};
use rest::call::Call;
use rest::kept::Family;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `/_security/_authenticate`.
pub(crate) fn authenticate(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end()?;
    let (name, roles) = match &call.user {
        Some(user) => {
            let roles: Vec<&str> = user.roles.iter().map(|role| role.name.as_str()).collect();
            (user.name.as_str(), json!(roles))
        }
        None => ("_anonymous", json!(["superuser"])),
    };
    let realm = json!({"name": "larder", "type": "native"});
    let kind = if call.has_key { "api_key" } else { "realm" };
    Ok(ok(json!({
        "username": name, "roles": roles, "full_name": null, "email": null, "metadata": {}, "enabled": true,
        "authentication_realm": realm, "lookup_realm": realm, "authentication_type": kind,
    })))
}

/// `/_security/api_key`.
pub(crate) async fn api_key(call: &mut Call) -> Result<Answer> {
    match call.method {
        Method::PUT | Method::POST => put(call).await,
        Method::GET => get(call).await,
        Method::DELETE => invalidate(call).await,
        _ => Err(call.not_allowed("DELETE, GET, POST, PUT")),
    }
}

/// When a key ends that is made now.
fn until(now_ms: u64, expiration: &str) -> Result<u64> {
    let after = search::parse_time(expiration, "expiration")?.as_millis();
    Ok(now_ms.saturating_add(u64::try_from(after).unwrap_or(u64::MAX)))
}

fn user(call: &Call) -> Result<Arc<User>> {
    let missing = || ElasticError::illegal("API keys belong to users, and there are none yet");
    call.user.clone().ok_or_else(missing)
}

async fn put(call: &mut Call) -> Result<Answer> {
    call.parameters.end_without(&["refresh"])?;
    let mut body = call.required_object()?;
    let name = match body.shift_remove("name") {
        Some(Value::String(name)) if !name.is_empty() && name.len() <= 256 => name,
        _ => {
            return Err(ElasticError::validation(&[
                "api key name is required, of up to 256 characters".to_owned(),
            ]));
        }
    };
    if body
        .shift_remove("role_descriptors")
        .is_some_and(|roles| roles != json!({}) && !roles.is_null())
    {
        return Err(ElasticError::unsupported(
            "[role_descriptors] of an API key: it may do what its user may",
        ));
    }
    let now = call.server.engine.now_ms();
    let expires = match body.shift_remove("expiration") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(until(now, &text)?),
        Some(_) => return Err(ElasticError::parsing("[expiration] must be a text such as [7d]")),
    };
    let metadata = body.shift_remove("metadata").unwrap_or(json!({}));
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[api_key_request] unknown field [{other}]"
        )));
    }
    let user = user(call)?;
    if call.has_key {
        return Err(ElasticError::illegal(
            "creating derived api keys requires an explicit role descriptor that is empty (has no privileges)",
        ));
    }
    let all = call.kept(Family::ApiKey).await?;
    let own = all
        .iter()
        .filter(|(_, kept)| belongs_to(kept, &user) && is_valid(kept, now))
        .count();
    if own >= KEYS_MAX {
        return Err(ElasticError::illegal(format!(
            "the user has {KEYS_MAX} keys already, which is the limit: invalidate one"
        )));
    }
    let made = make(&user, &name, now, expires, &metadata)?;
    call.keep_own(Family::ApiKey, &made.id, Some(&made.kept)).await?;
    let mut answer = json!({"id": made.id, "name": name, "api_key": made.secret, "encoded": made.encoded()});
    if let Some(expires) = expires {
        answer["expiration"] = json!(expires);
    }
    Ok(ok(answer))
}

/// Which keys are meant.
#[derive(Default)]
struct Wanted {
    ids: Option<Vec<String>>,
    name: Option<String>,
    username: Option<String>,
    only_own: bool,
}

/// The keys that are meant, of those that the user may see: his own, or all where he may change what belongs to the server.
async fn found(call: &Call, wanted: &Wanted) -> Result<Vec<(String, Value)>> {
    let Some(user) = call.user.clone() else {
        return Ok(Vec::new());
    };
    let sees_all = call.require_server().is_ok() && !wanted.only_own;
    let mut all = call.kept(Family::ApiKey).await?;
    all.retain(|(id, kept)| {
        (sees_all || belongs_to(kept, &user))
            && wanted.ids.as_ref().is_none_or(|ids| ids.contains(id))
            && wanted
                .name
                .as_deref()
                .is_none_or(|name| kept["name"].as_str() == Some(name))
            && wanted
                .username
                .as_deref()
                .is_none_or(|name| kept["username"].as_str() == Some(name))
    });
    Ok(all)
}

async fn get(call: &mut Call) -> Result<Answer> {
    let wanted = Wanted {
        ids: call.parameters.take("id").map(|id| vec![id]),
        name: call.parameters.take("name"),
        username: call.parameters.take("username"),
        only_own: call.parameters.flag("owner")?.unwrap_or(false),
    };
    call.parameters.end()?;
    let found = found(call, &wanted).await?;
    if let (Some(ids), true) = (&wanted.ids, found.is_empty()) {
        let reason = format!("api key {ids:?} not found");
        return Err(ElasticError::new(
            StatusCode::NOT_FOUND,
            "resource_not_found_exception",
            reason,
        ));
    }
    let shown: Vec<Value> = found
        .into_iter()
        .map(|(id, kept)| {
            let mut one = Map::from_iter([("id".to_owned(), json!(id))]);
            for name in [
                "name",
                "creation",
                "expiration",
                "invalidated",
                "username",
                "metadata",
            ] {
                if !kept[name].is_null() {
                    one.insert(name.to_owned(), kept[name].clone());
                }
            }
            one.insert("realm".to_owned(), json!("larder"));
            Value::Object(one)
        })
        .collect();
    Ok(ok(json!({"api_keys": shown})))
}

async fn invalidate(call: &mut Call) -> Result<Answer> {
    call.parameters.end()?;
    let mut wanted = Wanted::default();
    let body = call.required_object()?;
    for (name, value) in &body {
        let text = || value.as_str().map(str::to_owned);
        match name.as_str() {
            "id" => wanted.ids = text().map(|id| vec![id]),
            "ids" => {
                wanted.ids = value.as_array().map(|ids| {
                    ids.iter()
                        .filter_map(|id| id.as_str().map(str::to_owned))
                        .collect()
                });
            }
            "name" => wanted.name = text(),
            "username" => wanted.username = text(),
            "owner" => wanted.only_own = value.as_bool().unwrap_or(false),
            other => {
                return Err(ElasticError::parsing(format!(
                    "[invalidate_api_key] unknown field [{other}]"
                )));
            }
        }
    }
    let says_which =
        wanted.ids.is_some() || wanted.name.is_some() || wanted.username.is_some() || wanted.only_own;
    if !says_which {
        return Err(ElasticError::validation(&[
            "One of [api key id, api key name, username, realm name] must be specified".to_owned(),
        ]));
    }
    let (mut done, mut before) = (Vec::new(), Vec::new());
    for (id, mut kept) in found(call, &wanted).await? {
        if kept["invalidated"] == json!(true) {
            before.push(id);
            continue;
        }
        kept["invalidated"] = json!(true);
        call.keep_own(Family::ApiKey, &id, Some(&kept)).await?;
        done.push(id);
    }
    Ok(ok(
        json!({"invalidated_api_keys": done, "previously_invalidated_api_keys": before, "error_count": 0}),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_end_after_their_time_or_never() {
        let now = 1_700_000_000_000;
        assert_eq!(until(now, "1d").ok(), Some(now + 86_400_000));
        assert!(until(now, "100000000000d").is_ok_and(|until| until > now));
        assert_eq!(until(u64::MAX - 1, "1d").ok(), Some(u64::MAX));
        assert!(until(now, "18446744073709551615ms").is_err());
        assert!(until(now, "soon").is_err());
    }
}
