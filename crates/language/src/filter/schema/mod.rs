//! `$jsonSchema`: MongoDB's subset of JSON Schema draft 4, with BSON's types.
//!
//! A keyword asks something only of values of its type: `minimum` says nothing about strings, and no keyword but
//! `required` about fields that are missing.

mod encryption;
mod matches;
mod parse;
mod property;
mod unordered;
mod unsatisfied;

use super::TypeSet;
use crate::Result;
use crate::regex::Regex;
use property::Property;
use value::{Document, DocumentRef, Value, ValueRef, doc};

/// A parsed schema for whole documents.
#[derive(Clone, Debug)]
pub struct JsonSchema {
    source: Document,
    root: Schema,
}

impl JsonSchema {
    pub(super) fn parse(source: &Document) -> Result<JsonSchema> {
        Ok(JsonSchema {
            source: source.clone(),
            root: parse::schema(source)?,
        })
    }

    /// The schema as it was written.
    pub fn source(&self) -> &Document {
        &self.source
    }

    /// Whether the document satisfies the schema. Fails where a pattern goes past its limit.
    pub fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        self.root.matches(ValueRef::Document(document))
    }

    /// Whether it says of fields that clients encrypt them, or how.
    pub(super) fn has_encryption(&self) -> bool {
        self.root.has_encryption()
    }

    /// The rules that the document does not satisfy, as MongoDB's validation errors tell them.
    pub(super) fn unsatisfied(&self, document: DocumentRef<'_>) -> Document {
        let mut details = doc! {"operatorName": "$jsonSchema"};
        for text in ["title", "description"] {
            if let Some(words) = self.source.get(text) {
                details.push(text, words.clone());
            }
        }
        let rules = unsatisfied::rules(&self.source, ValueRef::Document(document));
        details.with("schemaRulesNotSatisfied", rules)
    }
}

/// What one schema asks of a value; what it does not mention is free.
#[derive(Clone, Debug, Default)]
struct Schema {
    types: Option<TypeSet>,
    encrypted: Option<Encrypted>,
    has_encryption_metadata: bool,
    allowed: Option<Vec<Value>>,
    number: NumberRules,
    string: StringRules,
    array: ArrayRules,
    object: ObjectRules,
    all_of: Vec<Schema>,
    any_of: Vec<Schema>,
    one_of: Vec<Schema>,
    not: Option<Box<Schema>>,
}

impl Schema {
    /// Whether the schema, or one within it, has a keyword of encryption.
    fn has_encryption(&self) -> bool {
        let object = &self.object;
        let combined = self.all_of.iter().chain(&self.any_of).chain(&self.one_of);
        self.encrypted.is_some()
            || self.has_encryption_metadata
            || combined.chain(self.not.as_deref()).any(Schema::has_encryption)
            || match &self.array.items {
                Items::Free => false,
                Items::Each(schema) => schema.has_encryption(),
                Items::InOrder(schemas) => schemas.iter().any(Schema::has_encryption),
            }
            || [&self.array.additional, &object.additional]
                .iter()
                .any(|additional| matches!(additional, Additional::Schema(schema) if schema.has_encryption()))
            || object
                .properties
                .iter()
                .any(|(_, schema)| schema.has_encryption())
            || object.patterns.iter().any(|(_, schema)| schema.has_encryption())
            || object.dependencies.iter().any(
                |(_, dependency)| matches!(dependency, Dependency::Schema(schema) if schema.has_encryption()),
            )
    }
}

/// What `encrypt` asks of a value.
#[derive(Clone, Copy, Debug)]
struct Encrypted {
    /// The types that the value may have had.
    types: Option<TypeSet>,
}

#[derive(Clone, Debug, Default)]
struct NumberRules {
    minimum: Option<Value>,
    is_minimum_exclusive: bool,
    maximum: Option<Value>,
    is_maximum_exclusive: bool,
    multiple_of: Option<Value>,
}

#[derive(Clone, Debug, Default)]
struct StringRules {
    length_min: Option<u64>,
    length_max: Option<u64>,
    pattern: Option<Regex>,
}

#[derive(Clone, Debug, Default)]
struct ArrayRules {
    items_min: Option<u64>,
    items_max: Option<u64>,
    are_items_unique: bool,
    items: Items,
    /// For elements past those that `items` names one by one.
    additional: Additional,
}

#[derive(Clone, Debug, Default)]
enum Items {
    #[default]
    Free,
    /// Every element.
    Each(Box<Schema>),
    /// The first elements, one schema each.
    InOrder(Vec<Schema>),
}

#[derive(Clone, Debug, Default)]
struct ObjectRules {
    required: Vec<Property>,
    properties: Vec<(Property, Schema)>,
    patterns: Vec<(Regex, Schema)>,
    /// For fields that neither `properties` nor `patterns` name.
    additional: Additional,
    properties_min: Option<u64>,
    properties_max: Option<u64>,
    dependencies: Vec<(Property, Dependency)>,
}

/// What may stand beyond what is named.
#[derive(Clone, Debug, Default)]
enum Additional {
    #[default]
    Free,
    Refused,
    Schema(Box<Schema>),
}

/// What the presence of a field asks of the object.
#[derive(Clone, Debug)]
enum Dependency {
    Fields(Vec<Property>),
    Schema(Box<Schema>),
}
