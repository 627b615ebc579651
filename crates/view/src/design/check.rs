//! What a design document must look like to be stored.
//!
//! Reference: CouchDB, `couch_mrview:validate_ddoc_fields` and `couch_mrview:validate`, whose messages these are.

use super::Definition;
use crate::reduce::Function;
use crate::{Error, Result, ScriptLimits};
use memory::Budget;
use serde_json::{Map, Value};

/// A kind of value that a field may have.
#[derive(Clone, Copy)]
enum Kind {
    Array,
    Boolean,
    Object,
    Text,
}

use Kind::{Array, Boolean, Object, Text};

/// A step of a path: a field's name (none is any) and what it may be.
type Step = (Option<&'static str>, &'static [Kind]);

const OBJECT: &[Kind] = &[Object];
const BOOLEAN: &[Kind] = &[Boolean];
const CODE: &[Kind] = &[Object, Text];

const PATHS: [&[Step]; 13] = [
    &[(Some("filters"), OBJECT), (None, CODE)],
    &[(Some("language"), &[Text])],
    &[(Some("lists"), OBJECT), (None, CODE)],
    &[(Some("options"), OBJECT), (Some("include_design"), BOOLEAN)],
    &[(Some("options"), OBJECT), (Some("local_seq"), BOOLEAN)],
    &[(Some("options"), OBJECT), (Some("partitioned"), BOOLEAN)],
    &[(Some("rewrites"), &[Text, Array])],
    &[(Some("shows"), OBJECT), (None, CODE)],
    &[(Some("updates"), OBJECT), (None, CODE)],
    &[(Some("validate_doc_update"), &[Text, Object])],
    &[(Some("views"), OBJECT), (Some("lib"), OBJECT)],
    &[(Some("views"), OBJECT), (None, OBJECT), (Some("map"), CODE)],
    &[(Some("views"), OBJECT), (None, OBJECT), (Some("reduce"), &[Text])],
];

/// Refuses a design document that CouchDB would refuse: a field of the wrong type, a view without map function, an
/// unknown built-in, a function that does not compile.
pub async fn check(id: &str, body: &Map<String, Value>, limits: ScriptLimits, memory: &Budget) -> Result<()> {
    for path in PATHS {
        check_path(body, path, &mut Vec::new())?;
    }
    let is_query = body.get("language").and_then(Value::as_str) == Some("query");
    let views = body.get("views").and_then(Value::as_object);
    for (name, view) in views.into_iter().flatten().filter(|(name, _)| *name != "lib") {
        let expected = if is_query { Object } else { Text };
        match view.get("map") {
            None => {
                return Err(Error::InvalidDesign(format!(
                    "View `{name}` must contain map function"
                )));
            }
            Some(map) if !expected.is_of(map) => {
                let kind = expected.name();
                return Err(Error::InvalidDesign(format!(
                    "`views.{name}.map` field must have {kind} type"
                )));
            }
            Some(_) => {}
        }
        Function::built_in(view.get("reduce").and_then(Value::as_str).unwrap_or(""))?;
    }
    let language = body.get("language").and_then(Value::as_str);
    if views.is_none() || language.is_some_and(|language| language != super::JAVASCRIPT) {
        return Ok(());
    }
    let definition = Definition::parse(id, body, false, limits, memory)?;
    let compiled = definition.program.compile().await;
    compiled.map_err(|script| Error::Script {
        script,
        function: id.to_owned(),
        document: None,
    })
}

fn check_path(object: &Map<String, Value>, path: &[Step], above: &mut Vec<String>) -> Result<()> {
    let Some(((name, kinds), below)) = path.split_first() else {
        return Ok(());
    };
    let fields = object
        .iter()
        .filter(|(field, _)| name.is_none_or(|name| *field == name));
    for (field, value) in fields {
        above.push(field.clone());
        if !kinds.iter().any(|kind| kind.is_of(value)) {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            let message = format!(
                "`{}` field must have {} type",
                above.join("."),
                names.join(" or ")
            );
            return Err(Error::InvalidDesign(message));
        }
        if let Value::Object(inner) = value {
            check_path(inner, below, above)?;
        }
        above.pop();
    }
    Ok(())
}

impl Kind {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Array => value.is_array(),
            Boolean => value.is_boolean(),
            Object => value.is_object(),
            Text => value.is_string(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Array => "array",
            Boolean => "boolean",
            Object => "object",
            Text => "string",
        }
    }
}
