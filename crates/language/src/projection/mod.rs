//! Projections: those of finds, and of the stages `$project`, `$addFields`, `$set`, `$unset`.
//!
//! A specification is parsed once into a tree by path ([`node`]), each path with what happens there: kept, left out,
//! computed, sliced. [`Projection::apply`] then writes BSON: where top-level fields are only kept, left out or computed, bytes are
//! copied and values written ([`copy`]), otherwise the document is built ([`apply`]).
//!
//! What must hold: fields come in the document's order, computed ones after them in the order of the specification;
//! expressions see the document as it was before the projection.
//!
//! Left to others: expressions (`expression`), conditions (`filter`), which fields an index covers (`plan`).

mod apply;
mod check;
mod copy;
mod node;
mod parse;
mod required;
mod slice;
mod stage;

pub use copy::FieldSource;
pub use stage::{Stage, new_root};

use crate::Result;
use crate::expression::building::Building;
use crate::expression::{Expression, INDEX_KEY, ParseScope, Variables};
use crate::filter::{Filter, FilterPlace, FilterScope, GEO_NEAR_DISTANCE, GEO_NEAR_POINT, TEXT_SCORE};
use apply::Applier;
use copy::Copied;
use node::{Action, Fields};
use parse::{Mode, Parsed, Parser, ProjectionPlace};
use std::cell::RefCell;
use value::{Document, DocumentRef, Value};

/// The metadata name of a document's record id.
pub const RECORD_ID: &str = "recordId";

/// The metadata name of the values by which a document is sorted.
pub const SORT_KEY: &str = "sortKey";

/// The name of a projection in messages about built documents.
const BUILDER: &str = "the projection";

/// A parsed projection.
#[derive(Clone, Debug)]
pub struct Projection {
    fields: Fields,
    mode: Mode,
    positional: Option<String>,
    /// Set where it is enough to copy fields of the document itself, and to compute others beside them.
    copied: Option<Copied>,
}

impl Projection {
    /// Parses a find's projection. The filter is the find's, on which the positional `$` depends; the variables are
    /// those given to [`Projection::apply`] later.
    pub fn parse_find(
        specification: &Document,
        filter: Option<&Filter>,
        variables: &Variables,
    ) -> Result<Projection> {
        Projection::parse_find_with(specification, filter, variables, &[])
    }

    /// As [`Projection::parse_find`], of documents that have this metadata beside what the filter gives them; its values are
    /// given by [`Variables::set_metadata`].
    pub fn parse_find_with(
        specification: &Document,
        filter: Option<&Filter>,
        variables: &Variables,
        metadata: &[&'static str],
    ) -> Result<Projection> {
        let filters = FilterScope {
            place: FilterPlace::Element,
            variables: Some(variables),
        };
        let mut scope = variables.parse_scope().with_metadata(metadata);
        if filter.is_some_and(|filter| filter.text().is_some()) {
            scope = scope.with_metadata(&[TEXT_SCORE]);
        }
        if filter.is_some_and(Filter::asks_near) {
            scope = scope.with_metadata(&[GEO_NEAR_DISTANCE, GEO_NEAR_POINT]);
        }
        let parsed = Parser::new(ProjectionPlace::Find, &scope, filters).parse(specification)?;
        if let (Some(_), Some(filter)) = (&parsed.positional, filter) {
            check::check_positioned(filter.root())?;
        }
        Ok(Projection::from_parsed(parsed))
    }

    /// Parses the operand of a pipeline stage; `name` is the stage's name as it was written.
    pub fn parse_stage(stage: Stage, name: &str, operand: &Value, scope: &ParseScope) -> Result<Projection> {
        stage::parse(stage, name, operand, scope).map(Projection::from_parsed)
    }

    fn from_parsed(parsed: Parsed) -> Projection {
        let Parsed {
            mut fields,
            mode,
            id_included,
            positional,
        } = parsed;
        if mode == Mode::Inclusion && id_included && fields.get("_id").is_none() {
            fields.push_front("_id", Action::Include);
        }
        let copied = Copied::of(&fields, mode);
        Projection {
            fields,
            mode,
            positional,
            copied,
        }
    }

    /// Whether it shows the index key by which a document was found.
    pub fn needs_index_key(&self) -> bool {
        self.fields.read_metadata(INDEX_KEY)
    }

    /// Whether metadata of this name is shown: [`RECORD_ID`], [`SORT_KEY`].
    pub fn needs_metadata(&self, name: &str) -> bool {
        self.fields.read_metadata(name)
    }

    /// Whether the position at which the query matched is needed.
    pub fn needs_position(&self) -> bool {
        self.positional.is_some()
    }

    /// Whether fields of the document itself are kept or left out, and nothing else happens.
    pub fn is_simple(&self) -> bool {
        self.copied.is_some()
    }

    /// Where the field of a name comes from; `None` if the projection is not simple.
    pub fn source_of(&self, name: &str) -> Option<FieldSource> {
        self.copied.as_ref().map(|copied| copied.source_of(name))
    }

    /// The fields that a simple projection computes, in its order.
    pub fn computed(&self) -> &[(String, Expression)] {
        self.copied.as_ref().map_or(&[], Copied::computed)
    }

    /// Appends the projected document to `out` as BSON. `position` is where in an array the query matched.
    pub fn apply(
        &self,
        document: DocumentRef<'_>,
        position: Option<usize>,
        variables: &Variables,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if let (Some(copied), DocumentRef::Raw(raw)) = (&self.copied, document) {
            return copied.write(raw, variables, out);
        }
        let projected = self.build(document, position, variables)?;
        value::raw::encode_value_into(out, value::ValueRef::Document((&projected).into()));
        Ok(())
    }

    /// The projected document; for pipelines, which have no positional projection.
    pub fn apply_tree(&self, document: &Document, variables: &Variables) -> Result<Document> {
        self.build(document.into(), None, variables)
    }

    fn build(
        &self,
        document: DocumentRef<'_>,
        position: Option<usize>,
        variables: &Variables,
    ) -> Result<Document> {
        let applier = Applier {
            mode: self.mode,
            root: document,
            variables,
            building: RefCell::new(Building::new(BUILDER)),
        };
        let mut projected = applier.document(&self.fields, document)?;
        if let Some(path) = &self.positional {
            apply::keep_matched(&mut projected, path, position)?;
        }
        Ok(projected)
    }
}
