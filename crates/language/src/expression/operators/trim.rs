//! `$trim $ltrim $rtrim`.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$trim", Syntax::Named(parse_trim)),
    operator("$ltrim", Syntax::Named(parse_trim)),
    operator("$rtrim", Syntax::Named(parse_trim)),
];

/// What is trimmed where no characters are named: NUL and Unicode's white space, in order.
const BLANK: [char; 20] = [
    '\0', '\t', '\n', '\u{b}', '\u{c}', '\r', ' ', '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}',
    '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200a}',
];

fn parse_trim(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["input", "chars"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(50_696),
            unknown: Code::location(50_694),
        },
    )?;
    named::require(name, argument, &[("input", Code::location(50_695))])?;
    let apply: named::Apply = match name {
        "$ltrim" => |v| trim("$ltrim", &v, true, false),
        "$rtrim" => |v| trim("$rtrim", &v, false, true),
        _ => |v| trim("$trim", &v, true, true),
    };
    named::call(parser, argument, &fields, apply)
}

fn trim(name: &str, operands: &[Option<Evaluated<'_>>], left: bool, right: bool) -> Result<Option<Value>> {
    let [Some(input), chars] = operands else {
        return Ok(None);
    };
    let Some(present) = input.present() else {
        return Ok(Some(Value::Null));
    };
    let ValueRef::String(text) = present else {
        return Err(error(
            Code::location(50_699),
            format!(
                "{name} requires its input to be a string, got {}",
                type_name(input)
            ),
        ));
    };
    let chars: Vec<char> = match chars {
        None => BLANK.to_vec(),
        Some(chars) => match chars.present() {
            None => return Ok(Some(Value::Null)),
            Some(ValueRef::String(chars)) => in_order(chars),
            Some(_) => {
                return Err(error(
                    Code::location(50_700),
                    format!("{name} requires 'chars' to be a string, got {}", type_name(chars)),
                ));
            }
        },
    };
    let is_trimmed = |c: char| chars.binary_search(&c).is_ok();
    let mut trimmed = text;
    if left {
        trimmed = trimmed.trim_start_matches(is_trimmed);
    }
    if right {
        trimmed = trimmed.trim_end_matches(is_trimmed);
    }
    Ok(Some(Value::from(trimmed)))
}

/// The characters of a text, each once: they may be many, and each of the input is looked for among them.
fn in_order(chars: &str) -> Vec<char> {
    let mut chars: Vec<char> = chars.chars().collect();
    chars.sort_unstable();
    chars.dedup();
    chars
}
