//! The lines of a bulk request: what to do, and the line with the document to do it with. That is kept as text and read when its
//! turn comes, so that no more documents are in memory than are written together.

use crate::documents::{check_id, source_of};
use crate::endpoints::document::{check_update, condition, own_version, parse_update};
use crate::error::{ElasticError, Result};
use crate::source::SourceFilter;
use crate::write::{Change, OwnVersion};
use http::StatusCode;
use search::token_of;
use serde_json::Value;

/// One write of a bulk request.
pub(super) struct Item<'b> {
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

impl Item<'_> {
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
pub(super) fn items<'b>(body: &'b [u8], index: Option<&str>, routing: Option<&str>) -> Result<Vec<Item<'b>>> {
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
fn integer(value: &Value) -> Result<Option<i64>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => text.parse().map(Some).map_err(|_| no_number(text)),
        value => match value.as_i64() {
            Some(number) => Ok(Some(number)),
            None => Err(no_number(&value.to_string())),
        },
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
fn check_versioned(item: &Item<'_>) -> Result<()> {
    let reason = match (item.verb, &item.id) {
        ("create", _) => "create operations only support internal versioning. use index instead",
        (_, None) => "an id must be provided if version type or value are set",
        _ => return Ok(()),
    };
    Err(ElasticError::validation(&[reason.to_owned()]))
}

fn item<'a>(
    number: usize,
    line: &[u8],
    lines: &mut impl Iterator<Item = (usize, &'a [u8])>,
    index: Option<&str>,
    routing: Option<&str>,
) -> Result<Item<'a>> {
    let malformed = |found: &str| {
        ElasticError::illegal(format!(
            "Malformed action/metadata line [{number}], expected {found}"
        ))
    };
    let Value::Object(action) = serde_json::from_slice(line)? else {
        return Err(malformed("START_OBJECT"));
    };
    // What follows the first member says nothing.
    let Some((verb, options)) = action.iter().next() else {
        return Err(malformed("FIELD_NAME but found [END_OBJECT]"));
    };
    let verb = match verb.as_str() {
        "index" => "index",
        "create" => "create",
        "update" => "update",
        "delete" => "delete",
        other => {
            return Err(malformed(&format!(
                "field [create], [delete], [index] or [update] but found [{other}]"
            )));
        }
    };
    let Value::Object(options) = options else {
        return Err(malformed(&format!(
            "START_OBJECT or END_OBJECT but found [{}]",
            token_of(options)
        )));
    };
    let mut item = Item {
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
    let (mut sequence, mut term) = (None, None);
    let (mut version, mut version_type) = (None, None);
    let mut retries = 0;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    for (name, value) in options {
        let is_filter = name == "_source" && matches!(value, Value::Object(_) | Value::Array(_));
        if matches!(value, Value::Object(_) | Value::Array(_)) && !is_filter {
            let found = token_of(value);
            return Err(malformed(&format!(
                "a simple value for field [{name}] but found [{found}]"
            )));
        }
        match name.as_str() {
            "_index" => item.index = text(value).unwrap_or_default(),
            "_id" => item.id = text(value),
            "if_seq_no" => sequence = integer(value)?,
            "if_primary_term" => term = integer(value)?,
            "_source" => item.shown = Some(SourceFilter::parse(value)?),
            "routing" | "_routing" => item.routing = text(value),
            "_type" => {}
            "retry_on_conflict" | "_retry_on_conflict" => retries = integer(value)?.unwrap_or(0),
            "require_alias" => item.requires_alias = Some(flag(value)?),
            // An `index` that says `create` is one; whatever else is said here changes nothing.
            "op_type" if item.verb == "index" && value == "create" => item.verb = "create",
            "op_type" => {}
            // Updates go through none.
            "pipeline" => item.pipeline = text(value).filter(|_| verb != "update"),
            "version" | "_version" => version = integer(value)?,
            "version_type" | "_version_type" => version_type = text(value),
            other => {
                let reason =
                    format!("Action/metadata line [{number}] contains an unknown parameter [{other}]");
                return Err(ElasticError::illegal(reason));
            }
        }
    }
    item.condition = condition(sequence, term)?;
    if verb == "update" && (version.is_some() || version_type.is_some()) {
        return Err(ElasticError::illegal(
            "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead",
        ));
    }
    item.version = own_version(version_type.as_deref(), version, item.verb == "create")?;
    if item.version.is_some() {
        check_versioned(&item)?;
    }
    if item.index.is_empty() {
        return Err(ElasticError::validation(&["index is missing".to_owned()]));
    }
    if let Some(id) = item.id.as_ref().filter(|id| !id.is_empty()) {
        check_id(id)?;
    }
    if item.id.is_none() && matches!(verb, "update" | "delete") {
        return Err(ElasticError::validation(&["id is missing".to_owned()]));
    }
    if verb != "delete" {
        let missing = || {
            ElasticError::illegal(format!(
                "the action of line [{number}] has no line with its document"
            ))
        };
        (_, item.source) = lines.next().ok_or_else(missing)?;
        if verb == "update" {
            // What is no update at all is refused with the whole request, as the server whose protocol this is does it: for that it is
            // read once more, and let go again.
            let (update, _) = parse_update(item.source, false)?;
            check_update(&update, item.condition.is_some(), retries)?;
        }
    }
    Ok(item)
}
