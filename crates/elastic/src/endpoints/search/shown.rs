//! How hits are shown.

use fetch::{ScriptField, ValuesOf, WantedField};
use indices::Index;
use indices::documents::put_routing;
use indices::error::{ElasticError, Result};
use indices::settings;
use rest::source::SourceFilter;
use search::token_of;
use search::{Highlight, Hit, Mapping, Query};
use serde_json::{Map, Value, json};

/// How hits are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) source: SourceFilter,
    pub(crate) version: bool,
    pub(crate) sequence: bool,
    pub(crate) total_as_number: bool,
    fields: Vec<WantedField>,
    columns: Vec<WantedField>,
    stored: Vec<WantedField>,
    scripts: Vec<ScriptField>,
    /// Without ids.
    is_bare: bool,
    /// Why a hit has its score.
    explain: bool,
    has_source: bool,
    highlight: Option<Highlight>,
}

impl Shown {
    /// Takes what a body says of how hits are shown; gives what it says besides.
    pub(crate) fn take(body: &Map<String, Value>) -> Result<(Shown, Map<String, Value>)> {
        let mut shown = Shown::default();
        let mut rest = Map::new();
        for (name, value) in body {
            match name.as_str() {
                "_source" => {
                    shown.source = SourceFilter::parse(value)?;
                    shown.has_source = true;
                }
                "version" => shown.version = is_true(value),
                "seq_no_primary_term" => shown.sequence = is_true(value),
                "fields" => shown.fields = WantedField::parse(value)?,
                "docvalue_fields" => shown.columns = WantedField::parse(value)?,
                "stored_fields" => shown.store(value)?,
                "script_fields" => shown.scripts = ScriptField::parse(value)?,
                "highlight" => shown.highlight = Some(Highlight::parse(value)?),
                "explain" => shown.explain = is_true(value),
                _ => drop(rest.insert(name.clone(), value.clone())),
            }
        }
        if !shown.has_source {
            // A request for fields alone is not shown the document.
            shown.source.hidden = match body.get("stored_fields") {
                Some(stored) => !names(stored).iter().any(|name| name == "_source"),
                None => !shown.scripts.is_empty(),
            };
        }
        Ok((shown, rest))
    }

    /// Refuses more columns and scripts than an index lets a search have.
    pub(crate) fn check(&self, index: &Index, mapping: &Mapping) -> Result<()> {
        let columns = fetch::count(mapping, &self.columns);
        let all = [
            ("docvalue_fields", "max_docvalue_fields_search", columns),
            ("script_fields", "max_script_fields", self.scripts.len()),
        ];
        for (name, setting, count) in all.into_iter().filter(|(.., count)| *count > 0) {
            let most = index.limit(setting)?;
            if count > most {
                return Err(ElasticError::illegal(format!(
                    "Trying to retrieve too many {name}. Must be less than or equal to: [{most}] but was [{count}]. This limit can be set \
                     by changing the [index.{setting}] index level setting."
                )));
            }
        }
        Ok(())
    }

    /// `_none_`, or names; whoever asks for fields does not see the document unless it asks for that, too.
    fn store(&mut self, value: &Value) -> Result<()> {
        let mut wanted = names(value);
        if wanted == ["_none_"] {
            self.is_bare = true;
            return Ok(());
        }
        wanted.retain(|name| name != "_source" && name != "_routing");
        self.stored = WantedField::parse(&json!(wanted))?;
        Ok(())
    }

    /// Takes the same from the parameters of a request, in whose place the body's are not.
    pub(crate) fn source_given(&mut self, filter: Option<SourceFilter>) {
        if let Some(filter) = filter {
            self.source = filter;
        }
    }

    /// A hit as a client sees it.
    pub(crate) fn hit(
        &self,
        index: &Index,
        mapping: &Mapping,
        hit: &Hit,
        query: Option<&Query>,
        score: Option<f32>,
        is_sorted: bool,
    ) -> Result<Value> {
        let mut body = self.head(index, hit)?;
        body.insert("_score".to_owned(), score.map_or(Value::Null, number));
        if !hit.ignored.is_empty() {
            body.insert("_ignored".to_owned(), json!(hit.ignored));
        }
        let source = self.source.of_mapping(mapping);
        if !source.hidden && !self.is_bare {
            let path = hit.nested.last().map_or("", |(path, _)| path);
            body.insert("_source".to_owned(), source.shown_at(&hit.document, path));
        }
        fetch::check_source(mapping, &index.name, &self.fields)?;
        let fields = self.values(mapping, hit)?;
        if !fields.is_empty() {
            body.insert("fields".to_owned(), Value::Object(fields));
        }
        if let Some(highlight) = &self.highlight {
            let chars_max = settings::highlighted_chars_max(&index.given_settings());
            let found = highlight.of(mapping, hit, query, value::date::now_ms(), chars_max)?;
            if !found.is_empty() {
                body.insert("highlight".to_owned(), Value::Object(found));
            }
        }
        if is_sorted {
            body.insert("sort".to_owned(), Value::Array(hit.sort_values()));
        }
        if !hit.matched.is_empty() {
            let names: Vec<&str> = hit.matched.iter().map(|name| &**name).collect();
            body.insert("matched_queries".to_owned(), json!(names));
        }
        if self.explain {
            let value = number(hit.score.unwrap_or(0.0));
            body.insert(
                "_explanation".to_owned(),
                json!({"value": value, "description": "the score of the whole query, by BM25", "details": []}),
            );
        }
        Ok(Value::Object(body))
    }

    /// Which object it is, and in which version.
    fn head(&self, index: &Index, hit: &Hit) -> Result<Map<String, Value>> {
        let mut body = Map::new();
        body.insert("_index".to_owned(), json!(index.name));
        if !self.is_bare {
            body.insert("_type".to_owned(), json!("_doc"));
            body.insert("_id".to_owned(), json!(hit.id));
            if hit.nested.is_empty() {
                put_routing(&mut body, &hit.document);
            }
        }
        body.extend(nested(&hit.nested).map(|nested| ("_nested".to_owned(), nested)));
        // Nested objects all have the first version, and no numbers of changes.
        let is_nested = !hit.nested.is_empty();
        if self.version {
            let version = if is_nested { 1 } else { hit.version };
            body.insert("_version".to_owned(), json!(version));
        }
        if self.sequence && !is_nested {
            body.insert("_seq_no".to_owned(), json!(hit.sequence));
            body.insert("_primary_term".to_owned(), json!(1));
        }
        Ok(body)
    }

    /// The values of all fields that are asked for, from wherever they are taken.
    fn values(&self, mapping: &Mapping, hit: &Hit) -> Result<Map<String, Value>> {
        let mut fields = fetch::fetched(mapping, hit, &self.columns, ValuesOf::Columns)?;
        fetch::put_scripted(mapping, hit, &self.scripts, &mut fields)?;
        fields.extend(fetch::fetched(mapping, hit, &self.fields, ValuesOf::Source)?);
        fields.extend(fetch::fetched_stored(mapping, hit, &self.stored)?);
        Ok(fields)
    }

    /// Whether scores are shown whatever the order is.
    pub(crate) fn wants_scores(&self) -> bool {
        self.explain
    }
}

/// Where a nested object is: in which one of those around it.
fn nested(places: &[(String, usize)]) -> Option<Value> {
    let mut told: Option<Value> = None;
    for (at, (path, offset)) in places.iter().enumerate().rev() {
        let around = at.checked_sub(1).and_then(|before| places.get(before));
        let within = around.and_then(|(around, _)| path.strip_prefix(around.as_str())?.strip_prefix('.'));
        let mut one = json!({"field": within.unwrap_or(path), "offset": offset});
        if let Some(inner) = told {
            one["_nested"] = inner;
        }
        told = Some(one);
    }
    told
}

fn is_true(value: &Value) -> bool {
    value.as_bool() == Some(true) || value == "true"
}

fn names(value: &Value) -> Vec<String> {
    let list = match value {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    list.iter()
        .filter_map(Value::as_str)
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

/// A score with the digits that it has, not those of the double next to it.
pub(crate) fn number(score: f32) -> Value {
    serde_json::from_str(&format!("{score:?}")).unwrap_or_else(|_| json!(score))
}

/// What a body says that is neither asked nor shown.
pub(crate) fn refuse(body: &Map<String, Value>) -> Result<()> {
    for (name, value) in body {
        let kind = token_of(value);
        match name.as_str() {
            "profile" if value.as_bool() != Some(true) => {}
            "knn" | "runtime_mappings" | "profile" | "ext" | "rank" | "retriever" => {
                return Err(ElasticError::unsupported(format!("[{name}] of a search")));
            }
            other => {
                return Err(ElasticError::parsing(format!(
                    "Unknown key for a {kind} in [{other}]."
                )));
            }
        }
    }
    Ok(())
}
