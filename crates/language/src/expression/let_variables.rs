//! The variables that a command declares by its `let`.

use super::parse::{check_new_variable, check_variable};
use super::scope::reads_clock;
use super::{Expression, Variables};
use crate::{Code, Error, Result};
use value::{Document, DocumentRef};

/// The variables that the server itself sets for a command.
const SERVER_VARIABLES: [&str; 4] = ["NOW", "CLUSTER_TIME", "USER_ROLES", "JS_SCOPE"];

/// The variables whose names no constant may have.
const BUILT_IN_VARIABLES: [&str; 8] = [
    "ROOT",
    "REMOVE",
    "NOW",
    "CLUSTER_TIME",
    "JS_SCOPE",
    "IS_MR",
    "SEARCH_META",
    "USER_ROLES",
];

impl Variables {
    /// Sets the constants of an update's `c`, whose values are not evaluated.
    pub fn set_constants(&mut self, constants: &Document) -> Result<()> {
        for (name, value) in constants.iter() {
            check_variable(name)?;
            if BUILT_IN_VARIABLES.contains(&name) {
                return Err(Error::new(
                    Code::location(17_275),
                    format!(
                        "Can't redefine a non-user-writable variable: give the constant '{name}' another name"
                    ),
                ));
            }
            self.set(name, Some(value.clone()));
        }
        Ok(())
    }

    /// Sets the variables of a command's `let`: expressions without fields, each seeing those before it.
    pub fn set_let(&mut self, definitions: &Document) -> Result<()> {
        for (name, definition) in definitions.iter() {
            if SERVER_VARIABLES.contains(&name) {
                return Err(Error::new(
                    Code::location(4_738_901),
                    format!("Attempt to set value of built-in variable through 'let': $${name}"),
                ));
            }
            check_new_variable(name)?;
            if reads_clock(definition) {
                return Err(Error::new(
                    Code::location(51_144),
                    format!(
                        "'let' variable '{name}' may not use the built-in variables $$NOW and $$CLUSTER_TIME"
                    ),
                ));
            }
            let expression = Expression::parse(definition, &self.parse_scope())?;
            if expression.reads_document() {
                return Err(Error::new(
                    Code::location(4_890_500),
                    "Command let Expression tried to access a field, but this is not allowed because command let \
                     expressions run before the query examines any documents.",
                ));
            }
            let value = expression.evaluate(DocumentRef::Tree(&Document::new()), self)?;
            self.set(name, value);
        }
        Ok(())
    }
}
