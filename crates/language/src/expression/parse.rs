//! Expressions read from BSON: literals, field paths, variables, objects, arrays, operators.

use super::node::{Apply, Call, Node};
use super::operators::{Operator, Syntax, check_size};
use super::path::{Base, INDEX_KEY, Path};
use super::scope::ParseScope;
use crate::path_depth::PATH_DEPTH_MAX;
use crate::{Code, Error, Result};
use std::collections::{BTreeSet, HashSet};
use value::collation::Collation;
use value::{Document, Value, json};

/// Finds an operator by its name, `$` included.
pub(super) type FindOperator = fn(&str) -> Option<&'static Operator>;

/// Reads expressions; knows the variables that the operators around have declared.
pub(super) struct Parser<'s> {
    scope: &'s ParseScope,
    find: FindOperator,
    /// The declared variables by name, innermost last; a place in the list is never reused for another variable.
    locals: Vec<(String, usize)>,
    slots: usize,
    /// The fields of the document that are read.
    reads: Reads,
    /// The names of the metadata that is read.
    metadata: BTreeSet<Box<str>>,
}

/// What an expression reads of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// These paths.
    Fields(BTreeSet<String>),
    /// The document as a whole.
    Whole,
}

impl Reads {
    pub(super) fn add(&mut self, path: &Path) {
        match (&path.base, self) {
            (Base::Current | Base::Root, reads) if path.fields.is_empty() => *reads = Reads::Whole,
            (Base::Current | Base::Root, Reads::Fields(fields)) => {
                fields.insert(path.fields.join("."));
            }
            _ => {}
        }
    }
}

impl<'s> Parser<'s> {
    pub(super) fn new(scope: &'s ParseScope, find: FindOperator) -> Parser<'s> {
        Parser {
            scope,
            find,
            locals: Vec::new(),
            slots: 0,
            reads: Reads::Fields(BTreeSet::new()),
            metadata: BTreeSet::new(),
        }
    }

    /// The order of strings, where it is not that of their bytes.
    pub(super) fn collation(&self) -> Option<&'s Collation> {
        self.scope.collation()
    }

    /// The names of the metadata that was read so far.
    pub(super) fn metadata(&mut self) -> BTreeSet<Box<str>> {
        std::mem::take(&mut self.metadata)
    }

    /// Whether documents have metadata of this name.
    pub(super) fn has_metadata(&self, name: &str) -> bool {
        self.scope.has_metadata(name)
    }

    /// What was read of the document so far.
    pub(super) fn reads(self) -> Reads {
        self.reads
    }

    /// A path, noted as read.
    pub(super) fn read(&mut self, base: Base, fields: Vec<Box<str>>) -> Node {
        match &base {
            Base::IndexKey => drop(self.metadata.insert(INDEX_KEY.into())),
            Base::Metadata(name) => drop(self.metadata.insert(name.clone())),
            _ => {}
        }
        let path = Path { base, fields };
        self.reads.add(&path);
        Node::Path(path)
    }

    /// Any expression.
    pub(super) fn operand(&mut self, value: &Value) -> Result<Node> {
        match value {
            Value::String(text) if text.starts_with('$') => self.path(text),
            Value::String(text) => {
                check_size(text)?;
                Ok(Node::constant(text))
            }
            Value::Document(document) => self.object(document),
            Value::Array(elements) => Ok(Node::Array(
                elements
                    .iter()
                    .map(|element| self.operand(element))
                    .collect::<Result<_>>()?,
            )),
            other => Ok(Node::Constant(Some(other.clone()))),
        }
    }

    /// An operator where the first name starts with `$`, else a document of expressions.
    pub(super) fn object(&mut self, document: &Document) -> Result<Node> {
        let Some((first, argument)) = document.iter().next() else {
            return Ok(Node::constant(Document::new()));
        };
        if first.starts_with('$') {
            if document.len() != 1 {
                return Err(Error::new(
                    Code::OPERATOR_WITH_OTHERS,
                    format!(
                        "an object representing an expression must have exactly one field: {}",
                        json::to_string(document.into(), json::Mode::Relaxed)
                    ),
                ));
            }
            return self.operator(first, argument);
        }
        let mut names = HashSet::with_capacity(document.len());
        let mut fields: Vec<(String, Node)> = Vec::with_capacity(document.len());
        for (name, value) in document.iter() {
            if !names.insert(name) {
                return Err(Error::new(
                    Code::location(16_406),
                    format!("duplicate field name specified in object literal: {name}"),
                ));
            }
            check_field_name(name)?;
            fields.push((name.to_owned(), self.operand(value)?));
        }
        Ok(Node::Object(fields))
    }

    fn operator(&mut self, name: &str, argument: &Value) -> Result<Node> {
        let Some(operator) = (self.find)(name) else {
            return Err(Error::new(
                Code::INVALID_PIPELINE_OPERATOR,
                format!("Unrecognized expression '{name}'"),
            ));
        };
        match operator.syntax {
            Syntax::One(apply) => self.call(name, argument, Apply::One(apply), 1, 1),
            Syntax::Two(apply) => self.call(name, argument, Apply::Two(apply), 2, 2),
            Syntax::Three(apply) => self.call(name, argument, Apply::Three(apply), 3, 3),
            Syntax::Many(minimum, maximum, apply) => {
                self.call(name, argument, Apply::Many(apply), minimum, maximum)
            }
            Syntax::Collated(minimum, maximum, apply) => {
                self.call(name, argument, Apply::Collated(apply), minimum, maximum)
            }
            Syntax::UntilNull(apply) => self.call(name, argument, Apply::UntilNull(apply), 0, usize::MAX),
            Syntax::Own(parse) => parse(self, argument),
            Syntax::Named(parse) => parse(self, name, argument),
        }
    }

    fn call(
        &mut self,
        name: &str,
        argument: &Value,
        apply: Apply,
        minimum: usize,
        maximum: usize,
    ) -> Result<Node> {
        let operands = self.operands(name, argument, minimum, maximum)?;
        let compares = matches!(apply, Apply::Collated(_) | Apply::UntilNull(_));
        let collation = self.collation().filter(|_| compares);
        Ok(Node::Call(Call {
            apply,
            operands,
            collation: collation.cloned(),
        }))
    }

    /// The operands of an operator: the elements of an array, or anything else as the only one.
    pub(super) fn operands(
        &mut self,
        name: &str,
        argument: &Value,
        minimum: usize,
        maximum: usize,
    ) -> Result<Vec<Node>> {
        let arguments = match argument {
            Value::Array(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        let count = arguments.len();
        if count < minimum || count > maximum {
            return Err(wrong_count(name, count, minimum, maximum));
        }
        arguments.iter().map(|argument| self.operand(argument)).collect()
    }

    /// `"$a.b"`, `"$$name"` or `"$$name.a.b"`.
    fn path(&mut self, text: &str) -> Result<Node> {
        if text == "$" {
            return Err(Error::new(
                Code::location(16_872),
                "'$' by itself is not a valid FieldPath",
            ));
        }
        if text.contains('\0') {
            return Err(Error::new(
                Code::FIELD_NAME_WITH_NUL,
                "FieldPath field names may not contain '\\0'.",
            ));
        }
        let Some(variable) = text.strip_prefix("$$") else {
            let fields = split_path(&text[1..], false)?;
            let base = self.local("CURRENT").map_or(Base::Current, Base::Local);
            return Ok(self.read(base, fields));
        };
        let (name, rest) = match variable.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (variable, None),
        };
        check_variable(name)?;
        let fields = rest.map_or(Ok(Vec::new()), |rest| split_path(rest, true))?;
        // A missing value, and so are its fields.
        if name == "REMOVE" {
            return Ok(Node::Constant(None));
        }
        let base = self.base(name)?;
        Ok(self.read(base, fields))
    }

    fn base(&self, name: &str) -> Result<Base> {
        if let Some(slot) = self.local(name) {
            return Ok(Base::Local(slot));
        }
        if self.scope.declares(name) {
            return Ok(Base::Named(name.into()));
        }
        match name {
            "CURRENT" => Ok(Base::Current),
            "ROOT" => Ok(Base::Root),
            "NOW" => Ok(Base::Now),
            "CLUSTER_TIME" => Ok(Base::ClusterTime),
            "USER_ROLES" => Ok(Base::UserRoles),
            "SEARCH_META" if self.scope.has_metadata(name) => Ok(Base::Metadata(name.into())),
            _ => Err(Error::new(
                Code::location(17_276),
                format!("Use of undefined variable: {name}"),
            )),
        }
    }

    fn local(&self, name: &str) -> Option<usize> {
        let (_, slot) = self.locals.iter().rev().find(|(local, _)| local == name)?;
        Some(*slot)
    }

    /// Declares a variable for what is parsed until [`Parser::forget`], and gives its slot.
    pub(super) fn declare(&mut self, name: &str) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.locals.push((name.to_owned(), slot));
        slot
    }

    /// Removes the last `count` declarations.
    pub(super) fn forget(&mut self, count: usize) {
        self.locals.truncate(self.locals.len() - count);
    }
}

fn wrong_count(name: &str, count: usize, minimum: usize, maximum: usize) -> Error {
    if minimum == maximum {
        return Error::new(
            Code::location(16_020),
            format!("Expression {name} takes exactly {minimum} arguments. {count} were passed in."),
        );
    }
    let message = if maximum == usize::MAX {
        format!("Expression {name} takes at least {minimum} arguments, but {count} were passed in.")
    } else {
        format!(
            "Expression {name} takes at least {minimum} arguments, and at most {maximum}, but {count} were passed in."
        )
    };
    Error::new(Code::location(28_667), message)
}

fn split_path(path: &str, after_variable: bool) -> Result<Vec<Box<str>>> {
    if path.is_empty() {
        return Err(Error::new(
            Code::location(if after_variable { 40_353 } else { 40_352 }),
            "FieldPath cannot be constructed with empty string",
        ));
    }
    if path.ends_with('.') {
        return Err(Error::new(
            Code::location(40_353),
            "FieldPath must not end with a '.'.",
        ));
    }
    let fields: Vec<Box<str>> = path.split('.').map(Into::into).collect();
    if fields.len() > PATH_DEPTH_MAX {
        return Err(Error::new(Code::location(5_984_700), "FieldPath is too long"));
    }
    fields.iter().try_for_each(|field| check_path_part(field))?;
    Ok(fields)
}

fn check_path_part(part: &str) -> Result<()> {
    if part.is_empty() {
        return Err(Error::new(
            Code::location(15_998),
            "FieldPath field names may not be empty strings.",
        ));
    }
    // A DBRef's own fields are fields like others.
    if part.starts_with('$') && !matches!(part, "$ref" | "$id" | "$db") {
        return Err(Error::new(
            Code::FIELD_NAME_WITH_DOLLAR,
            format!(
                "FieldPath field names may not start with '$'. Consider using $getField or $setField. Found: {part}"
            ),
        ));
    }
    Ok(())
}

/// Checks a name that an expression or a stage gives to a field of its result.
pub fn check_field_name(name: &str) -> Result<()> {
    check_path_part(name)?;
    if name.contains('\0') {
        return Err(Error::new(
            Code::FIELD_NAME_WITH_NUL,
            "FieldPath field names may not contain '\\0'.",
        ));
    }
    if name.contains('.') {
        return Err(Error::new(
            Code::location(16_412),
            "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
        ));
    }
    Ok(())
}

/// Checks the name of a variable that is read.
pub(super) fn check_variable(name: &str) -> Result<()> {
    check_variable_characters(name, |first| first.is_ascii_alphabetic() || !first.is_ascii())
}

/// Checks the name of a variable that is declared: system variables other than `CURRENT` cannot be.
pub fn check_new_variable(name: &str) -> Result<()> {
    if name == "CURRENT" {
        return Ok(());
    }
    check_variable_characters(name, |first| first.is_ascii_lowercase() || !first.is_ascii())
}

fn check_variable_characters(name: &str, may_start: fn(char) -> bool) -> Result<()> {
    let Some(first) = name.chars().next() else {
        return Err(Error::failed_to_parse("empty variable names are not allowed"));
    };
    if !may_start(first) {
        return Err(Error::failed_to_parse(format!(
            "'{name}' starts with an invalid character for a user variable name"
        )));
    }
    match name
        .chars()
        .find(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && *c != '_')
    {
        Some(wrong) => Err(Error::failed_to_parse(format!(
            "'{name}' contains an invalid character for a variable name: '{wrong}'"
        ))),
        None => Ok(()),
    }
}
