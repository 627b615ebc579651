//! One field of a mapping.

use crate::analysis::Analyzer;
use crate::completion::Completion;
use crate::dates::DateFormats;
use crate::flattened::Flattened;
use crate::value_kind::ValueKind;
use crate::vectors::Vectors;
use serde_json::Value;
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
    /// Whole numbers from 0 to the greatest of 64 bits.
    Unsigned,
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
    /// The number of the document's last change.
    Sequence,
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
    /// Whether the lengths of its texts count for scores.
    pub has_norms: bool,
    /// Whether documents are said to keep their terms.
    pub keeps_terms: bool,
    /// Whether they keep them with where these stand.
    pub has_vectors: bool,
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

impl Field {
    /// A field of a type without any parameters.
    pub(super) fn bare(name: &str, type_name: String, kind: FieldKind) -> Field {
        let has_norms = kind == FieldKind::Text;
        Field {
            name: name.to_owned(),
            meta: None,
            path: name.to_owned(),
            kind,
            analyzer: keyword(),
            search_analyzer: keyword(),
            normalizer: None,
            formats: match type_name.as_str() {
                "date_nanos" => DateFormats::default_nanos(),
                _ => DateFormats::default(),
            },
            ignore_above: usize::MAX,
            null_value: None,
            ignore_malformed: false,
            coerce: true,
            index: true,
            is_stored: false,
            doc_values: true,
            copy_to: Vec::new(),
            copied_from: Vec::new(),
            nested: None,
            has_offsets: false,
            has_norms,
            keeps_terms: false,
            has_vectors: false,
            in_root: false,
            completion: None,
            constant: None,
            counts_words: None,
            typed_words: None,
            splits_queries: false,
            flattened: None,
            only: None,
            type_name,
        }
    }

    /// `_index`, `_id`, `_routing`, `_ignored`, `_seq_no`.
    pub fn metadata(name: &str) -> Option<&'static Arc<Field>> {
        static FIELDS: LazyLock<Vec<Arc<Field>>> = LazyLock::new(|| {
            let named = [
                ("_index", Meta::Index),
                ("_id", Meta::Id),
                ("_routing", Meta::Routing),
                ("_ignored", Meta::Ignored),
            ];
            let field = |name: &str, type_name: &str, kind: FieldKind, meta: Meta| {
                Arc::new(Field {
                    meta: Some(meta),
                    ..Field::bare(name, type_name.to_owned(), kind)
                })
            };
            let texts = named.map(|(name, meta)| field(name, "keyword", FieldKind::Keyword, meta));
            let whole = FieldKind::Integer(i64::MIN, i64::MAX);
            let sequence = field("_seq_no", "_seq_no", whole, Meta::Sequence);
            texts.into_iter().chain([sequence]).collect()
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
        matches!(
            self.kind,
            FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_)
        )
    }

    /// Whether it is searched by terms of text.
    pub fn is_textual(&self) -> bool {
        matches!(self.kind, FieldKind::Text | FieldKind::Keyword)
    }
}

/// The analyzer that leaves a text whole.
fn keyword() -> Analyzer {
    Analyzer::new(crate::analysis::keyword_tokenizer(), Vec::new())
}
