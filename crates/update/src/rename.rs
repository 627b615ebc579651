//! `$rename`: a `$set` at the destination of what an `$unset` takes from the source.

use crate::apply::immutable_id;
use crate::context::Context;
use crate::make_path::cannot_traverse;
use crate::path::{UpdatePath, array_index};
use language::{Code, Error, Result};
use value::{Document, Value};

/// One field to be moved.
#[derive(Clone, Debug)]
pub(crate) struct Rename {
    pub(crate) from: UpdatePath,
    pub(crate) to: UpdatePath,
}

impl Rename {
    pub(crate) fn parse(source: &str, operand: &Value) -> Result<Rename> {
        let from = UpdatePath::parse(source)?;
        let Value::String(destination) = operand else {
            return Err(Error::bad_value(format!(
                "The 'to' field for $rename must be a string: {}",
                value::shell::field(source, operand.as_ref())
            )));
        };
        if destination.contains('\0') {
            return Err(Error::new(
                Code::location(9_867_600),
                "The 'to' field for $rename cannot contain an embedded null byte",
            ));
        }
        let shown = || value::shell::field(source, operand.as_ref());
        let to = UpdatePath::parse(destination)?;
        if from.is_dynamic() {
            return Err(Error::bad_value(format!(
                "The source field for $rename may not be dynamic: {source}"
            )));
        }
        if to.is_dynamic() {
            return Err(Error::bad_value(format!(
                "The destination field for $rename may not be dynamic: {destination}"
            )));
        }
        if from == to {
            return Err(Error::bad_value(format!(
                "The source and target field for $rename must differ: {}",
                shown()
            )));
        }
        if from.parts.starts_with(&to.parts) || to.parts.starts_with(&from.parts) {
            return Err(Error::bad_value(format!(
                "The source and target field for $rename must not be on the same path: {}",
                shown()
            )));
        }
        Ok(Rename { from, to })
    }

    /// The value at the source; `None` if there is nothing to rename.
    pub(crate) fn find(&self, document: &Document, context: &Context<'_>) -> Result<Option<Value>> {
        let found = self.follow(document, &self.from, "source", context)?.cloned();
        if found.is_some() {
            // Only the containers of the destination matter: an array that is overwritten is no obstacle.
            self.follow(document, &self.to, "destination", context)?;
            if context.id_is_fixed && self.from.names().next() == Some("_id") {
                return Err(immutable_id(&self.from.to_string()));
            }
        }
        Ok(found)
    }

    fn follow<'d>(
        &self,
        document: &'d Document,
        path: &UpdatePath,
        role: &str,
        context: &Context<'_>,
    ) -> Result<Option<&'d Value>> {
        let mut names = path.names();
        let Some(first) = names.next() else {
            return Ok(None);
        };
        let Some(mut value) = document.get(first) else {
            return Ok(None);
        };
        let mut parent = first;
        let mut array: Option<&str> = None;
        for name in names {
            let next = match value {
                Value::Document(document) => document.get(name),
                Value::Array(elements) if array_index(name).is_some() => {
                    array.get_or_insert(parent);
                    array_index(name).and_then(|at| elements.get(at))
                }
                _ if role == "source" => {
                    return Err(cannot_traverse(name, &path.to_string(), parent, value));
                }
                // Making the path fails later, with the words for that.
                _ => return Ok(None),
            };
            match next {
                Some(next) => value = next,
                None if role == "source" || array.is_none() => return Ok(None),
                None => break,
            }
            parent = name;
        }
        match array {
            Some(array) => Err(Error::bad_value(format!(
                "The {role} field cannot be an array element, '{path}' in doc with {} has an array field called \
                 '{array}'",
                context.id_text()
            ))),
            None => Ok(Some(value)),
        }
    }

    /// Takes the source out.
    pub(crate) fn remove_source(&self, document: &mut Document) {
        let names: Vec<&str> = self.from.names().collect();
        let Some((last, parents)) = names.split_last() else {
            return;
        };
        let mut inner = document;
        for name in parents {
            match inner.get_mut(name) {
                Some(Value::Document(next)) => inner = next,
                _ => return,
            }
        }
        inner.remove(last);
    }
}
