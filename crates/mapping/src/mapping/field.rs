//! One field of a mapping.

use super::as_you_type;
use crate::analysis::{Analysis, Analyzer};
use crate::completion::Completion;
use crate::dates::DateFormats;
use crate::error::{Result, SearchError};
use crate::flattened::{self, Flattened};
use crate::json::{Members, as_bool, as_f64, as_i64, one_or_many, scalar};
use crate::value_kind::ValueKind;
use crate::vectors::{self, Vectors};
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

/// What a field's values are.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Text that is analyzed.
    Text,
    /// Text as a whole.
    Keyword,
    /// Whole numbers, from and to these.
    Integer(i64, i64),
    /// Numbers, with the factor that they are rounded by.
    Float(Option<f64>),
    /// True or false.
    Boolean,
    /// A moment.
    Date,
    /// An address.
    Ip,
    /// Bytes, which are not searched.
    Binary,
    /// An object, whose fields are the document's.
    Object,
    /// Objects each of which is searched by itself.
    Nested,
    /// A place on the earth.
    Point,
    /// From one value of this kind to another.
    Range(Box<FieldKind>),
    /// What can be typed in part.
    Completion,
    /// Numbers that stand for a place in a space of many dimensions.
    Vector(Vectors),
    /// What is kept and never looked at.
    Disabled,
    /// Another field's name.
    Alias(String),
}

/// What every document has that is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    /// The name of its index.
    Index,
    /// The document's `_id`.
    Id,
    /// What routes it, where something does.
    Routing,
    /// The fields some values of which are not found.
    Ignored,
    /// The one value of a field that all documents have.
    Constant,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its full name.
    pub name: String,
    /// What it is where it is in no document.
    pub meta: Option<Meta>,
    /// Where its values are in a document: for a multi-field, at its parent's.
    pub path: String,
    /// What its values are.
    pub kind: FieldKind,
    /// The type's name, as the mapping has it.
    pub type_name: String,
    /// How its texts are cut.
    pub analyzer: Analyzer,
    /// How the texts of queries are cut.
    pub search_analyzer: Analyzer,
    /// How keywords are changed before they are compared.
    pub normalizer: Option<Analyzer>,
    /// How its dates are read and written.
    pub formats: DateFormats,
    /// Characters of a keyword at most; longer ones are not found.
    pub ignore_above: usize,
    /// What stands for null.
    pub null_value: Option<Value>,
    /// Whether values that it cannot have are left out instead of refused.
    pub ignore_malformed: bool,
    /// Whether texts are taken as numbers.
    pub coerce: bool,
    /// Whether it can be searched.
    pub index: bool,
    /// Whether its values can be asked for alone.
    pub is_stored: bool,
    /// Whether it can be sorted and aggregated.
    pub doc_values: bool,
    /// The fields that its values are copied to.
    pub copy_to: Vec<String>,
    /// The paths of fields that are copied here.
    pub copied_from: Vec<String>,
    /// The nested object that it is part of.
    pub nested: Option<String>,
    /// Whether the index is said to know where terms stand in their texts.
    pub has_offsets: bool,
    /// Whether it is seen from the whole document too, although it is part of a nested object.
    pub in_root: bool,
    /// How what is typed in part is completed.
    pub completion: Option<Arc<Completion>>,
    /// The value that all documents have.
    pub constant: Option<String>,
    /// Whether its values are the numbers of words of texts, and whether places without words count too.
    pub counts_words: Option<bool>,
    /// The words of its terms at most, where it is searched while somebody types.
    pub typed_words: Option<usize>,
    /// Whether texts of queries are several words, each of which is looked for.
    pub splits_queries: bool,
    /// Where it is an object as a whole, or what that holds at a key.
    pub flattened: Option<Flattened>,
    /// The type of values that it has alone, where others at its place are another field's.
    pub only: Option<ValueKind>,
}

/// Parameters that change nothing of what is found.
const WITHOUT_EFFECT: [&str; 7] = [
    "eager_global_ordinals",
    "index_phrases",
    "index_prefixes",
    "term_vector",
    "meta",
    "norms",
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
        let type_name = match object.get("type") {
            Some(kind) => scalar(kind).unwrap_or_default(),
            None if object.contains_key("properties")
                || object.is_empty()
                || object.contains_key("enabled")
                || object.contains_key("dynamic") =>
            {
                "object".to_owned()
            }
            None => {
                return Err(SearchError::mapper(format!(
                    "No type specified for field [{name}]"
                )));
            }
        };
        let mut members = Members::of_object(name, object);
        members.take("type");
        let standard = || {
            analysis
                .analyzer("default")
                .unwrap_or_else(|| Analysis::default().analyzer("standard").unwrap_or_else(keyword))
        };
        let mut field = Field {
            name: name.to_owned(),
            meta: None,
            path: name.to_owned(),
            kind: kind_of(name, &type_name, &mut members)?,
            analyzer: keyword(),
            search_analyzer: keyword(),
            normalizer: None,
            formats: match type_name.as_str() {
                "date_nanos" => DateFormats::default_nanos(),
                _ => DateFormats::default(),
            },
            ignore_above: usize::MAX,
            null_value: members.take("null_value").cloned(),
            ignore_malformed: members
                .take("ignore_malformed")
                .and_then(as_bool)
                .unwrap_or(false),
            coerce: members.take("coerce").and_then(as_bool).unwrap_or(true),
            index: members.take("index").and_then(as_bool).unwrap_or(true),
            is_stored: members.take("store").and_then(as_bool).unwrap_or(false),
            doc_values: members.take("doc_values").and_then(as_bool).unwrap_or(true),
            copy_to: members
                .take("copy_to")
                .map(one_or_many)
                .unwrap_or_default()
                .into_iter()
                .filter_map(scalar)
                .collect(),
            copied_from: Vec::new(),
            nested: nested.map(str::to_owned),
            completion: None,
            constant: None,
            counts_words: None,
            typed_words: None,
            splits_queries: false,
            flattened: None,
            only: None,
            has_offsets: false,
            in_root: false,
            type_name,
        };
        let says = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        field.has_offsets = says("index_options") == "offsets" || says("term_vector").contains("offsets");
        // A factor for scores that mappings had; queries have it.
        if members.take("boost").is_some() {
            return Err(SearchError::unsupported(format!(
                "[boost] in the mapping of [{name}]"
            )));
        }
        let named = |name: Option<String>| match name {
            None => Ok(None),
            Some(analyzer) => analysis.analyzer(&analyzer).map(Some).ok_or_else(|| {
                SearchError::mapper(format!(
                    "analyzer [{analyzer}] has not been configured in mappings"
                ))
            }),
        };
        match field.kind {
            FieldKind::Text => {
                if field.type_name == as_you_type::NAME {
                    field.typed_words = Some(as_you_type::words(&mut members)?);
                }
                let analyzer = named(members.text("analyzer")?)?;
                let search = named(members.text("search_analyzer")?)?;
                named(members.text("search_quote_analyzer")?)?;
                field.analyzer = analyzer.unwrap_or_else(standard);
                if let Some(gap) = members.integer("position_increment_gap")? {
                    field.analyzer.gap = gap.max(0) as u32;
                }
                let default_search = analysis.analyzer("default_search");
                field.search_analyzer = search
                    .or(default_search)
                    .unwrap_or_else(|| field.analyzer.clone());
                field.doc_values = members.flag("fielddata")?.unwrap_or(false);
            }
            FieldKind::Keyword if field.type_name == "constant_keyword" => {
                field.meta = Some(Meta::Constant);
                field.constant = members.take("value").and_then(scalar);
                refuse_parameters(&field, object, &CONSTANTS_HAVE_NOT)?;
            }
            FieldKind::Integer(..) if field.type_name == "token_count" => {
                let missing =
                    || SearchError::mapper(format!("Analyzer must be set for field [{name}] but wasn't."));
                field.analyzer = named(members.text("analyzer")?)?.ok_or_else(missing)?;
                field.counts_words = Some(members.flag("enable_position_increments")?.unwrap_or(true));
            }
            FieldKind::Keyword => {
                if field.type_name == flattened::NAME {
                    refuse_parameters(&field, object, &FLATTENED_HAVE_NOT)?;
                    field.flattened = Some(Flattened::parse(&mut members)?);
                }
                if let Some(normalizer) = members.text("normalizer")? {
                    let found = analysis.normalizer(&normalizer).ok_or_else(|| {
                        SearchError::mapper(format!("normalizer [{normalizer}] not found for field [{name}]"))
                    })?;
                    field.normalizer = Some(found);
                }
                if let Some(most) = members.take("ignore_above").and_then(as_i64) {
                    field.ignore_above = most.max(0) as usize;
                }
                let splits = members.flag("split_queries_on_whitespace")?;
                field.splits_queries = splits.unwrap_or(false);
            }
            FieldKind::Completion => {
                let analyzer = |name: Option<String>, default: &str| {
                    let name = name.unwrap_or_else(|| default.to_owned());
                    analysis.analyzer(&name).ok_or_else(|| {
                        SearchError::mapper(format!("analyzer [{name}] has not been configured in mappings"))
                    })
                };
                let given = members.text("analyzer")?;
                field.search_analyzer = analyzer(
                    members.text("search_analyzer")?,
                    given.as_deref().unwrap_or("simple"),
                )?;
                field.analyzer = analyzer(given, "simple")?;
                field.completion = Some(Arc::new(Completion::parse(name, &mut members)?));
            }
            FieldKind::Vector(_) => {
                refuse_parameters(&field, object, &VECTORS_HAVE_NOT)?;
                field.kind = FieldKind::Vector(Vectors::parse(name, field.index, &mut members)?);
                field.doc_values = false;
            }
            FieldKind::Date | FieldKind::Range(_) => {
                if let Some(format) = members.text("format")? {
                    field.formats =
                        DateFormats::parse(&format).map_err(|error| SearchError::mapper(error.reason))?;
                }
                members.take("locale");
            }
            _ => {}
        }
        members.take("similarity");
        for name in WITHOUT_EFFECT
            .into_iter()
            .chain(["fields", "properties", "dynamic"])
        {
            members.take(name);
        }
        members.end_of_field(name)?;
        Ok(field)
    }

    /// `_index`, `_id`, `_routing`, `_ignored`.
    pub fn metadata(name: &str) -> Option<&'static Arc<Field>> {
        static FIELDS: LazyLock<Vec<Arc<Field>>> = LazyLock::new(|| {
            let named = [
                ("_index", Meta::Index),
                ("_id", Meta::Id),
                ("_routing", Meta::Routing),
                ("_ignored", Meta::Ignored),
            ];
            let definition = serde_json::json!({"type": "keyword"});
            let field = |(name, meta): (&str, Meta)| {
                let field = Field::parse(name, &definition, &Analysis::default(), None).ok()?;
                Some(Arc::new(Field {
                    meta: Some(meta),
                    ..field
                }))
            };
            named.into_iter().filter_map(field).collect()
        });
        FIELDS.iter().find(|field| field.name == name)
    }

    /// Whether it stands for objects and has no values of its own.
    pub fn is_object(&self) -> bool {
        matches!(self.kind, FieldKind::Object | FieldKind::Nested)
    }

    /// Whether its texts are terms as a whole.
    pub fn is_keyword(&self) -> bool {
        self.kind == FieldKind::Keyword
    }

    /// Whether it is what an object holds at a key.
    pub fn is_keyed(&self) -> bool {
        self.flattened
            .as_ref()
            .is_some_and(|flattened| flattened.key.is_some())
    }

    /// What an object that is this field holds at a key.
    pub(super) fn at_key(&self, key: &str) -> Option<Field> {
        let flattened = self.flattened.as_ref()?;
        Some(Field {
            name: format!("{}.{key}", self.name),
            flattened: Some(flattened.at(key)),
            ..self.clone()
        })
    }

    /// Whether its values are vectors.
    pub fn is_vector(&self) -> bool {
        matches!(self.kind, FieldKind::Vector(_))
    }

    /// Whether its values are moments.
    pub fn is_date(&self) -> bool {
        self.kind == FieldKind::Date
    }

    /// Whether it is a date with nanoseconds.
    pub fn is_nanos(&self) -> bool {
        self.type_name == "date_nanos"
    }

    /// Whether its values are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, FieldKind::Integer(..) | FieldKind::Float(_))
    }

    /// Whether it is searched by terms of text.
    pub fn is_textual(&self) -> bool {
        matches!(self.kind, FieldKind::Text | FieldKind::Keyword)
    }
}

/// Refuses parameters that other fields have.
fn refuse_parameters(field: &Field, object: &Map<String, Value>, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| object.contains_key(**name)) {
        None => Ok(()),
        Some(wrong) => Err(SearchError::mapper(format!(
            "unknown parameter [{wrong}] on mapper [{}] of type [{}]",
            field.name, field.type_name
        ))),
    }
}

fn keyword() -> Analyzer {
    Analyzer::new(crate::analysis::keyword_tokenizer(), Vec::new())
}

fn kind_of(name: &str, type_name: &str, members: &mut Members<'_>) -> Result<FieldKind> {
    Ok(match type_name {
        "text" | "match_only_text" | as_you_type::NAME => FieldKind::Text,
        "keyword" | "wildcard" | "constant_keyword" | flattened::NAME => FieldKind::Keyword,
        "long" => FieldKind::Integer(i64::MIN, i64::MAX),
        "token_count" => FieldKind::Integer(0, i64::from(i32::MAX)),
        "integer" => FieldKind::Integer(i64::from(i32::MIN), i64::from(i32::MAX)),
        "short" => FieldKind::Integer(i64::from(i16::MIN), i64::from(i16::MAX)),
        "byte" => FieldKind::Integer(i64::from(i8::MIN), i64::from(i8::MAX)),
        "double" | "float" | "half_float" => FieldKind::Float(None),
        "scaled_float" => {
            let factor = members.take("scaling_factor").and_then(as_f64);
            let missing = || {
                SearchError::mapper(format!(
                    "Field [{name}] misses required parameter [scaling_factor]"
                ))
            };
            FieldKind::Float(Some(factor.ok_or_else(missing)?))
        }
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
