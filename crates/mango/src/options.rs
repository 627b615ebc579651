//! What a query asks (`src/mango/src/mango_opts.erl`).

use crate::Selector;
use crate::error::{Error, Result, shown};
use crate::sort::Sort;
use value::{Document, Value, doc};

/// The number of documents to return if the client does not say.
const LIMIT_DEFAULT: u64 = 25;

/// The documents that may be examined for each that is found without a warning, if the settings do not say
/// (CouchDB's `index_scan_warning_threshold`).
const EXAMINED_FOR_EACH_MAX: u64 = 10;

/// The body of `_find` and `_explain`.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// What is asked for.
    pub selector: Selector,
    /// A design document and perhaps a name; empty if none is named.
    pub use_index: Vec<String>,
    /// Where a query before this one ended.
    pub bookmark: Option<String>,
    /// The number of documents wanted.
    pub limit: u64,
    /// The number of documents to skip first.
    pub skip: u64,
    /// The order that is wanted; empty for that of the index.
    pub sort: Sort,
    /// None for whole documents.
    pub fields: Option<Vec<String>>,
    /// The partition that is asked; `None` for the whole database.
    pub partition: Option<String>,
    /// The copies to read: one here, but more are counted apart in the statistics.
    pub r: u64,
    /// Whether documents list their conflicts.
    pub conflicts: bool,
    /// Whether an index is read as it is (`stale=ok`).
    pub stale: bool,
    /// Whether an index that is not built is built first.
    pub update: bool,
    /// Whether one copy answers always; the same here.
    pub stable: bool,
    /// Whether the answer says how much was examined.
    pub execution_stats: bool,
    /// Whether another index than that of `use_index` may answer.
    pub allow_fallback: bool,
    /// The documents that may be examined for each that is found before the answer warns; 0 where it never does. Clients do not say
    /// that, settings do.
    pub examined_max: u64,
}

impl FindOptions {
    /// Reads the body; `partition` is that of the path. Whether a partition may have such a name is left to the caller.
    pub fn parse(body: &Document, partition: Option<&str>) -> Result<FindOptions> {
        let selector = match body.get("selector") {
            Some(Value::Document(selector)) => Selector::parse_query(selector)?,
            Some(other) => {
                let reason = format!("Selector must be a JSON object, not: {}", shown(other));
                return Err(Error::refused("invalid_selector_json", reason));
            }
            None => {
                return Err(Error::refused(
                    "missing_required_key",
                    "Missing required key: selector",
                ));
            }
        };
        let mut options = FindOptions {
            selector,
            use_index: Vec::new(),
            bookmark: None,
            limit: LIMIT_DEFAULT,
            skip: 0,
            sort: Sort::default(),
            fields: None,
            partition: partition.map(str::to_owned),
            r: 1,
            conflicts: false,
            stale: false,
            update: true,
            stable: false,
            execution_stats: false,
            allow_fallback: true,
            examined_max: EXAMINED_FOR_EACH_MAX,
        };
        for (name, value) in body.iter().filter(|(name, _)| *name != "selector") {
            options.set(name, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        match name {
            "use_index" => self.use_index = use_index(value)?,
            "bookmark" => self.bookmark = bookmark(value)?,
            "limit" => self.limit = count(value)?,
            "skip" => self.skip = count(value)?,
            "sort" => self.sort = Sort::parse(value)?,
            "fields" => self.fields = fields(value)?,
            "partition" => self.set_partition(value)?,
            "r" => self.r = positive(value)?,
            "conflicts" => self.conflicts = flag(value)?,
            "stale" => self.stale = stale(value)?,
            "update" => self.update = flag(value)?,
            "stable" => self.stable = flag(value)?,
            "execution_stats" => self.execution_stats = flag(value)?,
            "allow_fallback" => self.allow_fallback = flag(value)?,
            unknown => return Err(invalid_key(unknown)),
        }
        Ok(())
    }

    fn set_partition(&mut self, value: &Value) -> Result<()> {
        match (value, &self.partition) {
            (Value::String(name), _) if name.is_empty() => Ok(()),
            (Value::String(name), Some(of_path)) if name != of_path => Err(Error::refused(
                "bad_partition",
                format!("the body names the partition {name}, the path {of_path}"),
            )),
            (Value::String(name), _) => {
                self.partition = Some(name.clone());
                Ok(())
            }
            (other, _) => Err(Error::refused(
                "invalid_string",
                format!("Invalid string: {}", shown(other)),
            )),
        }
    }

    /// The fields that the answer is made of and that the selector looks at; `None` if whole documents are needed.
    pub fn needed(&self) -> Option<impl Iterator<Item = &str>> {
        let fields = self.fields.as_ref()?;
        Some(fields.iter().map(String::as_str).chain(self.selector.fields()))
    }

    /// What `_explain` shows under `opts`.
    pub fn to_document(&self) -> Document {
        let texts = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Value::from(text.as_str()))
                .collect::<Value>()
        };
        doc! {
            "use_index": texts(&self.use_index),
            "bookmark": self.bookmark.as_deref().unwrap_or("nil"),
            "limit": number(self.limit),
            "skip": number(self.skip),
            "sort": self.sort.to_object(),
            "fields": texts(self.fields.as_deref().unwrap_or_default()),
            "partition": self.partition.as_deref().unwrap_or_default(),
            "r": number(self.r),
            "conflicts": self.conflicts,
            "stale": if self.stale { Value::from("ok") } else { Value::Bool(false) },
            "update": self.update,
            "stable": self.stable,
            "execution_stats": self.execution_stats,
            "allow_fallback": self.allow_fallback,
        }
    }
}

/// A count as JSON.
pub fn number(count: u64) -> Value {
    Value::Int64(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A name that no option has.
pub fn invalid_key(name: &str) -> Error {
    Error::refused("invalid_key", format!("Invalid key {name} for this request."))
}

/// Reads a boolean.
pub fn flag(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        other => Err(Error::refused(
            "invalid_boolean",
            format!("Invalid boolean value: {}", shown(other)),
        )),
    }
}

fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::Int32(number) => u64::try_from(*number).ok(),
        Value::Int64(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

fn count(value: &Value) -> Result<u64> {
    integer(value).ok_or_else(|| {
        let reason = format!("{} is not an integer greater than or equal to zero", shown(value));
        Error::refused("invalid_non_neg_integer", reason)
    })
}

/// Reads a whole number above zero.
pub fn positive(value: &Value) -> Result<u64> {
    integer(value).filter(|number| *number > 0).ok_or_else(|| {
        let reason = format!("{} is not an integer greater than zero", shown(value));
        Error::refused("invalid_pos_integer", reason)
    })
}

fn stale(value: &Value) -> Result<bool> {
    match value {
        Value::String(text) if text == "ok" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        Value::Bool(false) => Ok(false),
        other => Err(Error::refused(
            "invalid_ok_or_false_value",
            format!("Invalid value for stale: {}", shown(other)),
        )),
    }
}

fn bookmark(value: &Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        other => Err(Error::invalid_bookmark(&shown(other))),
    }
}

/// The fields that documents are shown with; `None` for all.
pub fn fields(value: &Value) -> Result<Option<Vec<String>>> {
    let Value::Array(names) = value else {
        let reason = format!("Fields must be an array of strings, not: {}", shown(value));
        return Err(Error::refused("invalid_fields", reason));
    };
    let name = |name: &Value| match name {
        Value::String(name) if name.split('.').any(str::is_empty) => Err(Error::refused(
            "invalid_field_name",
            format!("Invalid field name: {name}"),
        )),
        Value::String(name) => Ok(name.clone()),
        other => Err(Error::refused(
            "invalid_field",
            format!("Invalid JSON for field spec: {}", shown(other)),
        )),
    };
    let names: Vec<String> = names.iter().map(name).collect::<Result<_>>()?;
    Ok((!names.is_empty()).then_some(names))
}

/// A design document, and perhaps the name of one of its indexes.
pub fn use_index(value: &Value) -> Result<Vec<String>> {
    let invalid = || {
        Error::refused(
            "invalid_index_name",
            format!("Invalid index name: {}", shown(value)),
        )
    };
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(name) => {
            let parts: Vec<&str> = name.split('/').collect();
            match parts[..] {
                ["_design", design] | [design] => Ok(vec![design.to_owned()]),
                ["_design", design, name] | [design, name] => Ok(vec![design.to_owned(), name.to_owned()]),
                _ => Err(invalid()),
            }
        }
        Value::Array(parts) if parts.len() <= 2 => parts
            .iter()
            .map(|part| match part {
                Value::String(part) => Ok(part.clone()),
                _ => Err(invalid()),
            })
            .collect(),
        _ => Err(invalid()),
    }
}
