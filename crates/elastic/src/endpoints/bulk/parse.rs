//! The lines of a bulk request: what to do, and the line with the document to do it with. That is kept as text and read when its
//! turn comes, so that no more documents are in memory than are written together.

use crate::documents::source_of;
use crate::endpoints::document::{condition, own_version, parse_update};
use crate::error::{ElasticError, Result};
use crate::source::SourceFilter;
use crate::write::{Change, OwnVersion};
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

/// Refuses a version of its own where there can be none.
fn check_versioned(item: &Item<'_>) -> Result<()> {
    let reason = match (item.verb, &item.id) {
        ("create", _) => "create operations only support internal versioning. use index instead",
        ("update", _) => {
            "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and \
            `if_primary_term` instead"
        }
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
    let mut members = action.iter();
    let (Some((verb, options)), None) = (members.next(), members.next()) else {
        return Err(malformed("one action as the only member"));
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
        return Err(malformed("START_OBJECT"));
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
    };
    let (mut sequence, mut term) = (None, None);
    let (mut version, mut version_type) = (None, None);
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    for (name, value) in options {
        match name.as_str() {
            "_index" => item.index = text(value).unwrap_or_default(),
            "_id" => item.id = text(value),
            "if_seq_no" => sequence = value.as_i64(),
            "if_primary_term" => term = value.as_i64(),
            "_source" => item.shown = Some(SourceFilter::parse(value)?),
            "routing" | "_routing" => item.routing = text(value),
            "_type" | "retry_on_conflict" | "_retry_on_conflict" | "require_alias" => {}
            // An `index` that says `create` is one.
            "op_type" => match value.as_str() {
                Some("create") if item.verb == "index" => item.verb = "create",
                Some("index" | "create") => {}
                _ => {
                    return Err(ElasticError::illegal(format!(
                        "opType must be 'create' or 'index', found: [{value}]"
                    )));
                }
            },
            "pipeline" if verb == "update" => {
                return Err(ElasticError::unsupported(
                    "[pipeline] of a bulk item that updates",
                ));
            }
            "pipeline" => item.pipeline = text(value),
            "version" | "_version" => version = value.as_i64(),
            "version_type" | "_version_type" => version_type = text(value),
            other => {
                let reason =
                    format!("Action/metadata line [{number}] contains an unknown parameter [{other}]");
                return Err(ElasticError::illegal(reason));
            }
        }
    }
    item.condition = condition(sequence, term)?;
    item.version = own_version(version_type.as_deref(), version, item.verb == "create")?;
    if item.version.is_some() {
        check_versioned(&item)?;
    }
    if item.index.is_empty() {
        return Err(ElasticError::validation(&["index is missing".to_owned()]));
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
            parse_update(item.source, false)?;
        }
    }
    Ok(item)
}
