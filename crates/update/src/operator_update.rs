//! Updates made of operators: `{$set: {…}, $inc: {…}}`.

use crate::apply::apply_to_document;
use crate::array_filter::{ArrayFilter, ArrayFilters};
use crate::context::Context;
use crate::operators::{self, Operator};
use crate::path::{Part, UpdatePath};
use crate::rename::Rename;
use crate::stored::check_stored;
use crate::tree::{Fields, Node};
use crate::{Applied, UpdateScope};
use language::expression::Variables;
use language::interruption::{COMPARISONS_PER_STEP, steps};
use language::{Error, Result};
use std::collections::HashSet;
use value::{Document, Value};

/// Operators by path.
#[derive(Clone, Debug)]
pub(crate) struct OperatorUpdate {
    fields: Fields,
    renames: Vec<Rename>,
    array_filters: ArrayFilters,
    needs_position: bool,
}

impl OperatorUpdate {
    pub(crate) fn parse(
        document: &Document,
        array_filters: &[Document],
        scope: &UpdateScope<'_>,
    ) -> Result<OperatorUpdate> {
        let mut update = OperatorUpdate {
            fields: Fields::default(),
            renames: Vec::new(),
            array_filters: ArrayFilter::parse_all(array_filters, &scope.elements())?,
            needs_position: false,
        };
        let mut used = HashSet::new();
        for (name, operands) in document.iter() {
            update.add_operator(name, operands, scope, &mut used)?;
        }
        for name in update.array_filters.keys() {
            if !used.contains(name) {
                return Err(Error::failed_to_parse(format!(
                    "The array filter for identifier '{name}' was not used in the update {}",
                    value::shell::document(document.into())
                )));
            }
        }
        Ok(update)
    }

    fn add_operator(
        &mut self,
        name: &str,
        operands: &Value,
        scope: &UpdateScope<'_>,
        used: &mut HashSet<String>,
    ) -> Result<()> {
        if !OPERATORS.contains(&name) {
            return Err(Error::failed_to_parse(format!(
                "Unknown modifier: {name}. Expected a valid update modifier or pipeline-style update specified as an \
                 array"
            )));
        }
        let Value::Document(operands) = operands else {
            return Err(Error::failed_to_parse(format!(
                "Modifiers operate on fields but we found type {} instead. For example: {{$mod: {{<field>: ...}}}} not \
                 {{{}}}",
                operands.type_of().alias(),
                value::shell::field(name, operands.as_ref())
            )));
        };
        for (path, operand) in operands.iter() {
            steps(1)?;
            if name == "$rename" {
                self.add_rename(path, operand)?;
                continue;
            }
            let parsed = UpdatePath::parse(path)?;
            // A wrong operand comes before an identifier without a filter.
            let operator = operators::parse(name, path, operand, &scope.elements())?;
            self.check_positions(&parsed, path, used)?;
            if let Some(operator) = operator {
                self.fields.add(&parsed, Node::Operator(operator))?;
            }
        }
        Ok(())
    }

    fn add_rename(&mut self, source: &str, operand: &Value) -> Result<()> {
        let rename = Rename::parse(source, operand)?;
        self.fields.add(&rename.from, Node::Reserved)?;
        let number = self.renames.len();
        self.fields
            .add(&rename.to, Node::Operator(Operator::Renamed(number)))?;
        self.renames.push(rename);
        Ok(())
    }

    /// Every `$[name]` has its array filter; where `$` stands, the query must tell the position.
    fn check_positions(&mut self, path: &UpdatePath, text: &str, used: &mut HashSet<String>) -> Result<()> {
        for part in &path.parts {
            match part {
                Part::Matched => self.needs_position = true,
                Part::Filtered(name) => {
                    if !self.array_filters.contains_key(name) {
                        return Err(Error::bad_value(format!(
                            "No array filter found for identifier '{name}' in path '{text}'"
                        )));
                    }
                    used.insert(name.clone());
                }
                Part::All | Part::Field(_) => {}
            }
        }
        Ok(())
    }

    pub(crate) fn needs_position(&self) -> bool {
        self.needs_position
    }

    pub(crate) fn apply(
        &self,
        document: &mut Document,
        position: Option<usize>,
        is_insert: bool,
        variables: &Variables,
    ) -> Result<Applied> {
        let mut context = Context::new(document, position, is_insert, variables, &self.array_filters);
        for rename in &self.renames {
            steps(1 + document.len() / COMPARISONS_PER_STEP)?;
            let found = rename.find(document, &context)?;
            context.renamed.push(found);
        }
        apply_to_document(&self.fields, document, &mut context)?;
        for (rename, found) in self.renames.iter().zip(&context.renamed) {
            if found.is_some() {
                steps(1 + document.len() / COMPARISONS_PER_STEP)?;
                rename.remove_source(document);
            }
        }
        if !context.changed {
            return Ok(Applied::Unchanged);
        }
        check_stored(document)?;
        Ok(Applied::Changed)
    }
}

/// The names of all update operators, `$` included.
pub const OPERATORS: [&str; 15] = [
    "$set",
    "$setOnInsert",
    "$unset",
    "$inc",
    "$mul",
    "$min",
    "$max",
    "$rename",
    "$currentDate",
    "$push",
    "$addToSet",
    "$pop",
    "$pull",
    "$pullAll",
    "$bit",
];
