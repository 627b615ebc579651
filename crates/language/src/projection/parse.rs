//! From a projection document to the tree of what happens to each field.

use super::check::{
    check_field_path, check_nested_name, check_path, check_position, refuse_meta, unknown_expression,
};
use super::node::{Action, Fields};
use super::slice::Slice;
use crate::expression::{ABSENT_METADATA, Expression, INDEX_KEY, ParseScope};
use crate::filter::{Filter, FilterScope};
use crate::{Code, Error, Result};
use value::{Document, Value};

/// Where the projection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProjectionPlace {
    /// A find, with its own operators.
    Find,
    /// A stage of a pipeline.
    Stage,
}

/// Whether `$meta` names metadata that documents can have: the key of an index, that of earlier stages, and that which only `$search`
/// and `$sample` give in MongoDB, and which documents lack here. Scores in a find without a text search are an error.
fn is_metadata(place: ProjectionPlace, operand: &Value, scope: &ParseScope) -> bool {
    match operand.as_ref().as_str() {
        Some(INDEX_KEY) => true,
        Some("searchScore") if place == ProjectionPlace::Find => false,
        Some(name) => scope.has_metadata(name) || ABSENT_METADATA.contains(&name),
        None => false,
    }
}

/// What happens to fields that are not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Inclusion,
    Exclusion,
}

/// A parsed specification.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) fields: Fields,
    pub(super) mode: Mode,
    /// Whether `_id` is left out of an inclusion, or kept in spite of an exclusion.
    pub(super) id_included: bool,
    /// The path of the positional `$`.
    pub(super) positional: Option<String>,
}

pub(super) struct Parser<'s> {
    place: ProjectionPlace,
    expressions: &'s ParseScope,
    filters: FilterScope<'s>,
    fields: Fields,
    mode: Option<Mode>,
    id: Option<bool>,
    has_elem_match: bool,
    has_slice: bool,
    has_metadata: bool,
    positional: Option<String>,
}

impl<'s> Parser<'s> {
    pub(super) fn new(
        place: ProjectionPlace,
        expressions: &'s ParseScope,
        filters: FilterScope<'s>,
    ) -> Parser<'s> {
        Parser {
            place,
            expressions,
            filters,
            fields: Fields::default(),
            mode: None,
            id: None,
            has_elem_match: false,
            has_slice: false,
            has_metadata: false,
            positional: None,
        }
    }

    pub(super) fn parse(mut self, specification: &Document) -> Result<Parsed> {
        for (path, value) in specification.iter() {
            self.entry(path, value, false)?;
        }
        let mode = self.mode.unwrap_or_else(|| self.default_mode());
        let id_included = self.id.unwrap_or(true);
        Ok(Parsed {
            fields: self.fields,
            mode,
            id_included,
            positional: self.positional,
        })
    }

    /// The mode where only `_id` and operators are named (`computeProjectionType` of MongoDB's `projection_parser.cpp`).
    fn default_mode(&self) -> Mode {
        let is_inclusion = match self.place {
            _ if self.has_slice => false,
            _ if self.has_elem_match => true,
            ProjectionPlace::Find => false,
            ProjectionPlace::Stage => self.has_metadata,
        };
        match is_inclusion || self.id == Some(true) {
            true => Mode::Inclusion,
            false => Mode::Exclusion,
        }
    }

    fn entry(&mut self, path: &str, value: &Value, nested: bool) -> Result<()> {
        if self.place == ProjectionPlace::Find && path.ends_with(".$") {
            return self.positional_entry(path, value);
        }
        check_path(path, self.place)?;
        match truth(value) {
            Some(kept) => self.plain_entry(path, kept),
            None => match value {
                Value::Document(object) => self.object_entry(path, object, nested),
                _ => self.computed_entry(path, value),
            },
        }
    }

    fn plain_entry(&mut self, path: &str, kept: bool) -> Result<()> {
        if path == "_id" {
            let action = if kept { Action::Include } else { Action::Exclude };
            self.id = Some(kept);
            return self.fields.add(path, action);
        }
        // MongoDB notices a collision first.
        if kept {
            self.fields.add(path, Action::Include)?;
            self.set_mode(Mode::Inclusion, path)
        } else {
            self.fields.add(path, Action::Exclude)?;
            self.set_mode(Mode::Exclusion, path)
        }
    }

    fn set_mode(&mut self, mode: Mode, path: &str) -> Result<()> {
        match (self.mode, mode) {
            (Some(Mode::Exclusion), Mode::Inclusion) => Err(Error::new(
                Code::location(31_253),
                format!("Cannot do inclusion on field {path} in exclusion projection"),
            )),
            (Some(Mode::Inclusion), Mode::Exclusion) => Err(Error::new(
                Code::location(31_254),
                format!("Cannot do exclusion on field {path} in inclusion projection"),
            )),
            _ => {
                self.mode = Some(mode);
                Ok(())
            }
        }
    }

    /// A literal, which is an expression too.
    fn computed_entry(&mut self, path: &str, value: &Value) -> Result<()> {
        let expression = Expression::parse(value, self.expressions)?;
        self.compute(path, expression)?;
        if self.mode == Some(Mode::Exclusion) {
            return Err(Error::new(
                Code::location(31_310),
                format!(
                    "Cannot use an expression {} in an exclusion projection",
                    value::shell::field(path, value.as_ref())
                ),
            ));
        }
        self.mode = Some(Mode::Inclusion);
        Ok(())
    }

    /// An operator with its operand.
    fn expression_entry(&mut self, path: &str, expression: &Document) -> Result<()> {
        if self.mode == Some(Mode::Exclusion) {
            return Err(Error::new(
                Code::location(31_252),
                "Cannot use expression other than $meta in exclusion projection",
            ));
        }
        self.mode = Some(Mode::Inclusion);
        let expression = Expression::parse(&Value::Document(expression.clone()), self.expressions)?;
        self.compute(path, expression)
    }

    fn compute(&mut self, path: &str, expression: Expression) -> Result<()> {
        if path == "_id" {
            self.id = Some(true);
        }
        self.fields.add(path, Action::Compute(expression))
    }

    fn object_entry(&mut self, path: &str, object: &Document, nested: bool) -> Result<()> {
        let mut fields = object.iter();
        match (fields.next(), fields.next()) {
            (None, _) => Err(Error::new(
                Code::location(51_270),
                format!("An empty sub-projection is not a valid value. Found empty object at path {path}"),
            )),
            (Some((operator, operand)), None) if operator.starts_with('$') && !is_reference(operator) => {
                self.operator_entry(path, operator, operand, object, nested)
            }
            _ => object.iter().try_for_each(|(name, value)| {
                check_nested_name(name, self.place)?;
                self.entry(&format!("{path}.{name}"), value, true)
            }),
        }
    }

    fn operator_entry(
        &mut self,
        path: &str,
        operator: &str,
        operand: &Value,
        object: &Document,
        nested: bool,
    ) -> Result<()> {
        match (self.place, operator) {
            (place, "$meta") if is_metadata(place, operand, self.expressions) => {
                // Unlike other expressions, metadata goes with an exclusion, and alone leaves all fields of a find in.
                self.has_metadata = true;
                let expression = Expression::parse(&Value::Document(object.clone()), self.expressions)?;
                self.fields.add(path, Action::Compute(expression))
            }
            (_, "$meta") => Err(refuse_meta(operand)),
            (ProjectionPlace::Find, "$elemMatch") => self.elem_match_entry(path, operand, nested),
            (ProjectionPlace::Find, "$slice") => {
                // Like MongoDB: what fails as a slice, for a collision too, is tried as an expression.
                let as_slice = Slice::parse(operand).map(|slice| self.fields.add(path, Action::Slice(slice)));
                match as_slice {
                    Some(Ok(())) => {
                        self.has_slice = true;
                        Ok(())
                    }
                    _ => self.expression_entry(path, object),
                }
            }
            (ProjectionPlace::Stage, "$elemMatch") => Err(Error::new(
                Code::INVALID_PIPELINE_OPERATOR,
                "Cannot use $elemMatch in this context",
            )),
            _ if !Expression::has_operator(operator) => Err(unknown_expression(operator)),
            _ => self.expression_entry(path, object),
        }
    }

    fn elem_match_entry(&mut self, path: &str, operand: &Value, nested: bool) -> Result<()> {
        if !matches!(operand, Value::Document(_)) {
            return Err(Error::new(
                Code::location(31_274),
                format!(
                    "elemMatch: Invalid argument, object required, but got {}",
                    operand.type_of().alias()
                ),
            ));
        }
        if self.positional.is_some() {
            return Err(Error::new(
                Code::location(31_255),
                "Cannot specify positional operator and $elemMatch.",
            ));
        }
        if nested || path.contains('.') {
            return Err(Error::new(
                Code::location(31_275),
                "Cannot use $elemMatch projection on a nested field.",
            ));
        }
        self.has_elem_match = true;
        let condition = Document::new().with(path, Document::new().with("$elemMatch", operand.clone()));
        let filter = Filter::parse(&condition, &self.filters)?;
        self.fields.add(path, Action::ElemMatch(Box::new(filter)))
    }

    fn positional_entry(&mut self, path: &str, value: &Value) -> Result<()> {
        check_position(path)?;
        if matches!(value, Value::Document(_)) {
            return Err(Error::new(
                Code::location(31_271),
                "positional projection cannot be used with an expression or sub object",
            ));
        }
        match truth(value) {
            Some(true) => {}
            Some(false) => {
                return Err(Error::new(
                    Code::location(31_395),
                    "positional projection cannot be used with exclusion",
                ));
            }
            None => {
                return Err(Error::new(
                    Code::location(31_308),
                    "positional projection cannot be used with a literal",
                ));
            }
        }
        if self.positional.is_some() {
            return Err(Error::new(
                Code::location(31_276),
                "Cannot specify more than one positional projection per query.",
            ));
        }
        if self.has_elem_match {
            return Err(Error::new(
                Code::location(31_256),
                "Cannot specify positional operator and $elemMatch.",
            ));
        }
        let array = path.strip_suffix(".$").unwrap_or(path);
        if array.is_empty() {
            return Err(Error::new(
                Code::location(5_392_900),
                format!("Projection on field {path} is invalid"),
            ));
        }
        check_field_path(array)?;
        self.fields.add(array, Action::Positional)?;
        self.positional = Some(array.to_owned());
        self.set_mode(Mode::Inclusion, path)
    }
}

/// The fields of a database reference begin with a dollar sign though they are no operators.
fn is_reference(name: &str) -> bool {
    matches!(name, "$ref" | "$id" | "$db")
}

/// Whether a number or a boolean keeps the field or leaves it out; `None` for other values.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(kept) => Some(*kept),
        Value::Int32(number) => Some(*number != 0),
        Value::Int64(number) => Some(*number != 0),
        Value::Double(number) => Some(*number != 0.0),
        Value::Decimal128(_) => {
            let number = crate::expression::number::Number::of(value.as_ref())?;
            Some(!number.is_zero())
        }
        _ => None,
    }
}
