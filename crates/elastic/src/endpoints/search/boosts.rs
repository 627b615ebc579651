//! `indices_boost`: factors for the scores of some indices.

use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use serde_json::{Map, Value};

/// Gives indices their factors; of several for one index, the first counts.
pub(crate) fn apply(
    call: &Call,
    options: Options,
    given: &Value,
    places: &mut [IndexSnapshot],
) -> Result<()> {
    let mut boosted = Vec::new();
    for (expression, boost) in pairs(given)? {
        let boost = boost.as_f64().ok_or_else(|| {
            ElasticError::parsing(format!("[indices_boost] of [{expression}] must be a number"))
        })?;
        let named = resolve(call, expression, options)?;
        for place in &mut *places {
            if named.contains(&place.index.name) && !boosted.contains(&place.index.name) {
                boosted.push(place.index.name.clone());
                place.boost = boost as f32;
            }
        }
    }
    Ok(())
}

/// Objects with a member each, or the older form, one object.
fn pairs(given: &Value) -> Result<Vec<(&String, &Value)>> {
    let invalid =
        || ElasticError::parsing("Expected [FIELD_NAME] in [indices_boost], an object with one index");
    match given {
        Value::Object(all) => Ok(all.iter().collect()),
        Value::Array(list) => list
            .iter()
            .map(|one| {
                let object = one.as_object().filter(|object| object.len() == 1);
                object
                    .and_then(|object: &Map<String, Value>| object.iter().next())
                    .ok_or_else(invalid)
            })
            .collect(),
        _ => Err(invalid()),
    }
}
