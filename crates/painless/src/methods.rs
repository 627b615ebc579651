//! Operators, and the methods of texts, lists, maps and fields.

use crate::dates;
use crate::error::{Result, failed};
use crate::lists;
use crate::object::{COMPARED_BYTES_OF_STEP, Members, Object};
use crate::patterns;
use crate::run::Run;
use crate::statics::{arc_distance, vector};
use crate::writer::Writer;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

/// `a operator b`, but for `==`.
pub(crate) fn operate(run: &mut Run<'_>, operator: &str, a: &Object, b: &Object) -> Result<Object> {
    match operator {
        "=~" | "==~" => return patterns::operate(run, operator, a, b),
        "<" | ">" | "<=" | ">=" => {
            let order = compare(run, a, b)?;
            return Ok(Object::Bool(match operator {
                "<" => order.is_lt(),
                ">" => order.is_gt(),
                "<=" => order.is_le(),
                _ => order.is_ge(),
            }));
        }
        "+" if matches!(a, Object::Text(_)) || matches!(b, Object::Text(_)) => {
            let mut text = Writer::new(run)?;
            text.show(a)?;
            text.show(b)?;
            return Ok(Object::Text(text.finish()));
        }
        _ => {}
    }
    match (a, b) {
        (Object::Bool(a), Object::Bool(b)) if matches!(operator, "&" | "|" | "^") => {
            Ok(Object::Bool(match operator {
                "&" => a & b,
                "|" => a | b,
                _ => a ^ b,
            }))
        }
        (Object::Int(a), Object::Int(b)) => integers(operator, *a, *b),
        _ => {
            let operands = a.as_f64().and_then(|a| Ok((a, b.as_f64()?)));
            let Ok((x, y)) = operands else {
                return failed(format!(
                    "Cannot apply [{operator}] operation to types [{}] and [{}].",
                    a.kind(),
                    b.kind()
                ));
            };
            Ok(Object::Double(match operator {
                "+" => x + y,
                "-" => x - y,
                "*" => x * y,
                "/" => x / y,
                "%" => x % y,
                other => return failed(format!("[{other}] is for integers alone")),
            }))
        }
    }
}

fn integers(operator: &str, a: i64, b: i64) -> Result<Object> {
    if b == 0 && matches!(operator, "/" | "%") {
        return failed("/ by zero");
    }
    Ok(Object::Int(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.wrapping_shl(b as u32),
        _ => a.wrapping_shr(b as u32),
    }))
}

fn compare(run: &mut Run<'_>, a: &Object, b: &Object) -> Result<Ordering> {
    if let (Object::Text(a), Object::Text(b)) = (a, b) {
        run.step(a.len().min(b.len()) / COMPARED_BYTES_OF_STEP)?;
    }
    order(a, b)
}

pub(crate) fn order(a: &Object, b: &Object) -> Result<Ordering> {
    match (a, b) {
        (Object::Int(a), Object::Int(b)) => Ok(a.cmp(b)),
        (Object::Text(a), Object::Text(b)) => Ok(a.cmp(b)),
        (Object::Bool(a), Object::Bool(b)) => Ok(a.cmp(b)),
        _ => {
            if let (Some(a), Some(b)) = (dates::moment(a), dates::moment(b)) {
                return Ok(a.cmp(&b));
            }
            let operands = a.as_f64().and_then(|a| Ok((a, b.as_f64()?)));
            match operands {
                Ok((a, b)) => Ok(a.total_cmp(&b)),
                Err(_) => failed(format!("cannot compare [{}] with [{}]", a.kind(), b.kind())),
            }
        }
    }
}

/// What `for (x : …)` goes through.
pub(crate) fn items(object: &Object) -> Result<Vec<Object>> {
    match object {
        Object::List(list) | Object::Set(list) => Ok(list.borrow().clone()),
        Object::Field(_, values) => Ok(values.to_vec()),
        Object::Map(members) => Ok(members
            .borrow()
            .iter()
            .map(|(name, _)| Object::Text(name.clone()))
            .collect()),
        other => failed(format!("cannot iterate over [{}]", other.kind())),
    }
}

/// `base.name(arguments)`.
pub(crate) fn call(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    match (name, arguments) {
        ("equals", [other]) => return Ok(Object::Bool(run.equals(base, other)?)),
        ("toString", []) => return Ok(Object::Text(base.shown(run)?)),
        ("compareTo", [other]) => return Ok(Object::Int(compare(run, base, other)? as i64)),
        _ => {}
    }
    match base {
        Object::Text(text) => match (name, arguments) {
            ("replaceAll" | "replaceFirst", [Object::Pattern(pattern), by @ Object::Lambda(..)]) => {
                patterns::replaced_by(run, text, pattern, by, name == "replaceFirst")
            }
            _ => of_text(run, text, name, arguments),
        },
        Object::List(_) => lists::of_list(run, base, name, arguments),
        Object::Set(set) => lists::of_set(run, base, set, name, arguments),
        Object::Map(_) => of_map(run, base, name, arguments),
        Object::Field(field, values) => of_field(run, field, values, name, arguments),
        Object::Int(_) | Object::Double(_) => match name {
            "intValue" | "longValue" => Ok(Object::Int(base.as_int()?)),
            "doubleValue" | "floatValue" => Ok(Object::Double(base.as_f64()?)),
            _ => unknown(base, name, arguments),
        },
        Object::Other(_) => match dates::moment(base) {
            Some(ms) => dates::of_date(run, base, ms, name, arguments),
            None => unknown(base, name, arguments),
        },
        Object::Day(day) => dates::of_day(run, *day, name, arguments),
        Object::Pattern(pattern) => {
            let made = patterns::of_pattern(run, pattern, name, arguments)?;
            made.map_or_else(|| unknown(base, name, arguments), Ok)
        }
        Object::Matcher(matcher) => {
            let made = patterns::of_matcher(run, matcher, name, arguments)?;
            made.map_or_else(|| unknown(base, name, arguments), Ok)
        }
        _ => unknown(base, name, arguments),
    }
}

pub(crate) fn unknown(base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    failed(format!(
        "dynamic method [{}, {name}/{}] not found",
        base.kind(),
        arguments.len()
    ))
}

fn of_text(run: &mut Run<'_>, text: &Arc<str>, name: &str, arguments: &[Object]) -> Result<Object> {
    let others = arguments.iter().map(|argument| match argument {
        Object::Text(other) => other.len(),
        _ => 0,
    });
    run.step((text.len() + others.sum::<usize>()) / 16)?;
    let position =
        |found: Option<usize>| Object::Int(found.map_or(-1, |at| text[..at].chars().count() as i64));
    let part = |from: i64, to: i64| {
        let length = text.chars().count() as i64;
        match 0 <= from && from <= to && to <= length {
            true => Ok(text
                .chars()
                .skip(from as usize)
                .take((to - from) as usize)
                .collect::<String>()),
            false => failed(format!("begin {from}, end {to}, length {length}")),
        }
    };
    let made = match (name, arguments) {
        ("length", []) => return Ok(Object::Int(text.chars().count() as i64)),
        // Why something went wrong is a text.
        ("getMessage" | "message", []) => return Ok(Object::Text(text.clone())),
        ("isEmpty", []) => return Ok(Object::Bool(text.is_empty())),
        ("contains", [other]) => return Ok(Object::Bool(text.contains(&*other.as_text()?))),
        ("startsWith", [other]) => return Ok(Object::Bool(text.starts_with(&*other.as_text()?))),
        ("endsWith", [other]) => return Ok(Object::Bool(text.ends_with(&*other.as_text()?))),
        ("equalsIgnoreCase", [other]) => {
            return Ok(Object::Bool(
                text.to_lowercase() == other.as_text()?.to_lowercase(),
            ));
        }
        ("indexOf", [other]) => return Ok(position(text.find(&*other.as_text()?))),
        ("lastIndexOf", [other]) => return Ok(position(text.rfind(&*other.as_text()?))),
        ("splitOnToken", [mark]) => {
            let mark = mark.as_text()?;
            let parts = text.split(&*mark);
            let parts = parts.map(|part| run.text(part)).collect::<Result<_>>()?;
            return run.list(parts);
        }
        ("substring", [from]) => part(from.as_int()?, text.chars().count() as i64)?,
        ("substring", [from, to]) => part(from.as_int()?, to.as_int()?)?,
        ("charAt", [at]) => part(at.as_int()?, at.as_int()?.saturating_add(1))?,
        ("toLowerCase", []) => text.to_lowercase(),
        ("toUpperCase", []) => text.to_uppercase(),
        ("trim", []) => text.trim().to_owned(),
        ("concat", [other]) => format!("{text}{}", other.as_text()?),
        ("replace", [from, to]) => {
            let mut replaced = Writer::new(run)?;
            let (from, to) = (from.as_text()?, to.as_text()?);
            for (at, part) in text.split(&*from).enumerate() {
                replaced.push(if at > 0 { &to } else { "" })?;
                replaced.push(part)?;
            }
            return Ok(Object::Text(replaced.finish()));
        }
        _ => return unknown(&Object::Text(text.clone()), name, arguments),
    };
    run.text(made)
}

fn of_map(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let Object::Map(map) = base else {
        return unknown(base, name, arguments);
    };
    let of = |at: usize| map.borrow()[at].1.clone();
    run.step(map.borrow().len() / 8)?;
    Ok(match (name, arguments) {
        ("size", []) => Object::Int(map.borrow().len() as i64),
        ("isEmpty", []) => Object::Bool(map.borrow().is_empty()),
        ("containsKey", [name]) => Object::Bool(found(run, map, name)?.is_some()),
        ("containsValue", [value]) => {
            let values: Vec<Object> = map.borrow().iter().map(|(_, value)| value.clone()).collect();
            Object::Bool(run.position(&values, value)?.is_some())
        }
        ("get", [name]) => found(run, map, name)?.map_or(Object::Null, of),
        ("getOrDefault", [name, other]) => found(run, map, name)?.map_or_else(|| other.clone(), of),
        ("put", [name, value]) => {
            let before = found(run, map, name)?.map_or(Object::Null, of);
            run.put(base, name, value.clone())?;
            before
        }
        ("putIfAbsent", [name, value]) => {
            let before = found(run, map, name)?.map_or(Object::Null, of);
            if before.is_null() {
                run.put(base, name, value.clone())?;
            }
            before
        }
        ("putAll", [Object::Map(others)]) => {
            let others = others.borrow().clone();
            for (name, value) in others {
                run.put(base, &Object::Text(name), value)?;
            }
            Object::Null
        }
        ("remove", [name]) => match found(run, map, name)? {
            Some(at) => map.borrow_mut().remove(at).1,
            None => Object::Null,
        },
        ("clear", []) => {
            map.borrow_mut().clear();
            Object::Null
        }
        ("keySet", []) => run.list(items(base)?)?,
        ("values", []) => {
            let values = map.borrow().iter().map(|(_, value)| value.clone()).collect();
            run.list(values)?
        }
        ("entrySet", []) => {
            let members = map.borrow().clone();
            let entry = |(name, value): (Arc<str>, Object)| {
                run.map(vec![("key".into(), Object::Text(name)), ("value".into(), value)])
            };
            let entries = members.into_iter().map(entry).collect::<Result<_>>()?;
            run.list(entries)?
        }
        // The entries of `entrySet` are maps of two.
        ("getKey", []) => found_by(map, "key").map_or(Object::Null, of),
        ("getValue", []) => found_by(map, "value").map_or(Object::Null, of),
        _ => return unknown(base, name, arguments),
    })
}

/// Where in a map a member is whose name is an object, as it is shown.
fn found(run: &mut Run<'_>, map: &RefCell<Members>, name: &Object) -> Result<Option<usize>> {
    let name = name.shown(run)?;
    Ok(found_by(map, &name))
}

fn found_by(map: &RefCell<Members>, name: &str) -> Option<usize> {
    map.borrow().iter().position(|(known, _)| **known == *name)
}

/// `doc['name'].value` and what else is asked of a field.
fn of_field(
    run: &mut Run<'_>,
    field: &str,
    values: &Rc<Vec<Object>>,
    name: &str,
    arguments: &[Object],
) -> Result<Object> {
    match (name, arguments) {
        ("value" | "getValue", []) => match values.first() {
            Some(value) => Ok(value.clone()),
            None => failed(format!(
                "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field! [{field}]"
            )),
        },
        ("values" | "getValues", []) => run.list(values.to_vec()),
        ("lat" | "getLat" | "lon" | "getLon", []) => coordinate(values.first(), name),
        ("lats" | "getLats" | "lons" | "getLons", []) => {
            let all = values.iter().map(|value| coordinate(Some(value), name));
            let all = all.collect::<Result<_>>()?;
            run.list(all)
        }
        ("arcDistance", [lat, lon]) => {
            let (lat, lon) = (lat.as_f64()?, lon.as_f64()?);
            let of = |name| coordinate(values.first(), name).and_then(|number| number.as_f64());
            Ok(Object::Double(arc_distance((of("lat")?, of("lon")?), (lat, lon))))
        }
        ("vectorValue" | "getVectorValue", []) => {
            let numbers = vector(values)?.into_iter().map(Object::Double);
            run.list(numbers.collect())
        }
        ("magnitude" | "getMagnitude", []) => {
            let squares = vector(values)?.into_iter().map(|number| number * number);
            Ok(Object::Double(squares.sum::<f64>().sqrt()))
        }
        ("size" | "length" | "getLength", []) => Ok(Object::Int(values.len() as i64)),
        ("empty" | "isEmpty", []) => Ok(Object::Bool(values.is_empty())),
        ("get", [at]) => {
            let found = usize::try_from(at.as_int()?)
                .ok()
                .and_then(|at| values.get(at).cloned());
            found.map_or_else(
                || {
                    failed(format!(
                        "Index {} out of bounds for length {}",
                        at.as_int()?,
                        values.len()
                    ))
                },
                Ok,
            )
        }
        ("contains", [one]) => Ok(Object::Bool(run.position(values, one)?.is_some())),
        _ => unknown(&Object::Fields, name, arguments),
    }
}

/// The latitude or longitude of a point, as the name of its getter says.
pub(crate) fn coordinate(point: Option<&Object>, name: &str) -> Result<Object> {
    let wanted = if name.to_lowercase().contains("lat") {
        "lat"
    } else {
        "lon"
    };
    match point {
        Some(Object::Map(members)) => {
            let found = found_by(members, wanted).map(|at| members.borrow()[at].1.clone());
            found.map_or_else(|| failed(format!("a point has no [{wanted}]")), Ok)
        }
        Some(other) => failed(format!("dynamic getter [{}, {name}] not found", other.kind())),
        None => failed(
            "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field!",
        ),
    }
}
