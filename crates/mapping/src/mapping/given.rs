//! What clients may say in a mapping. More is refused here than where a mapping is read that an index has kept, perhaps from a
//! version that let it pass.

use super::{Mapping, detected, dynamic};
use crate::error::{Result, SearchError};
use crate::fields::term;
use crate::json::{as_bool, as_f64, scalar};
use crate::mapping::{Field, FieldKind};
use crate::unsigned;
use serde_json::{Map, Value};
use value::ValueRef;

impl Mapping {
    /// Refuses what no client may say, although it could be read; `given` is all that this mapping was made of.
    pub fn check_given(&self, given: &Value) -> Result<()> {
        check_types(given.get("properties"))?;
        detected::check_given_dates(given.get("dynamic_date_formats"))?;
        dynamic::check_given_templates(given.get("dynamic_templates"))?;
        self.fields.values().try_for_each(|field| check_null(field))
    }

    /// Puts what a client says of an index that is there, as [`Mapping::put`] does it.
    pub fn put_given(&mut self, given: &Value) -> Result<()> {
        let mut changed = self.clone();
        changed.put(given)?;
        changed.check_given(given)?;
        // Of an index without any mapping nothing has begun.
        if !self.is_blank() {
            self.check_kept(given, "_routing", "required", false)?;
            self.check_kept(given, "_source", "enabled", true)?;
        }
        *self = changed;
        Ok(())
    }

    /// Whether nothing was ever said of any field.
    fn is_blank(&self) -> bool {
        let says_nothing = |said: &Value| said.as_object().is_some_and(Map::is_empty);
        self.source.values().all(says_nothing)
    }

    /// Refuses another value of what an index has from its beginning.
    fn check_kept(&self, given: &Value, name: &str, parameter: &str, default: bool) -> Result<()> {
        let says = |rule: &Value| rule.get(parameter).and_then(as_bool).unwrap_or(default);
        let Some(new) = given.get(name).map(says) else {
            return Ok(());
        };
        let old = self.source.get(name).map_or(default, says);
        match old == new {
            true => Ok(()),
            false => Err(SearchError::illegal(format!(
                "Mapper for [{name}] conflicts with existing mapper:\n\tCannot update parameter [{parameter}] from [{old}] to [{new}]"
            ))),
        }
    }
}

/// Refuses definitions that say neither a type nor properties, however deep.
fn check_types(properties: Option<&Value>) -> Result<()> {
    for (name, definition) in properties.and_then(Value::as_object).into_iter().flatten() {
        let Value::Object(definition) = definition else {
            continue;
        };
        let has = |parameter: &str| definition.contains_key(parameter);
        let is_switched = definition.len() == 1 && has("enabled");
        if !has("type") && !has("properties") && !is_switched {
            return Err(SearchError::mapper(format!(
                "No type specified for field [{name}]"
            )));
        }
        check_flags(name, definition)?;
        check_types(definition.get("properties"))?;
        check_types(definition.get("fields"))?;
    }
    Ok(())
}

/// The parameters of fields that are true or false.
const FLAGS: [&str; 10] = [
    "coerce",
    "doc_values",
    "eager_global_ordinals",
    "enabled",
    "fielddata",
    "ignore_malformed",
    "index",
    "index_phrases",
    "norms",
    "store",
];

/// Refuses what is neither true nor false where that is wanted.
fn check_flags(name: &str, definition: &Map<String, Value>) -> Result<()> {
    let mut given = FLAGS
        .into_iter()
        .filter_map(|flag| Some((flag, definition.get(flag)?)));
    let Some((flag, value)) = given.find(|(_, value)| as_bool(value).is_none()) else {
        return Ok(());
    };
    let type_name = definition.get("type").and_then(scalar);
    Err(SearchError::mapper(match scalar(value) {
        None => format!(
            "[{flag}] on mapper [{name}] of type [{}] must not have a [{value}] value",
            type_name.unwrap_or_else(|| "object".to_owned())
        ),
        Some(text) => format!("Failed to parse value [{text}] as only [true] or [false] are allowed."),
    }))
}

/// Refuses a value for null that its field cannot have.
fn check_null(field: &Field) -> Result<()> {
    let Some(given) = field.null_value.as_ref().filter(|value| !value.is_null()) else {
        return Ok(());
    };
    let text = scalar(given).unwrap_or_default();
    if field.kind == FieldKind::Unsigned {
        return unsigned::read(ValueRef::String(&text))
            .map(drop)
            .map_err(|reason| {
                SearchError::mapper(format!(
                    "Failed to parse mapping [_doc]: Error parsing [null_value] on field [{}]: {reason}",
                    field.name
                ))
            });
    }
    let is_fine = match &field.kind {
        FieldKind::Text => {
            return Err(SearchError::mapper(format!(
                "unknown parameter [null_value] on mapper [{}] of type [{}]",
                field.name, field.type_name
            )));
        }
        FieldKind::Integer(..) => as_f64(given).is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    let is_checked = field.is_number() || field.kind == FieldKind::Boolean;
    match is_fine && (!is_checked || term(field, ValueRef::String(&text)).is_some()) {
        true => Ok(()),
        false => Err(SearchError::mapper(format!(
            "Failed to parse mapping [_doc]: [null_value] of field [{}] of type [{}] cannot be [{text}]",
            field.name, field.type_name
        ))),
    }
}

/// The members of an object as Java writes them.
pub(super) fn shown(object: &Map<String, Value>) -> String {
    let members: Vec<String> = object
        .iter()
        .map(|(name, value)| match value {
            Value::Object(inner) => format!("{name}={}", shown(inner)),
            other => format!("{name}={}", scalar(other).unwrap_or_else(|| other.to_string())),
        })
        .collect();
    format!("{{{}}}", members.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use serde_json::json;

    #[test]
    fn boolean_parameters_accept_only_booleans() {
        let refused = |field: Value| {
            let given = json!({"properties": {"o": {"properties": {"f": field}}}});
            let mapping = Mapping::parse(&given, Analysis::default()).expect("a mapping");
            mapping.check_given(&given).err().map(|error| error.reason)
        };
        let only = "Failed to parse value [not_analyzed] as only [true] or [false] are allowed.";
        let null = "[store] on mapper [f] of type [keyword] must not have a [null] value";
        for (field, wanted) in [
            (json!({"type": "keyword", "index": "not_analyzed"}), Some(only)),
            (
                json!({"type": "text", "fields": {"k": {"type": "keyword", "doc_values": "not_analyzed"}}}),
                Some(only),
            ),
            (json!({"type": "keyword", "store": null}), Some(null)),
            (json!({"type": "keyword", "index": "false", "store": true}), None),
        ] {
            assert_eq!(refused(field.clone()).as_deref(), wanted, "{field}");
        }
    }
}
