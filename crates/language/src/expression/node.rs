//! The tree of a parsed expression, how it is evaluated, and how its constant parts are computed once.

use super::building::Building;
use super::evaluated::Evaluated;
use super::path::{Base, Path};
use super::scope::Variables;
use crate::Result;
use crate::interruption::steps;
use std::fmt::Debug;
use value::collation::Collation;
use value::size::shallow_bytes;
use value::{Document, DocumentRef, Value, ValueRef};

/// The bytes, about, of an operand that an operator reads in the time of one step.
const BYTES_PER_STEP: usize = 64;

/// One part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    /// Always this value; `None` is missing.
    Constant(Option<Value>),
    Path(Path),
    /// A document of computed fields; those that are missing are left out.
    Object(Vec<(String, Node)>),
    /// An array of computed elements; those that are missing are null.
    Array(Vec<Node>),
    /// An operator that sees the values of all its operands.
    Call(Call),
    /// An operator that evaluates its operands itself.
    Operation(Box<dyn Operation>),
}

/// An operator on the values of its operands.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) apply: Apply,
    pub(super) operands: Vec<Node>,
    /// The order of strings, if the operator compares and it is not that of their bytes.
    pub(super) collation: Option<Collation>,
}

/// The function of an operator. The number of operands was checked when the expression was parsed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apply {
    One(fn(Evaluated<'_>) -> Result<Option<Value>>),
    Two(fn(Evaluated<'_>, Evaluated<'_>) -> Result<Option<Value>>),
    /// Of three operands that are only read.
    Three(fn([Option<ValueRef<'_>>; 3]) -> Result<Option<Value>>),
    Many(fn(Vec<Evaluated<'_>>) -> Result<Option<Value>>),
    Collated(fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>>),
    /// As `Collated`, of the operands up to the first that is null or missing.
    UntilNull(fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>>),
}

/// An operator that evaluates its operands itself, because it skips some, binds variables or has prepared something.
pub(super) trait Operation: Debug + Send + Sync {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>>;

    /// The operands.
    fn operands(&mut self) -> Vec<&mut Node>;

    /// Computes the constant parts. An operand that is never evaluated may be dropped unseen.
    fn fold(&mut self) -> Result<()> {
        self.operands().into_iter().try_for_each(Node::fold)
    }

    /// Whether any operand depends on the document.
    fn reads_document(&self) -> bool;

    /// Whether the whole may be computed once when all operands are constants.
    fn is_foldable(&self) -> bool {
        true
    }
}

/// The document and the variables that the parts of an expression see.
#[derive(Clone, Copy)]
pub(super) struct Scope<'e> {
    pub(super) root: DocumentRef<'e>,
    pub(super) current: DocumentRef<'e>,
    pub(super) variables: &'e Variables,
    locals: Option<&'e Local<'e>>,
}

/// A variable that an operator has bound, with those of the operators around it.
pub(super) struct Local<'e> {
    slot: usize,
    value: Option<ValueRef<'e>>,
    outer: Option<&'e Local<'e>>,
}

impl<'e> Scope<'e> {
    pub(super) fn new(root: DocumentRef<'e>, variables: &'e Variables) -> Scope<'e> {
        Scope {
            root,
            current: root,
            variables,
            locals: None,
        }
    }

    pub(super) fn at(self, current: DocumentRef<'e>) -> Scope<'e> {
        Scope { current, ..self }
    }

    /// A binding of one more variable, to be given to [`Scope::with`].
    pub(super) fn bind(&self, slot: usize, value: Option<ValueRef<'e>>) -> Local<'e> {
        Local {
            slot,
            value,
            outer: self.locals,
        }
    }

    pub(super) fn with(&self, local: &'e Local<'e>) -> Scope<'e> {
        Scope {
            locals: Some(local),
            ..*self
        }
    }

    pub(super) fn local(&self, slot: usize) -> Option<ValueRef<'e>> {
        let mut next = self.locals;
        while let Some(local) = next {
            if local.slot == slot {
                return local.value;
            }
            next = local.outer;
        }
        None
    }
}

impl Node {
    pub(super) fn constant(value: impl Into<Value>) -> Node {
        Node::Constant(Some(value.into()))
    }

    /// An operator on the values of any number of operands.
    pub(super) fn many(apply: fn(Vec<Evaluated<'_>>) -> Result<Option<Value>>, operands: Vec<Node>) -> Node {
        Node::Call(Call {
            apply: Apply::Many(apply),
            operands,
            collation: None,
        })
    }

    /// An operator on the values of any number of operands, which it compares by the collation where there is one.
    pub(super) fn collated(
        apply: fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>>,
        operands: Vec<Node>,
        collation: Option<&Collation>,
    ) -> Node {
        Node::Call(Call {
            apply: Apply::Collated(apply),
            operands,
            collation: collation.cloned(),
        })
    }

    pub(super) fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        match self {
            Node::Constant(value) => Ok(Evaluated::from(value.as_ref().map(Value::as_ref))),
            Node::Path(path) => path.evaluate(scope),
            Node::Object(fields) => evaluate_object(fields, scope),
            Node::Array(elements) => {
                let mut building = Building::new("an array");
                let elements = elements
                    .iter()
                    .map(|element| Ok(building.take(element.evaluate(scope)?)?.unwrap_or(Value::Null)));
                Ok(Evaluated::Owned(Value::Array(elements.collect::<Result<_>>()?)))
            }
            Node::Call(call) => call.evaluate(scope),
            // Constants and paths take less than a step, and whatever repeats them counts how often.
            Node::Operation(operation) => {
                steps(1)?;
                operation.evaluate(scope)
            }
        }
    }

    /// Passes the value to `look`. A constant or a field is not moved, since a move would take longer than most calls do.
    pub(super) fn see<T>(
        &self,
        scope: &Scope<'_>,
        look: impl FnOnce(Option<ValueRef<'_>>) -> Result<T>,
    ) -> Result<T> {
        if let Node::Constant(value) = self {
            return look(value.as_ref().map(Value::as_ref));
        }
        if let Node::Path(path) = self
            && let Some(value) = path.reached(scope)
        {
            return look(value);
        }
        look(self.evaluate(scope)?.get())
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Node::Constant(_))
    }

    /// Whether the value depends on the document.
    pub(super) fn reads_document(&self) -> bool {
        match self {
            Node::Constant(_) => false,
            Node::Path(path) => matches!(
                path.base,
                Base::Current | Base::Root | Base::IndexKey | Base::Metadata(_)
            ),
            Node::Object(fields) => fields.iter().any(|(_, field)| field.reads_document()),
            Node::Array(elements) => elements.iter().any(Node::reads_document),
            Node::Call(call) => call.operands.iter().any(Node::reads_document),
            Node::Operation(operation) => operation.reads_document(),
        }
    }

    /// The node with every constant part computed. What fails on constants fails here, as in MongoDB.
    pub(super) fn folded(mut self) -> Result<Node> {
        match &mut self {
            Node::Operation(operation) => operation.fold()?,
            other => other.operands().into_iter().try_for_each(Node::fold)?,
        }
        let all_constant = self.operands().into_iter().all(|operand| operand.is_constant());
        let foldable = match &self {
            Node::Constant(_) | Node::Path(_) => false,
            Node::Operation(operation) => operation.is_foldable(),
            Node::Object(_) | Node::Array(_) | Node::Call(_) => true,
        };
        if !(all_constant && foldable) {
            return Ok(self);
        }
        let (nothing, variables) = (Document::new(), Variables::default());
        let value = self.evaluate(&Scope::new(DocumentRef::Tree(&nothing), &variables))?;
        Ok(Node::Constant(value.into_value()))
    }

    /// Puts the folded node in the place of this one.
    pub(super) fn fold(&mut self) -> Result<()> {
        let taken = std::mem::replace(self, Node::Constant(None));
        *self = taken.folded()?;
        Ok(())
    }

    /// Whether a constant counts as true; `None` if the value is not known yet.
    pub(super) fn constant_truth(&self) -> Option<bool> {
        match self {
            Node::Constant(value) => Some(Evaluated::from(value.as_ref().map(Value::as_ref)).is_true()),
            _ => None,
        }
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        match self {
            Node::Constant(_) | Node::Path(_) => Vec::new(),
            Node::Object(fields) => fields.iter_mut().map(|(_, field)| field).collect(),
            Node::Array(elements) => elements.iter_mut().collect(),
            Node::Call(call) => call.operands.iter_mut().collect(),
            Node::Operation(operation) => operation.operands(),
        }
    }
}

impl Call {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        steps(1)?;
        let value = match (self.apply, self.operands.as_slice()) {
            (Apply::One(apply), [operand]) => apply(counted(operand, scope)?),
            (Apply::Two(apply), [left, right]) => apply(counted(left, scope)?, counted(right, scope)?),
            (Apply::Three(apply), [first, second, third]) => seen(first, scope, |first| {
                seen(second, scope, |second| {
                    seen(third, scope, |third| apply([first, second, third]))
                })
            }),
            (Apply::Many(apply), operands) => {
                let values = operands.iter().map(|operand| counted(operand, scope));
                apply(values.collect::<Result<_>>()?)
            }
            (Apply::Collated(apply), operands) => {
                let values = operands.iter().map(|operand| counted(operand, scope));
                apply(self.collation.as_ref(), values.collect::<Result<_>>()?)
            }
            (Apply::UntilNull(apply), operands) => {
                apply(self.collation.as_ref(), until_null(operands, scope)?)
            }
            (Apply::One(_) | Apply::Two(_) | Apply::Three(_), _) => {
                unreachable!("the parser counted the operands")
            }
        };
        Ok(Evaluated::from(value?))
    }
}

/// The value of an operand. Counts the steps that operators take to read a long value.
fn counted<'e>(operand: &'e Node, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
    let value = operand.evaluate(scope);
    // Read in place, since moving it would cost more than the rest.
    if let Ok(found) = &value {
        count(found.get())?;
    }
    value
}

/// The values of operands up to the first that is null or missing; those after it are not evaluated.
fn until_null<'e>(operands: &'e [Node], scope: &Scope<'e>) -> Result<Vec<Evaluated<'e>>> {
    let mut values = Vec::with_capacity(operands.len());
    for operand in operands {
        let value = counted(operand, scope)?;
        let is_last = value.present().is_none();
        values.push(value);
        if is_last {
            break;
        }
    }
    Ok(values)
}

/// As [`counted`], for an operator that only looks at the operand.
fn seen<T>(
    operand: &Node,
    scope: &Scope<'_>,
    look: impl FnOnce(Option<ValueRef<'_>>) -> Result<T>,
) -> Result<T> {
    operand.see(scope, |value| {
        count(value)?;
        look(value)
    })
}

fn count(value: Option<ValueRef<'_>>) -> Result<()> {
    match value.map_or(0, shallow_bytes) / BYTES_PER_STEP {
        0 => Ok(()),
        long => steps(long),
    }
}

fn evaluate_object<'e>(fields: &[(String, Node)], scope: &Scope<'_>) -> Result<Evaluated<'e>> {
    let mut building = Building::new("an object");
    let mut document = Document::new();
    for (name, field) in fields {
        if let Some(value) = building.take(field.evaluate(scope)?)? {
            document.push(name.as_str(), value);
        }
    }
    Ok(Evaluated::of(document))
}
