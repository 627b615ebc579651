//! Fields of what can be typed in part: their settings, and what documents have of them.

use crate::error::{ErrorKind, Result, SearchError};
use crate::fields::{View, text_of, values_at};
use crate::geo::Point;
use crate::json::{Members, as_i64, scalar, whole};
use crate::mapping::{Field, FieldKind, Mapping};
use serde_json::Value;
use std::collections::BTreeMap;
use value::{DocumentRef, ValueRef};

/// Contexts of a field at most, as in Elasticsearch.
const CONTEXTS_MAX: usize = 10;
/// The size of geohashes' cells of each length, from corner to corner, in metres.
const CELL_METRES: [f64; 12] = [
    7_072_000.0,
    1_394_000.0,
    221_000.0,
    43_700.0,
    6_920.0,
    1_360.0,
    216.0,
    42.7,
    6.75,
    1.33,
    0.211,
    0.0417,
];

/// The settings of such a field.
#[derive(Clone, Debug, Default)]
pub struct Completion {
    /// What else a search may ask for.
    pub contexts: Vec<Context>,
    /// Whether words are kept apart.
    pub keeps_separators: bool,
    input_chars_max: usize,
}

/// What an entry is filed under.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its name.
    pub name: String,
    /// The characters of a geohash; `None` for a category.
    pub precision: Option<usize>,
    /// The field from which it comes where an entry does not say it.
    path: Option<String>,
}

/// What a document has in such a field.
#[derive(Clone, Debug)]
pub struct CompletionEntry {
    /// What can be typed to find it.
    pub inputs: Vec<String>,
    /// How much it counts beside others.
    pub weight: i64,
    /// The values of its contexts by their names.
    pub contexts: BTreeMap<String, Vec<String>>,
}

impl Completion {
    pub(crate) fn parse(field: &str, members: &mut Members<'_>) -> Result<Completion> {
        let keeps_separators = members.flag("preserve_separators")?.unwrap_or(true);
        // Gaps of words that are left out are never kept here; both forms are found.
        members.flag("preserve_position_increments")?;
        let length = members.count("max_input_length")?.unwrap_or(50);
        let mut contexts = Vec::new();
        let given = members
            .take("contexts")
            .map(crate::json::one_or_many)
            .unwrap_or_default();
        if given.len() > CONTEXTS_MAX {
            return Err(SearchError::mapper(format!(
                "Limit of completion field contexts [{CONTEXTS_MAX}] has been exceeded in [{field}]"
            )));
        }
        for value in given {
            contexts.push(Context::parse(value)?);
        }
        Ok(Completion {
            contexts,
            keeps_separators,
            input_chars_max: length.max(1),
        })
    }
}

impl Context {
    fn parse(value: &Value) -> Result<Context> {
        let mut members = Members::of("contexts", value)?;
        let missing = |what: &str| SearchError::mapper(format!("[{what}] is missing in context mapping"));
        let name = members.text("name")?.ok_or_else(|| missing("name"))?;
        let kind = members.text("type")?.ok_or_else(|| missing("type"))?;
        let path = members.text("path")?;
        let precision = members.take("precision");
        members.end()?;
        let precision = match kind.as_str() {
            "category" => None,
            "geo" => Some(precision.map_or(Ok(6), cell_length)?),
            other => {
                return Err(SearchError::mapper(format!("unknown context type [{other}]")));
            }
        };
        Ok(Context {
            name,
            precision,
            path,
        })
    }

    /// What the values of a document are filed under.
    fn keys(&self, values: &[ValueRef<'_>]) -> Vec<String> {
        match self.precision {
            None => values.iter().filter_map(|value| text_of(*value)).collect(),
            Some(length) => Point::all(values)
                .into_iter()
                .map(|point| point.geohash(length))
                .collect(),
        }
    }
}

/// The length of geohashes whose cells are this small.
pub fn cell_length(precision: &Value) -> Result<usize> {
    let invalid = || SearchError::illegal(format!("[{precision}] is no precision of a geohash"));
    if let Some(length) = as_i64(precision) {
        return usize::try_from(length)
            .ok()
            .filter(|length| (1..=12).contains(length))
            .ok_or_else(invalid);
    }
    let metres = crate::geo::metres(&scalar(precision).unwrap_or_default()).ok_or_else(invalid)?;
    let fits = CELL_METRES.iter().position(|size| *size <= metres);
    Ok(fits.map_or(12, |at| at + 1))
}

/// The texts of one value.
pub fn inputs(value: ValueRef<'_>) -> Vec<String> {
    match value {
        ValueRef::String(text) => vec![text.to_owned()],
        ValueRef::Document(entry) => {
            let mut found = Vec::new();
            values_at(entry, "input", &mut found);
            found.into_iter().filter_map(text_of).collect()
        }
        _ => Vec::new(),
    }
}

/// The entries of a document.
pub fn entries(view: &View<'_>, field: &Field) -> Vec<CompletionEntry> {
    let Some(settings) = &field.completion else {
        return Vec::new();
    };
    view.raw(field)
        .into_iter()
        .map(|value| entry(view, settings, value))
        .filter(|entry| !entry.inputs.is_empty())
        .collect()
}

fn entry(view: &View<'_>, settings: &Completion, value: ValueRef<'_>) -> CompletionEntry {
    let cut = |text: String| text.chars().take(settings.input_chars_max).collect();
    let inputs = inputs(value).into_iter().map(cut).collect();
    let object = value.as_document();
    let weight = object.and_then(|object| object.get("weight"));
    let weight = weight.and_then(|weight| match weight {
        ValueRef::String(text) => text.parse().ok(),
        number => number.as_i64_exact().or_else(|| number.as_f64().and_then(whole)),
    });
    let mut contexts = BTreeMap::new();
    for context in &settings.contexts {
        let mut found = Vec::new();
        if let Some(ValueRef::Document(given)) = object.and_then(|object| object.get("contexts")) {
            values_at(given, &context.name, &mut found);
        }
        let mut keys = context.keys(&found);
        if let Some(path) = &context.path {
            let mut found = Vec::new();
            values_at(view.root, path, &mut found);
            keys.extend(context.keys(&found));
        }
        contexts.insert(context.name.clone(), keys);
    }
    CompletionEntry {
        inputs,
        weight: weight.unwrap_or(1),
        contexts,
    }
}

/// Refuses a value that is nothing to be completed.
pub fn check(field: &Field, value: ValueRef<'_>) -> Result<()> {
    let failed = |why: String| Err(SearchError::mapper(why));
    match value {
        ValueRef::String("") => failed(format!("value must have a length > 0 in field [{}]", field.name)),
        ValueRef::String(_) => Ok(()),
        ValueRef::Document(entry) => {
            for (name, value) in entry.iter() {
                match name {
                    "input" => {}
                    "contexts" if field.completion.as_ref().is_some_and(|c| !c.contexts.is_empty()) => {}
                    "weight" => {
                        let weight = match value {
                            ValueRef::String(text) => text.parse::<i64>().ok(),
                            number => number.as_i64_exact(),
                        };
                        if weight.is_none_or(|weight| !(0..=i64::from(i32::MAX)).contains(&weight)) {
                            return failed(format!(
                                "weight must be in the interval [0..2147483647] in field [{}]",
                                field.name
                            ));
                        }
                    }
                    other => {
                        return failed(format!(
                            "unknown field name [{other}], must be one of [input, weight, contexts]"
                        ));
                    }
                }
            }
            Ok(())
        }
        _ => failed(format!(
            "failed to parse [{}]: expected text or object, but got a value of another type",
            field.name
        )),
    }
}

impl Mapping {
    /// The names of the fields that complete what is typed in part.
    pub fn completion_fields(&self) -> Vec<String> {
        let is_completion = |field: &Field| field.kind == FieldKind::Completion;
        self.fields()
            .filter(|(_, field)| is_completion(field))
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    /// The bytes of what a document has in each of these fields.
    pub fn completion_bytes(&self, document: DocumentRef<'_>, fields: &[String]) -> Vec<u64> {
        let view = View::of_document(self, document);
        let of = |name: &String| {
            let field = self.field(name)?;
            let entries = entries(&view, &field);
            let texts = entries.iter().flat_map(|entry| &entry.inputs);
            Some(texts.map(|text| text.len() as u64 + 8).sum())
        };
        fields.iter().map(|name| of(name).unwrap_or(0)).collect()
    }

    /// Refuses a document whose entries are filed under nothing where they must be.
    pub fn check_contexts(&self, document: DocumentRef<'_>) -> Result<()> {
        let wanting = self.fields().filter(|(_, field)| {
            let settings = field.completion.as_ref();
            settings.is_some_and(|settings| !settings.contexts.is_empty())
        });
        let view = View::of_document(self, document);
        for (name, field) in wanting {
            let is_bare = |entry: &CompletionEntry| entry.contexts.values().all(Vec::is_empty);
            if entries(&view, field).iter().any(is_bare) {
                let reason = format!("Contexts are mandatory in context enabled completion field [{name}]");
                return Err(SearchError::new(ErrorKind::IllegalArgument, reason));
            }
        }
        Ok(())
    }
}
