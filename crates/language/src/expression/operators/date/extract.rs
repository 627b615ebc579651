//! One part of a date: `$year $month $dayOfMonth $hour …`.

use super::super::named;
use super::super::{Operator, Syntax, error, operator};
use super::{date, is_null_zone, zone};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use calendar::Civil;
use value::Value;

pub(super) const OPERATORS: &[Operator] = &[
    operator("$year", Syntax::Named(parse)),
    operator("$month", Syntax::Named(parse)),
    operator("$dayOfMonth", Syntax::Named(parse)),
    operator("$dayOfWeek", Syntax::Named(parse)),
    operator("$dayOfYear", Syntax::Named(parse)),
    operator("$hour", Syntax::Named(parse)),
    operator("$minute", Syntax::Named(parse)),
    operator("$second", Syntax::Named(parse)),
    operator("$millisecond", Syntax::Named(parse)),
    operator("$week", Syntax::Named(parse)),
    operator("$isoDayOfWeek", Syntax::Named(parse)),
    operator("$isoWeek", Syntax::Named(parse)),
    operator("$isoWeekYear", Syntax::Named(parse)),
];

fn parse(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let apply = apply(name);
    let (argument, is_wrapped) = match argument {
        Value::Array(elements) => match elements.as_slice() {
            [single] => (single, true),
            _ => {
                return Err(error(
                    Code::location(40_536),
                    format!(
                        "{name} accepts exactly one argument if given an array, but was given {}",
                        elements.len()
                    ),
                ));
            }
        },
        other => (other, false),
    };
    match argument {
        // In an array an object is the date itself, which it cannot be.
        Value::Document(fields)
            if !is_wrapped
                && !fields
                    .iter()
                    .next()
                    .is_some_and(|(field, _)| field.starts_with('$')) =>
        {
            if let Some((unknown, _)) = fields
                .iter()
                .find(|(field, _)| !matches!(*field, "date" | "timezone"))
            {
                return Err(error(
                    Code::location(40_535),
                    format!("unrecognized option to {name}: \"{unknown}\""),
                ));
            }
            named::require(name, fields, &[("date", Code::location(40_539))])?;
            named::call_looking(parser, fields, &["date", "timezone"], apply, look)
        }
        single => {
            let fields = value::Document::new().with("date", single.clone());
            named::call(parser, &fields, &["date", "timezone"], apply)
        }
    }
}

/// MongoDB looks at a constant zone before there is any document, and takes a null for none then.
fn look(constants: &[Option<Evaluated<'_>>]) -> Result<bool> {
    is_null_zone(constants.last().and_then(Option::as_ref)).map(|_| false)
}

fn apply(name: &str) -> named::Apply {
    match name {
        "$year" => |v| part(&v, |civil| int(civil.year)),
        "$month" => |v| part(&v, |civil| int(civil.month)),
        "$dayOfMonth" => |v| part(&v, |civil| int(civil.day)),
        "$dayOfWeek" => |v| part(&v, |civil| int(civil.iso_day_of_week() % 7 + 1)),
        "$dayOfYear" => |v| part(&v, |civil| int(civil.day_of_year())),
        "$hour" => |v| part(&v, |civil| int(civil.hour)),
        "$minute" => |v| part(&v, |civil| int(civil.minute)),
        "$second" => |v| part(&v, |civil| int(civil.second)),
        "$millisecond" => |v| part(&v, |civil| int(civil.millisecond)),
        "$week" => |v| part(&v, |civil| int(civil.week_from_sunday())),
        "$isoDayOfWeek" => |v| part(&v, |civil| int(civil.iso_day_of_week())),
        "$isoWeek" => |v| part(&v, |civil| int(civil.iso_week().week)),
        _ => |v| part(&v, |civil| Value::Int64(civil.iso_week().year)),
    }
}

fn int(part: i64) -> Value {
    Value::Int32(part as i32)
}

fn part(operands: &[Option<Evaluated<'_>>], part: fn(Civil) -> Value) -> Result<Option<Value>> {
    let [Some(operand), timezone] = operands else {
        return Ok(None);
    };
    // Without a date, MongoDB does not look at the zone.
    let Some(ms) = date(operand)? else {
        return Ok(Some(Value::Null));
    };
    let Some(zone) = zone(timezone.as_ref())? else {
        return Ok(Some(Value::Null));
    };
    Ok(Some(part(zone.civil_at(ms))))
}
