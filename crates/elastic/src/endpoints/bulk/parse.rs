//! The lines of a bulk request: what to do, and the line with the document to do it with. That is kept as text and read when its
//! turn comes, so that no more documents are in memory than are written together.

use crate::endpoints::document::{check_update, condition, own_version, parse_update};
use http::StatusCode;
use indices::documents::{check_id, source_of};
use indices::error::{ElasticError, Result};
use indices::write::{Change, OwnVersion};
use rest::source::SourceFilter;
use search::token_of;
use serde_json::Value;

/// One write of a bulk request.
pub(super) struct BulkItem<'b> {
    /// What it is called: `index`, `create`, `update`, `delete`.
    pub(super) verb: &'static str,
    pub(super) index: String,
    pub(super) id: Option<String>,
    pub(super) routing: Option<String>,
    /// The line with the document.
    pub(super) source: &'b [u8],
    pub(super) condition: Option<(u64, u64)>,
    /// The version that the document is to have.
    pub(super) version: Option<OwnVersion>,
    /// The pipeline that its document is to go through.
    pub(super) pipeline: Option<String>,
    pub(super) shown: Option<SourceFilter>,
    /// Whether its index must be named by an alias, where it says so.
    pub(super) requires_alias: Option<bool>,
}

impl BulkItem<'_> {
    /// What is to become of the document.
    pub(super) fn change(&mut self) -> Result<Change> {
        Ok(match self.verb {
            "delete" => Change::Delete,
            "update" => {
                let (update, shown) = parse_update(self.source, false)?;
                self.shown = self.shown.take().or(shown);
                Change::Update(update)
            }
            verb => Change::Put {
                document: source_of(self.source)?,
                create: verb == "create" || self.id.is_none(),
            },
        })
    }
}

/// The items of a body; `index` and `routing` are those of the ones that name none.
pub(super) fn items<'b>(
    body: &'b [u8],
    index: Option<&str>,
    routing: Option<&str>,
) -> Result<Vec<BulkItem<'b>>> {
    let Some(lines) = body.strip_suffix(b"\n").or(body.is_empty().then_some(body)) else {
        return Err(ElasticError::illegal(
            "The bulk request must be terminated by a newline [\\n]",
        ));
    };
    let mut items = Vec::new();
    let mut lines = lines.split(|byte| *byte == b'\n').enumerate();
    while let Some((at, line)) = lines.next() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        items.push(item(at + 1, line, &mut lines, index, routing)?);
    }
    match items.is_empty() {
        true => Err(ElasticError::validation(&["no requests added".to_owned()])),
        false => Ok(items),
    }
}

/// A number of an action, which may be written as a text.
fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::String(text) => text.parse().map_err(|_| no_number(text)),
        value => value.as_i64().ok_or_else(|| no_number(&value.to_string())),
    }
}

fn no_number(text: &str) -> ElasticError {
    let reason = format!("For input string: \"{text}\"");
    ElasticError::new(StatusCode::BAD_REQUEST, "number_format_exception", reason)
}

fn flag(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        value if value == "true" => Ok(true),
        value if value == "false" => Ok(false),
        other => Err(ElasticError::illegal(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

/// Refuses a version of its own where there can be none.
fn check_versioned(item: &BulkItem<'_>) -> Result<()> {
    let reason = match (item.verb, &item.id) {
        ("create", _) => "create operations only support internal versioning. use index instead",
        (_, None) => "an id must be provided if version type or value are set",
        _ => return Ok(()),
    };
    Err(ElasticError::validation(&[reason.to_owned()]))
}

/// What the options of an action say of other writes and of versions.
#[derive(Default)]
struct Conditions {
    sequence: Option<i64>,
    term: Option<i64>,
    version: Option<i64>,
    version_type: Option<String>,
    /// How often an update is tried again.
    retries: i64,
}

fn item<'a>(
    number: usize,
    line: &[u8],
    lines: &mut impl Iterator<Item = (usize, &'a [u8])>,
    index: Option<&str>,
    routing: Option<&str>,
) -> Result<BulkItem<'a>> {
    let Value::Object(action) = serde_json::from_slice(line)? else {
        return Err(malformed(number, "START_OBJECT"));
    };
    // What follows the first member says nothing.
    let Some((verb, options)) = action.iter().next() else {
        return Err(malformed(number, "FIELD_NAME but found [END_OBJECT]"));
    };
    let verb = verb_of(number, verb)?;
    let Value::Object(options) = options else {
        let found = token_of(options);
        let expected = format!("START_OBJECT or END_OBJECT but found [{found}]");
        return Err(malformed(number, &expected));
    };
    let mut item = BulkItem {
        verb,
        index: index.unwrap_or_default().to_owned(),
        id: None,
        routing: routing.map(str::to_owned),
        source: &[],
        condition: None,
        version: None,
        pipeline: None,
        shown: None,
        requires_alias: None,
    };
    let mut conditions = Conditions::default();
    for (name, value) in options {
        item.take(number, name, value, &mut conditions)?;
    }
    let retries = conditions.retries;
    item.check(conditions)?;
    if verb != "delete" {
        let missing = || {
            ElasticError::illegal(format!(
                "the action of line [{number}] has no line with its document"
            ))
        };
        (_, item.source) = lines.next().ok_or_else(missing)?;
    }
    if verb == "update" {
        // What is no update at all is refused with the whole request, as the server whose protocol this is does it: for that it is
        // read once more, and let go again.
        let (update, _) = parse_update(item.source, false)?;
        check_update(&update, item.condition.is_some(), retries)?;
    }
    Ok(item)
}

fn malformed(number: usize, expected: &str) -> ElasticError {
    ElasticError::illegal(format!(
        "Malformed action/metadata line [{number}], expected {expected}"
    ))
}

fn verb_of(number: usize, name: &str) -> Result<&'static str> {
    const VERBS: [&str; 4] = ["create", "delete", "index", "update"];
    let verb = VERBS.into_iter().find(|verb| *verb == name);
    let expected = || format!("field [create], [delete], [index] or [update] but found [{name}]");
    verb.ok_or_else(|| malformed(number, &expected()))
}

impl BulkItem<'_> {
    /// Takes one option of its action.
    fn take(&mut self, number: usize, name: &str, value: &Value, conditions: &mut Conditions) -> Result<()> {
        // What is null is as if it were not there: the request may say it for all its actions.
        if value.is_null() {
            return Ok(());
        }
        if matches!(value, Value::Object(_) | Value::Array(_)) && name != "_source" {
            let found = token_of(value);
            let expected = format!("a simple value for field [{name}] but found [{found}]");
            return Err(malformed(number, &expected));
        }
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match name {
            "_index" => self.index = text(value),
            "_id" => self.id = Some(text(value)),
            "if_seq_no" => conditions.sequence = Some(integer(value)?),
            "if_primary_term" => conditions.term = Some(integer(value)?),
            "_source" => self.shown = Some(SourceFilter::parse(value)?),
            "routing" | "_routing" => self.routing = Some(text(value)),
            "_type" => {}
            "retry_on_conflict" | "_retry_on_conflict" => conditions.retries = integer(value)?,
            "require_alias" => self.requires_alias = Some(flag(value)?),
            // An `index` that says `create` is one; whatever else is said here changes nothing.
            "op_type" if self.verb == "index" && value == "create" => self.verb = "create",
            "op_type" => {}
            // Updates go through none.
            "pipeline" => self.pipeline = Some(text(value)).filter(|_| self.verb != "update"),
            "version" | "_version" => conditions.version = Some(integer(value)?),
            "version_type" | "_version_type" => conditions.version_type = Some(text(value)),
            other => {
                let reason =
                    format!("Action/metadata line [{number}] contains an unknown parameter [{other}]");
                return Err(ElasticError::illegal(reason));
            }
        }
        Ok(())
    }

    /// Takes the conditions, and refuses what cannot be done.
    fn check(&mut self, conditions: Conditions) -> Result<()> {
        let Conditions {
            sequence,
            term,
            version,
            version_type,
            ..
        } = conditions;
        self.condition = condition(sequence, term)?;
        if self.verb == "update" && (version.is_some() || version_type.is_some()) {
            return Err(ElasticError::illegal(
                "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead",
            ));
        }
        self.version = own_version(version_type.as_deref(), version, self.verb == "create")?;
        if self.version.is_some() {
            check_versioned(self)?;
        }
        if self.index.is_empty() {
            return Err(ElasticError::validation(&["index is missing".to_owned()]));
        }
        if let Some(id) = self.id.as_ref().filter(|id| !id.is_empty()) {
            check_id(id)?;
        }
        if self.id.is_none() && matches!(self.verb, "update" | "delete") {
            return Err(ElasticError::validation(&["id is missing".to_owned()]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_members_of_an_item_leave_the_requests_values() {
        let body = b"{\"index\": {\"_index\": null, \"_id\": null, \"routing\": null, \"version\": null, \"require_alias\": null, \"x\": null}}\n{}\n";
        let items = items(body, Some("logs"), Some("r")).expect("items");
        let [item] = &items[..] else {
            panic!("{} items", items.len());
        };
        assert_eq!(
            (item.index.as_str(), item.routing.as_deref()),
            ("logs", Some("r"))
        );
        assert_eq!((item.id.as_deref(), item.requires_alias), (None, None));
        assert!(item.version.is_none() && item.condition.is_none());
    }
}
