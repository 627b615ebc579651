//! Walking a document with the tree of an update's operators.

use crate::context::Context;
use crate::growth::value_bytes;
use crate::make_path::{check_path, make_path};
use crate::operators::{Effect, Missing, Operator};
use crate::path::array_index;
use crate::stored::check_top_level_name;
use crate::tree::{Elements, Fields, Name, Node};
use language::interruption::{COMPARISONS_PER_STEP, steps};
use language::{Code, Error, Result};
use std::borrow::Cow;
use value::{Document, Value};

/// Applies the operators to a whole document. Whether anything changed is in the context.
pub(crate) fn apply_to_document(
    fields: &Fields,
    document: &mut Document,
    context: &mut Context<'_>,
) -> Result<()> {
    let mut root = Value::Document(std::mem::take(document));
    let applied = apply_fields(fields, &mut root, context);
    if let Value::Document(changed) = root {
        *document = changed;
    }
    applied
}

fn apply_fields(fields: &Fields, container: &mut Value, context: &mut Context<'_>) -> Result<()> {
    let Some(matched) = &fields.matched else {
        return fields
            .named
            .iter()
            .try_for_each(|(name, node)| apply_child(&name.0, node, container, context));
    };
    let position = Name(positional(context)?);
    let mut pending = Some(matched);
    for (name, node) in &fields.named {
        if pending.is_some() && *name == position {
            let path = format!("{}.{}", context.path_text(), position.0);
            let merged = node.merged(matched, &path)?;
            apply_child(&name.0, &merged, container, context)?;
            pending = None;
            continue;
        }
        if position < *name
            && let Some(matched) = pending.take()
        {
            apply_child(&position.0, matched, container, context)?;
        }
        apply_child(&name.0, node, container, context)?;
    }
    match pending {
        Some(matched) => apply_child(&position.0, matched, container, context),
        None => Ok(()),
    }
}

/// The child of this name, where it is there.
pub(crate) fn child_mut<'v>(container: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match container {
        Value::Document(document) => document.get_mut(name),
        Value::Array(elements) => elements.get_mut(array_index(name)?),
        _ => None,
    }
}

/// Counts looking for a field of a document as steps: it goes through all of them.
pub(crate) fn count_look_up(container: &Value) -> Result<()> {
    match container {
        Value::Document(document) => steps(1 + document.len() / COMPARISONS_PER_STEP),
        _ => steps(1),
    }
}

fn apply_child(name: &str, node: &Node, container: &mut Value, context: &mut Context<'_>) -> Result<()> {
    if matches!(node, Node::Reserved) {
        return Ok(());
    }
    count_look_up(container)?;
    if child_mut(container, name).is_none() {
        return apply_missing(node, container, &mut vec![name.to_owned()], context);
    }
    context.path.push(name.to_owned());
    let applied = apply_present(name, node, container, context);
    context.path.pop();
    applied
}

fn apply_present(name: &str, node: &Node, container: &mut Value, context: &mut Context<'_>) -> Result<()> {
    let Some(child) = child_mut(container, name) else {
        return Ok(());
    };
    match node {
        Node::Fields(fields) => apply_fields(fields, child, context),
        Node::Elements(elements) => apply_elements(elements, child, name, context),
        Node::Operator(operator) => {
            let effect = operator.on_present(child, name, context)?;
            if effect == Effect::Unchanged {
                return Ok(());
            }
            let is_equal_id = effect == Effect::Changed && context.is_id(child);
            if !is_equal_id {
                check_id(context)?;
            }
            context.changed = true;
            if effect == Effect::Removed {
                remove(container, name);
                return Ok(());
            }
            context.growth.add(operator.put_bytes(child))?;
            match context.path.as_slice() {
                [name] => check_name(name, context),
                _ => Ok(()),
            }
        }
        Node::Reserved => Ok(()),
    }
}

/// Like MongoDB, a field that an operator sets is checked, but not those beside it; any name may come with a new document.
fn check_name(name: &str, context: &Context<'_>) -> Result<()> {
    match context.is_insert {
        true => Ok(()),
        false => check_top_level_name(name),
    }
}

/// Takes a field out of its document; in an array it becomes null, so that the others keep their places.
fn remove(container: &mut Value, name: &str) {
    match container {
        Value::Document(document) => drop(document.remove(name)),
        other => {
            if let Some(child) = child_mut(other, name) {
                *child = Value::Null;
            }
        }
    }
}

fn apply_elements(
    elements: &Elements,
    array: &mut Value,
    field: &str,
    context: &mut Context<'_>,
) -> Result<()> {
    let Value::Array(values) = array else {
        return Err(Error::bad_value(format!(
            "Cannot apply array updates to non-array element {}",
            value::shell::field(field, array.as_ref())
        )));
    };
    for at in 0..values.len() {
        steps(1)?;
        let name = at.to_string();
        // Operators change elements in their places, so the array stays an array of this length.
        let Some(value) = child_mut(array, &name) else {
            break;
        };
        let Some(node) = elements.for_element(value, context)? else {
            continue;
        };
        context.path.push(name.clone());
        let applied = apply_present(&name, &node, array, context);
        context.path.pop();
        applied?;
    }
    Ok(())
}

impl Elements {
    /// What happens to this element: what `$[]` says and every array filter that matches it, merged.
    fn for_element<'n>(&'n self, element: &Value, context: &Context<'_>) -> Result<Option<Cow<'n, Node>>> {
        let mut found: Option<Cow<'n, Node>> = self.all.as_deref().map(Cow::Borrowed);
        for (name, node) in &self.filtered {
            steps(1)?;
            match context.array_filters.get(name) {
                Some(filter) if filter.matches(element)? => {}
                _ => continue,
            }
            found = Some(match found {
                None => Cow::Borrowed(node),
                Some(other) => Cow::Owned(other.merged(node, &context.path_text())?),
            });
        }
        Ok(found)
    }
}

/// Applies what stands below a path that ends in nothing: `missing` are its parts below the container.
fn apply_missing(
    node: &Node,
    container: &mut Value,
    missing: &mut Vec<String>,
    context: &mut Context<'_>,
) -> Result<()> {
    match node {
        Node::Operator(operator) => apply_operator_missing(operator, container, missing, context),
        Node::Fields(fields) => {
            let matched = match &fields.matched {
                Some(node) => Some((positional(context)?, &**node)),
                None => None,
            };
            let named = fields.named.iter().map(|(name, node)| (name.0.clone(), node));
            for (name, node) in named.chain(matched) {
                missing.push(name);
                let applied = apply_missing(node, container, missing, context);
                missing.pop();
                applied?;
            }
            Ok(())
        }
        Node::Elements(_) => {
            let mut path = context.path.clone();
            path.extend(missing.iter().cloned());
            Err(Error::bad_value(format!(
                "The path '{}' must exist in the document in order to apply array updates.",
                path.join(".")
            )))
        }
        Node::Reserved => Ok(()),
    }
}

fn positional(context: &Context<'_>) -> Result<String> {
    context
        .position
        .map(|position| position.to_string())
        .ok_or_else(|| {
            Error::bad_value("The positional operator did not find the match needed from the query.")
        })
}

fn apply_operator_missing(
    operator: &Operator,
    container: &mut Value,
    missing: &[String],
    context: &mut Context<'_>,
) -> Result<()> {
    match operator.on_missing(context)? {
        Missing::Ignore => Ok(()),
        Missing::CheckPath => check_path(container, missing, context),
        Missing::Create(value) => {
            if let (Some(first), true) = (missing.first(), context.path.is_empty()) {
                check_name(first, context)?;
            }
            context.growth.add(value_bytes(&value))?;
            let name = context.path.last().map(String::as_str);
            let filled_bytes = make_path(container, missing, value, name)?;
            context.growth.add(filled_bytes)?;
            check_id(context)?;
            context.changed = true;
            Ok(())
        }
    }
}

/// A change on a path at or below an `_id` that was there is refused.
fn check_id(context: &Context<'_>) -> Result<()> {
    if context.id_is_fixed && context.path.first().is_some_and(|name| name == "_id") {
        return Err(immutable_id(&context.path_text()));
    }
    Ok(())
}

/// The error of a change to `_id` or below.
pub(crate) fn immutable_id(path: &str) -> Error {
    Error::new(
        Code::IMMUTABLE_FIELD,
        format!("Performing an update on the path '{path}' would modify the immutable field '_id'"),
    )
}
