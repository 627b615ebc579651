//! `$regexFind $regexFindAll $regexMatch`. A constant pattern is compiled once.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::building::Building;
use crate::expression::document_bytes;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::regex::Regex;
use crate::{Code, Result};
use std::borrow::Cow;
use value::{Document, DocumentRef, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$regexFind", Syntax::Named(parse_regex)),
    operator("$regexFindAll", Syntax::Named(parse_regex)),
    operator("$regexMatch", Syntax::Named(parse_regex)),
];

/// Which matches are wanted.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    First,
    All,
    Whether,
}

#[derive(Debug)]
struct Search {
    name: String,
    wanted: Wanted,
    input: Node,
    pattern: Node,
    options: Option<Node>,
    compiled: Option<Regex>,
}

fn parse_regex(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["input", "regex", "options"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(51_103),
            unknown: Code::location(31_024),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("input", Code::location(31_022)),
            ("regex", Code::location(31_023)),
        ],
    )?;
    let mut operand = |field| argument.get(field).map(|value| parser.operand(value)).transpose();
    let missing = || Node::Constant(None);
    let mut search = Search {
        name: name.to_owned(),
        wanted: match name {
            "$regexFind" => Wanted::First,
            "$regexFindAll" => Wanted::All,
            _ => Wanted::Whether,
        },
        input: operand("input")?.unwrap_or_else(missing),
        pattern: operand("regex")?.unwrap_or_else(missing),
        options: operand("options")?,
        compiled: None,
    };
    search.compile_constant()?;
    Ok(Node::Operation(Box::new(search)))
}

impl Search {
    /// Compiles now where neither pattern nor options depend on the document.
    fn compile_constant(&mut self) -> Result<()> {
        let constant = |node: &Node| match node {
            Node::Constant(value) => Some(Evaluated::from(value.clone())),
            _ => None,
        };
        let Some(pattern) = constant(&self.pattern) else {
            return Ok(());
        };
        let options = match &self.options {
            None => None,
            Some(options) => match constant(options) {
                Some(options) => Some(options),
                None => return Ok(()),
            },
        };
        self.compiled = self.compile(&pattern, options.as_ref())?;
        Ok(())
    }

    /// The regular expression; `None` if the pattern is null.
    fn compile(&self, pattern: &Evaluated<'_>, options: Option<&Evaluated<'_>>) -> Result<Option<Regex>> {
        let name = &self.name;
        let given = match options {
            Some(options) => self.options_of(options)?,
            None => None,
        };
        let (pattern, options) = match pattern.present() {
            None => return Ok(None),
            Some(ValueRef::String(pattern)) => (pattern, given.unwrap_or_default()),
            Some(ValueRef::Regex { pattern, options }) => match given {
                Some(_) if !options.is_empty() => {
                    return Err(error(
                        Code::location(51_107),
                        format!(
                            "{name}: found regex option(s) specified in both 'regex' and 'option' fields"
                        ),
                    ));
                }
                Some(given) => (pattern, given),
                None => (pattern, options),
            },
            Some(_) => {
                return Err(error(
                    Code::location(51_105),
                    format!(
                        "{name} needs 'regex' to be of type string or regex, found: {}",
                        type_name(pattern)
                    ),
                ));
            }
        };
        self.check(pattern, options)?;
        let compiled = Regex::new(pattern, options).map_err(|wrong| {
            error(
                Code::location(51_111),
                format!("Invalid Regex in {name}: {}", wrong.message),
            )
        })?;
        Ok(Some(compiled))
    }

    /// The member `options`, if it is neither missing nor null.
    fn options_of<'o>(&self, found: &'o Evaluated<'_>) -> Result<Option<&'o str>> {
        match found.present() {
            None => Ok(None),
            Some(ValueRef::String(options)) => Ok(Some(options)),
            Some(_) => Err(error(
                Code::location(51_106),
                format!(
                    "{} needs 'options' to be of type string, found: {}",
                    self.name,
                    type_name(found)
                ),
            )),
        }
    }

    fn check(&self, pattern: &str, options: &str) -> Result<()> {
        let name = &self.name;
        if pattern.contains('\0') {
            return Err(error(
                Code::location(51_109),
                format!("{name}: regular expression cannot contain an embedded null byte"),
            ));
        }
        if options.contains('\0') {
            return Err(error(
                Code::location(51_110),
                format!("{name}: regular expression options string cannot contain an embedded null byte"),
            ));
        }
        match options.chars().find(|option| !"imsxu".contains(*option)) {
            Some(wrong) => Err(error(
                Code::location(51_108),
                format!("{name} invalid flag in regex options: {wrong}"),
            )),
            None => Ok(()),
        }
    }

    fn regex(&self, scope: &Scope<'_>) -> Result<Option<Cow<'_, Regex>>> {
        if let Some(compiled) = &self.compiled {
            return Ok(Some(Cow::Borrowed(compiled)));
        }
        let pattern = self.pattern.evaluate(scope)?;
        let options = self
            .options
            .as_ref()
            .map(|options| options.evaluate(scope))
            .transpose()?;
        Ok(self.compile(&pattern, options.as_ref())?.map(Cow::Owned))
    }

    /// The result for a missing input.
    fn nothing(&self) -> Value {
        match self.wanted {
            Wanted::First => Value::Null,
            Wanted::All => Value::Array(Vec::new()),
            Wanted::Whether => Value::Bool(false),
        }
    }

    fn search(&self, regex: &Regex, text: &str) -> Result<Value> {
        if matches!(self.wanted, Wanted::Whether) {
            return Ok(Value::Bool(regex.is_match(text)?));
        }
        let mut places = Places {
            text,
            byte: 0,
            point: 0,
        };
        let mut building = Building::new("$regexFindAll");
        let mut all = Vec::new();
        let mut start = 0;
        let mut matches = regex.matches(text);
        while let Some(captures) = matches.at(start)? {
            let Some((from, to)) = captures.first().copied().flatten() else {
                break;
            };
            let found = described(text, &captures, from, to, places.point_at(from));
            building.add(document_bytes(DocumentRef::Tree(&found)))?;
            all.push(found);
            if matches!(self.wanted, Wanted::First) {
                break;
            }
            // An empty match must not be found again.
            start = if to > from {
                to
            } else {
                to + text[to..].chars().next().map_or(1, char::len_utf8)
            };
            // An empty match at the end counts only if nothing was found before.
            if start >= text.len() {
                break;
            }
        }
        Ok(match self.wanted {
            Wanted::First => all.pop().map_or(Value::Null, Value::Document),
            _ => all.into_iter().map(Value::Document).collect(),
        })
    }
}

/// Counts code points up to places that only go forward.
struct Places<'t> {
    text: &'t str,
    byte: usize,
    point: usize,
}

impl Places<'_> {
    fn point_at(&mut self, byte: usize) -> i32 {
        self.point += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.point as i32
    }
}

fn described(
    text: &str,
    captures: &[Option<(usize, usize)>],
    from: usize,
    to: usize,
    point: i32,
) -> Document {
    let groups = captures.iter().skip(1).map(|group| match group {
        Some((from, to)) => Value::from(&text[*from..*to]),
        None => Value::Null,
    });
    Document::new()
        .with("match", &text[from..to])
        .with("idx", point)
        .with("captures", groups.collect::<Value>())
}

impl Operation for Search {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        let text = match input.present() {
            None => None,
            Some(ValueRef::String(text)) => Some(text),
            Some(_) => {
                return Err(error(
                    Code::location(51_104),
                    format!(
                        "{} needs 'input' to be of type string, found: {}",
                        self.name,
                        type_name(&input)
                    ),
                ));
            }
        };
        match (self.regex(scope)?, text) {
            (Some(regex), Some(text)) => Ok(Evaluated::Owned(self.search(&regex, text)?)),
            _ => Ok(Evaluated::Owned(self.nothing())),
        }
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        [&mut self.input, &mut self.pattern]
            .into_iter()
            .chain(&mut self.options)
            .collect()
    }

    fn reads_document(&self) -> bool {
        [&self.input, &self.pattern]
            .into_iter()
            .chain(&self.options)
            .any(Node::reads_document)
    }
}
