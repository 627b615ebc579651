//! Fields as mappings define them: a type, and parameters, some of which all types have.

use super::as_you_type;
use super::field::{Field, FieldKind, Meta};
use crate::analysis::{Analysis, Analyzer, position_gap};
use crate::completion::Completion;
use crate::dates::DateFormats;
use crate::error::{Result, SearchError};
use crate::flattened::{self, Flattened};
use crate::json::{Members, as_bool, as_f64, one_or_many, scalar};
use crate::vectors::{self, Vectors};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Parameters that change nothing of what is found.
const WITHOUT_EFFECT: [&str; 6] = [
    "eager_global_ordinals",
    "index_phrases",
    "index_prefixes",
    "term_vector",
    "meta",
    "index_options",
];

/// Parameters that a field with one value for all documents has not.
const CONSTANTS_HAVE_NOT: [&str; 5] = ["index", "doc_values", "store", "null_value", "copy_to"];
/// Those that an object as a field has not.
const FLATTENED_HAVE_NOT: [&str; 7] = [
    "store",
    "copy_to",
    "normalizer",
    "ignore_malformed",
    "coerce",
    "fields",
    "properties",
];
/// Those that a field of vectors has not.
const VECTORS_HAVE_NOT: [&str; 7] = [
    "doc_values",
    "store",
    "null_value",
    "copy_to",
    "ignore_malformed",
    "coerce",
    "fields",
];

/// What a mapping says of a field.
struct Definition<'a> {
    /// All of it.
    object: &'a Map<String, Value>,
    /// What of it was not read yet.
    members: Members<'a>,
    analysis: &'a Analysis,
}

impl Definition<'_> {
    /// Takes the name of an analyzer.
    fn analyzer(&mut self, parameter: &str) -> Result<Option<Analyzer>> {
        let name = self.members.text(parameter)?;
        name.map(|name| self.named(&name)).transpose()
    }

    fn named(&self, name: &str) -> Result<Analyzer> {
        self.analysis.analyzer(name).ok_or_else(|| {
            SearchError::mapper(format!("analyzer [{name}] has not been configured in mappings"))
        })
    }

    /// Takes what is true or false.
    fn flag(&mut self, parameter: &str, default: bool) -> bool {
        self.members.take(parameter).and_then(as_bool).unwrap_or(default)
    }

    /// Refuses parameters that other fields have.
    fn refuse(&self, field: &Field, parameters: &[&str]) -> Result<()> {
        match parameters.iter().find(|name| self.object.contains_key(**name)) {
            None => Ok(()),
            Some(wrong) => Err(SearchError::mapper(format!(
                "unknown parameter [{wrong}] on mapper [{}] of type [{}]",
                field.name, field.type_name
            ))),
        }
    }
}

impl Field {
    pub(crate) fn parse(
        name: &str,
        definition: &Value,
        analysis: &Analysis,
        nested: Option<&str>,
    ) -> Result<Field> {
        let Value::Object(object) = definition else {
            return Err(SearchError::mapper(format!(
                "Expected map for property [fields] on field [{name}] but got a [{definition}]"
            )));
        };
        let type_name = type_of(name, object)?;
        let mut members = Members::of_object(name, object);
        members.take("type");
        let kind = kind_of(name, &type_name, &mut members)?;
        let mut field = Field::bare(name, type_name, kind);
        field.nested = nested.map(str::to_owned);
        let mut definition = Definition {
            object,
            members,
            analysis,
        };
        field.take_common(&mut definition)?;
        match &field.kind {
            FieldKind::Text => field.take_text(&mut definition)?,
            FieldKind::Keyword if field.type_name == "constant_keyword" => {
                definition.refuse(&field, &CONSTANTS_HAVE_NOT)?;
                field.meta = Some(Meta::Constant);
                field.constant = definition.members.take("value").and_then(scalar);
            }
            FieldKind::Keyword => field.take_keyword(&mut definition)?,
            FieldKind::Integer(..) if field.type_name == "token_count" => {
                field.take_word_count(&mut definition)?;
            }
            FieldKind::Unsigned => definition.refuse(&field, &["coerce"])?,
            FieldKind::Completion => field.take_completion(&mut definition)?,
            FieldKind::Vector(_) => {
                definition.refuse(&field, &VECTORS_HAVE_NOT)?;
                let vectors = Vectors::parse(name, field.index, &mut definition.members)?;
                field.kind = FieldKind::Vector(vectors);
                field.doc_values = false;
            }
            FieldKind::Date | FieldKind::Range(_) => field.take_formats(&mut definition)?,
            _ => {}
        }
        let mut members = definition.members;
        let read_elsewhere = ["similarity", "fields", "properties", "dynamic"];
        for name in WITHOUT_EFFECT.into_iter().chain(read_elsewhere) {
            members.take(name);
        }
        members.end_of_field(name)?;
        Ok(field)
    }

    /// What fields of all types may say.
    fn take_common(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        self.null_value = definition.members.take("null_value").cloned();
        self.ignore_malformed = definition.flag("ignore_malformed", false);
        self.coerce = definition.flag("coerce", true);
        self.index = definition.flag("index", true);
        self.is_stored = definition.flag("store", false);
        self.has_norms = definition.flag("norms", self.kind == FieldKind::Text);
        self.doc_values = definition.flag("doc_values", self.kind != FieldKind::Binary);
        let copy_to = definition.members.take("copy_to").map(one_or_many);
        self.copy_to = copy_to.into_iter().flatten().filter_map(scalar).collect();
        let says = |name: &str| {
            let said = definition.object.get(name).and_then(Value::as_str);
            said.unwrap_or_default()
        };
        self.has_offsets = says("index_options") == "offsets" || says("term_vector").contains("offsets");
        self.keeps_terms = !["", "no"].contains(&says("term_vector"));
        self.has_vectors = says("term_vector").starts_with("with_positions_offsets");
        // A factor for scores that mappings had; queries have it.
        match definition.members.take("boost") {
            None => Ok(()),
            Some(_) => Err(SearchError::unsupported(format!(
                "[boost] in the mapping of [{}]",
                self.name
            ))),
        }
    }

    fn take_text(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        if self.type_name == as_you_type::NAME {
            self.typed_words = Some(as_you_type::words(&mut definition.members)?);
        }
        let analyzer = definition.analyzer("analyzer")?;
        let search = definition.analyzer("search_analyzer")?;
        definition.analyzer("search_quote_analyzer")?;
        self.analyzer = match analyzer {
            Some(analyzer) => analyzer,
            None => definition.named("default")?,
        };
        let gap = position_gap(&mut definition.members);
        if let Some(gap) = gap.map_err(|error| SearchError::mapper(error.reason))? {
            self.analyzer.gap = gap;
        }
        let default_search = || definition.analysis.analyzer("default_search");
        self.search_analyzer = search
            .or_else(default_search)
            .unwrap_or_else(|| self.analyzer.clone());
        self.doc_values = definition.members.flag("fielddata")?.unwrap_or(false);
        Ok(())
    }

    fn take_keyword(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        if self.type_name == flattened::NAME {
            definition.refuse(self, &FLATTENED_HAVE_NOT)?;
            self.flattened = Some(Flattened::parse(&mut definition.members)?);
        }
        if let Some(normalizer) = definition.members.text("normalizer")? {
            let found = definition.analysis.normalizer(&normalizer).ok_or_else(|| {
                SearchError::mapper(format!(
                    "normalizer [{normalizer}] not found for field [{}]",
                    self.name
                ))
            })?;
            self.normalizer = Some(found);
        }
        let most = definition.members.count("ignore_above");
        if let Some(most) = most.map_err(|error| SearchError::mapper(error.reason))? {
            self.ignore_above = most;
        }
        let splits = definition.members.flag("split_queries_on_whitespace")?;
        self.splits_queries = splits.unwrap_or(false);
        Ok(())
    }

    fn take_word_count(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        let Some(analyzer) = definition.analyzer("analyzer")? else {
            return Err(SearchError::mapper(format!(
                "Analyzer must be set for field [{}] but wasn't.",
                self.name
            )));
        };
        self.analyzer = analyzer;
        let all_places = definition.members.flag("enable_position_increments")?;
        self.counts_words = Some(all_places.unwrap_or(true));
        Ok(())
    }

    fn take_completion(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        self.analyzer = match definition.analyzer("analyzer")? {
            Some(analyzer) => analyzer,
            None => definition.named("simple")?,
        };
        let search = definition.analyzer("search_analyzer")?;
        self.search_analyzer = search.unwrap_or_else(|| self.analyzer.clone());
        let completion = Completion::parse(&self.name, &mut definition.members)?;
        self.completion = Some(Arc::new(completion));
        Ok(())
    }

    fn take_formats(&mut self, definition: &mut Definition<'_>) -> Result<()> {
        if let Some(format) = definition.members.text("format")? {
            let formats = DateFormats::parse(&format);
            self.formats = formats.map_err(|error| SearchError::mapper(error.reason))?;
        }
        if let Some(locale) = definition.members.text("locale")? {
            self.formats = self.formats.clone().in_locale(&locale)?;
        }
        Ok(())
    }
}

fn type_of(name: &str, object: &Map<String, Value>) -> Result<String> {
    let says_object = |parameter: &&str| object.contains_key(*parameter);
    match object.get("type") {
        Some(kind) => Ok(scalar(kind).unwrap_or_default()),
        None if object.is_empty() || ["properties", "enabled", "dynamic"].iter().any(says_object) => {
            Ok("object".to_owned())
        }
        None => Err(SearchError::mapper(format!(
            "No type specified for field [{name}]"
        ))),
    }
}

fn scaling_factor(name: &str, members: &mut Members<'_>) -> Result<f64> {
    let factor = members.take("scaling_factor").and_then(as_f64);
    let missing = || {
        SearchError::mapper(format!(
            "Field [{name}] misses required parameter [scaling_factor]"
        ))
    };
    match factor.ok_or_else(missing)? {
        factor if factor.is_finite() && factor > 0.0 => Ok(factor),
        factor => Err(SearchError::mapper(format!(
            "[scaling_factor] must be a positive number, got [{factor}]"
        ))),
    }
}

fn kind_of(name: &str, type_name: &str, members: &mut Members<'_>) -> Result<FieldKind> {
    Ok(match type_name {
        "text" | "match_only_text" | as_you_type::NAME => FieldKind::Text,
        "keyword" | "wildcard" | "constant_keyword" | flattened::NAME => FieldKind::Keyword,
        "long" => FieldKind::Integer(i64::MIN, i64::MAX),
        "unsigned_long" => FieldKind::Unsigned,
        "token_count" => FieldKind::Integer(0, i64::from(i32::MAX)),
        "integer" => FieldKind::Integer(i64::from(i32::MIN), i64::from(i32::MAX)),
        "short" => FieldKind::Integer(i64::from(i16::MIN), i64::from(i16::MAX)),
        "byte" => FieldKind::Integer(i64::from(i8::MIN), i64::from(i8::MAX)),
        "double" | "float" | "half_float" => FieldKind::Float(None),
        "scaled_float" => FieldKind::Float(Some(scaling_factor(name, members)?)),
        "boolean" => FieldKind::Boolean,
        "date" | "date_nanos" => FieldKind::Date,
        "geo_point" => {
            members.flag("ignore_z_value")?;
            FieldKind::Point
        }
        "ip" => FieldKind::Ip,
        "integer_range" => FieldKind::Range(Box::new(FieldKind::Integer(
            i64::from(i32::MIN),
            i64::from(i32::MAX),
        ))),
        "long_range" => FieldKind::Range(Box::new(FieldKind::Integer(i64::MIN, i64::MAX))),
        "float_range" | "double_range" => FieldKind::Range(Box::new(FieldKind::Float(None))),
        "date_range" => FieldKind::Range(Box::new(FieldKind::Date)),
        "ip_range" => FieldKind::Range(Box::new(FieldKind::Ip)),
        "completion" => FieldKind::Completion,
        vectors::NAME => FieldKind::Vector(Vectors::UNREAD),
        "binary" => FieldKind::Binary,
        "object" => match members.take("enabled").and_then(as_bool) {
            Some(false) => FieldKind::Disabled,
            _ => FieldKind::Object,
        },
        "nested" => {
            // Said of the fields within it, where they are made.
            members.flag("include_in_parent")?;
            members.flag("include_in_root")?;
            FieldKind::Nested
        }
        "alias" => {
            let missing = || {
                SearchError::mapper(format!(
                    "The [path] property must be specified for field [{name}]."
                ))
            };
            FieldKind::Alias(members.text("path")?.ok_or_else(missing)?)
        }
        other => {
            return Err(SearchError::mapper(format!(
                "No handler for type [{other}] declared on field [{name}]"
            )));
        }
    })
}
