//! Operators whose operands have names: `{$dateAdd: {startDate: …, unit: …}}`.

use super::error;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Document, Value};

/// Computes the value; an operand that was not given is `None`.
pub(super) type Apply = fn(Vec<Option<Evaluated<'_>>>) -> Result<Option<Value>>;

/// Checks the constants among the operands before there is any document. Fails if one is wrong, and returns whether the
/// result is null whatever the other operands are. An operand that is not constant is `None`.
pub(super) type Look = fn(&[Option<Evaluated<'_>>]) -> Result<bool>;

#[derive(Debug)]
struct Named {
    apply: Apply,
    look: Option<Look>,
    operands: Vec<Option<Node>>,
}

/// The codes of what can be wrong with the argument.
pub(super) struct Wrong {
    pub(super) not_object: Code,
    /// It has a field that is not known.
    pub(super) unknown: Code,
}

/// The argument as an object that has only these fields.
pub(super) fn object<'v>(
    name: &str,
    argument: &'v Value,
    known: &[&str],
    wrong: &Wrong,
) -> Result<&'v Document> {
    let Value::Document(argument) = argument else {
        return Err(error(
            wrong.not_object,
            format!(
                "{name} only supports an object as its argument, found: {}",
                argument.type_of().alias()
            ),
        ));
    };
    match argument.iter().find(|(field, _)| !known.contains(field)) {
        Some((unknown, _)) => Err(error(
            wrong.unknown,
            format!("{name} found an unknown argument: {unknown}"),
        )),
        None => Ok(argument),
    }
}

/// Fails with the code of the first of these fields that is not there.
pub(super) fn require(name: &str, argument: &Document, fields: &[(&str, Code)]) -> Result<()> {
    match fields.iter().find(|(field, _)| !argument.contains(field)) {
        Some((missing, code)) => Err(error(*code, format!("Missing '{missing}' parameter to {name}"))),
        None => Ok(()),
    }
}

/// The operator on these fields, in this order.
pub(super) fn call(
    parser: &mut Parser<'_>,
    argument: &Document,
    fields: &[&str],
    apply: Apply,
) -> Result<Node> {
    let operands = operands(parser, argument, fields)?;
    let look = None;
    Ok(Node::Operation(Box::new(Named {
        apply,
        look,
        operands,
    })))
}

/// As [`call`], but checks the constants even if not all operands are constant.
pub(super) fn call_looking(
    parser: &mut Parser<'_>,
    argument: &Document,
    fields: &[&str],
    apply: Apply,
    look: Look,
) -> Result<Node> {
    let operands = operands(parser, argument, fields)?;
    let look = Some(look);
    Ok(Node::Operation(Box::new(Named {
        apply,
        look,
        operands,
    })))
}

/// The operands in these fields, in this order; `None` if a field is missing.
pub(super) fn operands(
    parser: &mut Parser<'_>,
    argument: &Document,
    fields: &[&str],
) -> Result<Vec<Option<Node>>> {
    // Parsed in the order written, so that the first error is the one that MongoDB finds.
    let mut operands: Vec<Option<Node>> = fields.iter().map(|_| None).collect();
    for (field, value) in argument.iter() {
        if let Some(at) = fields.iter().position(|known| *known == field) {
            operands[at] = Some(parser.operand(value)?);
        }
    }
    Ok(operands)
}

impl Named {
    /// What the look at the constants says, where not all operands are.
    fn is_null_by_constants(&self) -> Result<bool> {
        let Some(look) = self.look else {
            return Ok(false);
        };
        let constants: Vec<Option<Evaluated<'_>>> = self.operands.iter().map(constant).collect();
        let are_all = constants.iter().flatten().count() == self.operands.iter().flatten().count();
        Ok(!are_all && look(&constants)?)
    }
}

/// The value of an operand that is given and constant.
fn constant(operand: &Option<Node>) -> Option<Evaluated<'_>> {
    match operand {
        Some(Node::Constant(value)) => Some(Evaluated::from(value.as_ref().map(Value::as_ref))),
        _ => None,
    }
}

impl Operation for Named {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let values = self.operands.iter().map(|operand| match operand {
            Some(operand) => operand.evaluate(scope).map(Some),
            None => Ok(None),
        });
        Ok(Evaluated::from((self.apply)(values.collect::<Result<_>>()?)?))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.operands.iter_mut().flatten().collect()
    }

    fn fold(&mut self) -> Result<()> {
        self.operands.iter_mut().flatten().try_for_each(Node::fold)?;
        if self.is_null_by_constants()? {
            for operand in self.operands.iter_mut().flatten() {
                *operand = Node::Constant(Some(Value::Null));
            }
        }
        Ok(())
    }

    fn reads_document(&self) -> bool {
        self.operands.iter().flatten().any(Node::reads_document)
    }
}
