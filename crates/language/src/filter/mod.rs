//! MongoDB's query language: a query document parsed once, then matched against raw documents.
//!
//! [`Filter::parse`] turns the query into a tree of [`Node`]s (conditions on a document) whose leaves are
//! [`Predicate`]s (conditions on what a path reaches); the planner reads that tree, and [`Filter::matches`] walks it
//! for each document. Sugar is gone after parsing: `$ne` is `Not` of `Eq`, `$nin` `Not` of `In`, `$exists: false`
//! `Not` of `Exists`, and `$all` a conjunction.
//!
//! What must hold: matching allocates nothing for comparisons, and never decodes a value that it does not look at.
//!
//! Left to others: expressions in `$expr` (`expression`), which index helps (`plan`).

mod collated;
mod equalities;
mod expr;
mod fields_read;
mod geo;
mod matches;
mod near;
mod node;
mod normal;
mod number;
mod parse;
mod partial;
mod schema;
mod scope;
mod script;
mod searches;
mod text;
mod unsatisfied;

pub use expr::ExprCondition;
pub use geo::{GeoCondition, GeoOperator, NearCondition};
pub use near::{GEO_NEAR_DISTANCE, GEO_NEAR_POINT};
pub use node::{BitTest, BitsTest, Comparison, Node, Predicate, TypeSet};
pub use parse::{FILTER_DEPTH_MAX, OF_FIELDS, STANDING_ALONE};
pub use schema::JsonSchema;
pub use scope::{FilterPlace, FilterScope};
pub use script::WhereCondition;
pub use text::{TEXT_SCORE, TextCondition};

use crate::Result;
use crate::interruption::steps;
use parse::Parser;
use value::raw::DocumentWriter;
use value::{Document, DocumentRef, RawDocument, Value, ValueRef};

/// A parsed query.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
    /// See [`Filter::is_written_by_id`].
    written_by_id: bool,
}

impl Filter {
    /// Parses a query document.
    pub fn parse(query: &Document, scope: &FilterScope<'_>) -> Result<Filter> {
        near::check_beside_text(query)?;
        let root = Parser::new(scope).document(query)?;
        near::check_near(&root)?;
        searches::check_text(&root)?;
        Ok(Filter {
            written_by_id: is_written_by_id(query),
            ..Filter::of(root)
        })
    }

    /// The filter that every document matches.
    pub fn empty() -> Filter {
        Filter::of(Node::AlwaysTrue)
    }

    fn of(root: Node) -> Filter {
        Filter {
            root,
            written_by_id: false,
        }
    }

    /// Whether the query is just one `_id`. Other queries may be equivalent, but MongoDB plans those, and so computes the keys of
    /// their sort.
    pub fn is_written_by_id(&self) -> bool {
        self.written_by_id
    }

    /// Whether it has a `$near` condition.
    pub fn asks_near(&self) -> bool {
        near::asks_near(&self.root)
    }

    /// How far a document is from the centre of `$near`, if the filter has it, and its place that is nearest.
    pub fn nearest(&self, document: DocumentRef<'_>) -> Option<(f64, Value)> {
        near::nearest(&self.root, document)
    }

    /// This filter with a `$near` condition on a path added to it.
    pub fn and_near(&self, path: &str, near: NearCondition) -> Result<Filter> {
        let root = Node::And(vec![Node::near(path, near), self.root.clone()]);
        near::check_near(&root)?;
        Ok(Filter::of(root))
    }

    /// Whether it has an `$expr`.
    pub fn has_expr(&self) -> bool {
        self.root.has_expr()
    }

    /// Whether it has a `$jsonSchema` that says of fields that clients encrypt them, or how.
    pub fn has_encryption(&self) -> bool {
        self.root.has_encryption()
    }

    /// Its text search, if it has one.
    pub fn text(&self) -> Option<&TextCondition> {
        searches::text_in(&self.root)
    }

    /// The score of a document in the text search; `None` without a text search.
    pub fn text_score(&self, document: DocumentRef<'_>) -> Result<Option<f64>> {
        let score = |text: &TextCondition| Ok(text.condition()?.score(document));
        self.text().map(score).transpose()
    }

    /// The filter that matches what all of these match.
    pub fn all_of(filters: impl IntoIterator<Item = Filter>) -> Filter {
        let mut filters: Vec<Filter> = filters.into_iter().collect();
        match filters.pop() {
            Some(only) if filters.is_empty() => only,
            last => {
                let roots = filters.into_iter().chain(last).map(|filter| filter.root);
                Filter::of(parse::conjunction(roots.collect()))
            }
        }
    }

    /// Whether every document matches, whatever it is.
    pub fn is_empty(&self) -> bool {
        matches!(self.root, Node::AlwaysTrue)
    }

    /// Whether the document matches. Fails if `$expr` fails on it, or if a pattern exceeds its limit.
    pub fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        steps(1)?;
        self.root.matches(document)
    }

    /// As [`Filter::matches`]; `position` is then the place of the array's element that satisfied the condition on an array
    /// which MongoDB looks at last: what the positional `$` stands for.
    pub fn matches_positioned(
        &self,
        document: DocumentRef<'_>,
        position: &mut Option<usize>,
    ) -> Result<bool> {
        steps(1)?;
        *position = None;
        self.root.matches_positioned(document, position)
    }

    /// Whether a value matches that the query calls `name`: the identifier of an array filter, or "" if
    /// the query was made by [`Filter::parse_on_value`].
    pub fn matches_value(&self, name: &str, value: ValueRef<'_>) -> Result<bool> {
        let mut bytes = Vec::with_capacity(64);
        let mut writer = DocumentWriter::new(&mut bytes);
        writer.put(name, value);
        writer.finish();
        self.matches(DocumentRef::Raw(RawDocument::from_validated(&bytes)))
    }

    /// Parses a condition on a nameless value, for [`Filter::matches_value`]: operators, a pattern, or what it must
    /// equal.
    pub fn parse_on_value(condition: &Value, scope: &FilterScope<'_>) -> Result<Filter> {
        Filter::parse(&Document::new().with("", condition.clone()), scope)
    }

    /// Whether the same document may match at one time and not at another, because of `$sampleRate`, `$rand` or a
    /// script.
    pub fn is_random(&self) -> bool {
        self.root.is_random()
    }

    /// The conditions as a tree, for the planner.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The query in its normal form, as `explain` shows it under `parsedQuery`.
    pub fn to_document(&self) -> Document {
        normal::document(&self.root)
    }

    /// The fields that must equal a value, which an upsert puts into the new document; in the order of the query.
    /// A path may come twice: that is for the upsert to refuse.
    pub fn equalities(&self) -> Vec<(&str, &Value)> {
        equalities::of(&self.root)
    }
}

fn is_written_by_id(query: &Document) -> bool {
    let mut fields = query.iter();
    match (fields.next(), fields.next()) {
        (Some(("_id", Value::Document(asked))), None) => {
            let is_equality = asked.len() == 1 && asked.contains("$eq");
            is_equality || !asked.iter().any(|(name, _)| name.starts_with('$'))
        }
        (Some((name, _)), None) => name == "_id",
        _ => false,
    }
}
