//! How the fields of a collection are read.
//!
//! A [`Mapping`] is the JSON that clients see, and the fields compiled from it. It grows by what clients put ([`put`]) and
//! by what documents bring ([`dynamic`], [`detected`]).

mod as_you_type;
mod definition;
mod detected;
mod dynamic;
mod field;
mod given;
mod placed;
mod put;
mod rules;

pub use field::{Field, FieldKind, Meta};
pub use placed::Placed;
pub use rules::Rules;

use crate::analysis::{Analysis, Analyzer};
use crate::error::{Result, SearchError};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Objects within objects at most.
pub const OBJECTS_DEPTH_MAX: usize = 20;

/// Refuses a path of more objects, before anything is made of it: a name with dots stands for as many objects as it likes.
fn check_depth(path: &str) -> Result<()> {
    match path.matches('.').count() > OBJECTS_DEPTH_MAX {
        true => Err(too_deep()),
        false => Ok(()),
    }
}

fn too_deep() -> SearchError {
    SearchError::illegal(format!(
        "Limit of mapping depth [{OBJECTS_DEPTH_MAX}] has been exceeded"
    ))
}

/// The mapping of a collection. Cheap to clone is what holds it: an `Arc`.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    source: Map<String, Value>,
    fields: BTreeMap<String, Arc<Field>>,
    analysis: Analysis,
    rules: Rules,
    /// Whether fields have vectors, which are looked at as wholes.
    has_vectors: bool,
    /// Whether objects are fields, each of whose keys is one, too.
    has_flattened: bool,
}

impl Mapping {
    /// A mapping of this JSON, for an index with these analyzers.
    pub fn parse(source: &Value, analysis: Analysis) -> Result<Mapping> {
        Mapping::of(source, analysis, Rules::default())
    }

    /// The same, for an index with these settings.
    pub fn of(source: &Value, analysis: Analysis, rules: Rules) -> Result<Mapping> {
        let mut mapping = Mapping {
            analysis,
            rules,
            ..Mapping::default()
        };
        mapping.put(source)?;
        Ok(mapping)
    }

    /// The same, of JSON that was there before: it may have more fields than the settings let it have now.
    pub fn kept(source: &Value, analysis: Analysis, rules: Rules) -> Result<Mapping> {
        let mapping = Mapping::of(source, analysis, rules.clone().without_limits())?;
        Ok(Mapping { rules, ..mapping })
    }

    /// The mapping as clients see it.
    pub fn source(&self) -> &Map<String, Value> {
        &self.source
    }

    /// What of documents is shown: the mapping's `_source`, where it does not show all.
    pub fn source_rule(&self) -> Option<&Map<String, Value>> {
        self.source.get("_source").and_then(Value::as_object)
    }

    /// Whether documents are shown at all.
    pub fn shows_source(&self) -> bool {
        let enabled = self.source_rule().and_then(|rule| rule.get("enabled"));
        enabled.and_then(crate::json::as_bool).unwrap_or(true)
    }

    /// The fields that texts are looked for in where a query names none, by patterns of their names, with their factors.
    pub fn default_fields(&self) -> &[(String, f32)] {
        &self.rules.default_fields
    }

    /// The analyzers of the index.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Returns a field by its full name. An alias stands for its target; the field of a key of a `flattened` object is made on demand.
    /// What is kept and never looked at is no field to anyone who asks.
    pub fn field(&self, name: &str) -> Option<Cow<'_, Arc<Field>>> {
        let Some(field) = self.fields.get(name) else {
            let keyed = || self.keyed(name).map(|field| Cow::Owned(Arc::new(field)));
            return Field::metadata(name).map(Cow::Borrowed).or_else(keyed);
        };
        match &field.kind {
            FieldKind::Alias(target) => self.fields.get(target),
            FieldKind::Disabled => None,
            _ => Some(field),
        }
        .map(Cow::Borrowed)
    }

    /// A key within an object that is a field.
    fn keyed(&self, name: &str) -> Option<Field> {
        if !self.has_flattened {
            return None;
        }
        let outer = |(at, _)| self.fields.get(&name[..at])?.at_key(&name[at + 1..]);
        name.match_indices('.').find_map(outer)
    }

    /// All fields, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Arc<Field>)> {
        self.fields.iter().map(|(name, field)| (name.as_str(), field))
    }

    /// The names and definitions of all fields as the mapping gives them, multi-fields and objects included.
    pub fn definitions(&self) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        collect_definitions(self.source.get("properties"), "", &mut found);
        found
    }

    /// The analyzer of a field's texts; `None` if there is no such field.
    pub fn analyzer_of(&self, name: &str) -> Option<Analyzer> {
        let field = self.field(name)?;
        Some(field.normalizer.clone().unwrap_or_else(|| field.analyzer.clone()))
    }

    /// Compiles the fields of the source again.
    fn compile(&mut self) -> Result<()> {
        let mut fields = BTreeMap::new();
        let properties = self
            .source
            .get("properties")
            .cloned()
            .unwrap_or_else(|| json!({}));
        self.compile_properties(&properties, Place::default(), &mut fields)?;
        self.rules.check(fields.values())?;
        let copies: Vec<(String, String, Vec<String>)> = fields
            .iter()
            .filter(|(_, field): &(_, &Field)| !field.copy_to.is_empty())
            .map(|(name, field)| (name.clone(), field.path.clone(), field.copy_to.clone()))
            .collect();
        for (_, path, targets) in copies {
            for target in targets {
                if let Some(field) = fields.get_mut(&target) {
                    if field.is_vector() {
                        return Err(SearchError::unsupported(format!(
                            "[copy_to] the field of vectors [{target}]"
                        )));
                    }
                    // A target that is named a thousand times has the values once.
                    if field.copied_from.last() != Some(&path) {
                        field.copied_from.push(path.clone());
                    }
                }
            }
        }
        for (name, field) in &fields {
            if let FieldKind::Alias(target) = &field.kind
                && !fields.contains_key(target)
            {
                let reason = format!(
                    "Invalid [path] value [{target}] for field alias [{name}]: an alias must refer to an existing field in the mappings."
                );
                return Err(SearchError::mapper(reason));
            }
        }
        self.has_vectors = fields.values().any(Field::is_vector);
        self.has_flattened = fields.values().any(|field| field.flattened.is_some());
        self.fields = fields
            .into_iter()
            .map(|(name, field)| (name, Arc::new(field)))
            .collect();
        Ok(())
    }

    /// The fields that are made of the same value as the one of this name.
    fn compile_subfields(
        &self,
        full: &str,
        definition: &Value,
        place: Place<'_>,
        out: &mut BTreeMap<String, Field>,
    ) -> Result<()> {
        let subfields = definition.get("fields").and_then(Value::as_object);
        for (sub, definition) in subfields.into_iter().flatten() {
            let name = format!("{full}.{sub}");
            let mut field = Field::parse(&name, definition, &self.analysis, place.nested)?;
            self.rules.complete(&mut field, definition);
            if field.is_vector() || field.flattened.is_some() {
                return Err(SearchError::mapper(format!(
                    "Field [{sub}] of type [{}] can't be used in multifields",
                    field.type_name
                )));
            }
            full.clone_into(&mut field.path);
            field.in_root = place.in_root;
            insert(field, out);
        }
        Ok(())
    }

    fn compile_properties(
        &self,
        properties: &Value,
        place: Place<'_>,
        out: &mut BTreeMap<String, Field>,
    ) -> Result<()> {
        if place.depth > OBJECTS_DEPTH_MAX {
            return Err(too_deep());
        }
        for (name, definition) in properties.as_object().into_iter().flatten() {
            let full = place.name(name);
            check_depth(&full)?;
            let mut field = Field::parse(&full, definition, &self.analysis, place.nested)?;
            self.rules.complete(&mut field, definition);
            field.in_root = place.in_root;
            let is_nested = matches!(field.kind, FieldKind::Nested);
            let nested = if is_nested {
                Some(full.as_str())
            } else {
                place.nested
            };
            let says = |name: &str| {
                definition
                    .get(name)
                    .and_then(crate::json::as_bool)
                    .unwrap_or(false)
            };
            self.compile_subfields(&full, definition, place, out)?;
            if let Some(inner) = definition.get("properties") {
                let inside = Place {
                    prefix: &full,
                    nested,
                    depth: place.depth + 1,
                    in_root: match is_nested {
                        true => {
                            says("include_in_root") || (place.nested.is_none() && says("include_in_parent"))
                        }
                        false => place.in_root,
                    },
                };
                self.compile_properties(inner, inside, out)?;
            }
            insert(field, out);
        }
        Ok(())
    }
}

/// Adds a field, and those that are made of it.
fn insert(field: Field, out: &mut BTreeMap<String, Field>) {
    let within = field.typed_words.map(|words| as_you_type::within(&field, words));
    for inner in within.into_iter().flatten() {
        out.insert(inner.name.clone(), inner);
    }
    out.insert(field.name.clone(), field);
}

/// Where properties are.
#[derive(Clone, Copy, Default)]
struct Place<'p> {
    prefix: &'p str,
    nested: Option<&'p str>,
    depth: usize,
    in_root: bool,
}

impl Place<'_> {
    fn name(&self, name: &str) -> String {
        match self.prefix.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.prefix),
        }
    }
}

fn collect_definitions(properties: Option<&Value>, prefix: &str, out: &mut Vec<(String, Value)>) {
    for (name, definition) in properties.and_then(Value::as_object).into_iter().flatten() {
        let full = Place {
            prefix,
            ..Place::default()
        }
        .name(name);
        if let Some(inner) = definition.get("properties") {
            collect_definitions(Some(inner), &full, out);
        } else {
            out.push((full.clone(), definition.clone()));
        }
        for (sub, definition) in definition
            .get("fields")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            out.push((format!("{full}.{sub}"), definition.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    fn mapping(source: Value) -> Mapping {
        Mapping::parse(&source, Analysis::default()).expect("a mapping")
    }

    #[test]
    fn documents_bring_fields_of_the_types_of_their_values() {
        let mut mapping = Mapping::default();
        let document = doc! {"_id": 1, "name": "Anna", "age": 5, "at": "2020-01-01", "size": 1.5, "in": doc! {"ok": true}};
        assert!(mapping.learn((&document).into()).expect("learnt"));
        assert!(!mapping.learn((&document).into()).expect("known"));
        assert_eq!(
            Value::Object(mapping.source().clone()),
            json!({"properties": {
                "name": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}},
                "age": {"type": "long"}, "at": {"type": "date"}, "size": {"type": "float"},
                "in": {"properties": {"ok": {"type": "boolean"}}},
            }})
        );
    }

    #[test]
    fn the_first_document_may_say_the_value_of_a_constant() {
        let mut mapping = mapping(json!({"properties": {"a": {"type": "constant_keyword"}}}));
        assert!(!mapping.learn((&doc! {"b": "x"}).into()).is_ok_and(|new| !new));
        assert!(mapping.learn((&doc! {"a": "x"}).into()).expect("learnt"));
        assert!(!mapping.learn((&doc! {"a": "x"}).into()).expect("the same"));
        assert!(mapping.learn((&doc! {"a": "y"}).into()).is_err());
        assert_eq!(
            mapping.source()["properties"]["a"],
            json!({"type": "constant_keyword", "value": "x"})
        );
        let document = doc! {"b": "z"};
        let view = crate::fields::View::of_document(&mapping, (&document).into());
        let field = mapping.field("a").expect("a field");
        assert_eq!(view.terms(&field), [crate::fields::Term::Text("x".to_owned())]);
    }

    #[test]
    fn words_are_counted_and_joined_as_the_types_of_fields_say() {
        let mapping = mapping(json!({"properties": {
            "t": {"type": "search_as_you_type"},
            "n": {"type": "token_count", "analyzer": "standard"},
        }}));
        let document = doc! {"t": "quick brown fox", "n": "three small words"};
        let view = crate::fields::View::of_document(&mapping, (&document).into());
        let field = |name: &str| mapping.field(name).expect("a field");
        assert_eq!(view.terms(&field("n")), [crate::fields::Term::Integer(3)]);
        let terms = |name: &str| -> Vec<String> {
            let tokens = field(name).analyzer.tokens("quick brown fox");
            tokens.into_iter().map(|token| token.text).collect()
        };
        assert_eq!(terms("t._2gram"), ["quick brown", "brown fox"]);
        assert_eq!(terms("t._3gram"), ["quick brown fox"]);
        assert!(terms("t._index_prefix").contains(&"quick b".to_owned()));
    }

    #[test]
    fn parameters_are_those_of_the_field() {
        let mapping = mapping(json!({"properties": {
            "t": {"type": "text", "position_increment_gap": i32::MAX, "copy_to": ["all", "all"]},
            "c": {"type": "completion", "analyzer": "whitespace"},
            "k": {"type": "keyword", "ignore_above": 2},
            "all": {"type": "text"},
        }}));
        let field = |name: &str| mapping.field(name).expect("a field");
        assert_eq!(field("t").analyzer.gap, i32::MAX.unsigned_abs());
        assert_eq!(field("t").search_analyzer.gap, i32::MAX.unsigned_abs());
        assert_eq!(field("c").search_analyzer.tokens("A b").len(), 2);
        assert_eq!(field("k").ignore_above, 2);
        assert_eq!(field("all").copied_from, ["t"]);
    }

    #[test]
    fn numbers_beyond_a_field_are_refused() {
        for (kind, number) in [
            ("long", value::Value::from(1e300)),
            ("long", value::Value::from("-1e19")),
            ("long", value::Value::from(f64::NAN)),
            ("date", value::Value::from(1e300)),
            ("date", value::Value::from(f64::NAN)),
            ("byte", value::Value::from(128)),
        ] {
            let mut mapping = mapping(json!({"properties": {"a": {"type": kind}}}));
            assert!(
                mapping.learn((&doc! {"a": number.clone()}).into()).is_err(),
                "{kind} {number:?}"
            );
        }
    }

    #[test]
    fn a_strict_mapping_refuses_fields_that_it_does_not_name() {
        let mut mapping = mapping(json!({"dynamic": "strict", "properties": {"a": {"type": "long"}}}));
        assert!(mapping.learn((&doc! {"a": 1}).into()).is_ok());
        assert!(mapping.learn((&doc! {"b": 1}).into()).is_err());
    }

    #[test]
    fn the_type_of_a_field_stays() {
        let mut mapping = mapping(json!({"properties": {"a": {"type": "long"}}}));
        assert!(
            mapping
                .put(&json!({"properties": {"b": {"type": "text"}}}))
                .is_ok()
        );
        assert!(
            mapping
                .put(&json!({"properties": {"a": {"type": "text"}}}))
                .is_err()
        );
        assert!(mapping.field("b").is_some());
    }

    #[test]
    fn unknown_types_and_parameters_are_refused() {
        for wrong in [
            json!({"properties": {"a": {"type": "percolator"}}}),
            json!({"properties": {"a": {"type": "long", "colour": 1}}}),
            json!({"colour": 1}),
            json!({"properties": {"a": {"type": "token_count"}}}),
            json!({"properties": {"a": {"type": "search_as_you_type", "max_shingle_size": 5}}}),
            json!({"properties": {"a": {"type": "constant_keyword", "index": false}}}),
            json!({"properties": {"a": {"type": "text", "position_increment_gap": -1}}}),
            json!({"properties": {"a": {"type": "text", "position_increment_gap": 2_147_483_648_u32}}}),
            json!({"properties": {"a": {"type": "text", "position_increment_gap": 4_294_967_296_u64}}}),
            json!({"properties": {"a": {"type": "keyword", "ignore_above": -1}}}),
            json!({"properties": {"a": {"type": "keyword", "ignore_above": 1.5}}}),
            json!({"properties": {"a": {"type": "scaled_float", "scaling_factor": 0}}}),
            json!({"properties": {"a": {"type": "completion", "max_input_length": -1}}}),
            json!({"properties": {"a": {"type": "completion", "analyzer": "none"}}}),
            json!({"properties": {"a": {"type": "date", "format": "yyyyyyyyyyyyyyyyyyyy"}}}),
        ] {
            assert!(Mapping::parse(&wrong, Analysis::default()).is_err(), "{wrong}");
        }
    }
}
