//! Operators, and the methods of texts, lists, maps and fields.

use crate::error::{Result, failed};
use crate::object::Object;
use crate::run::Run;
use crate::statics::vector;
use std::cmp::Ordering;
use std::rc::Rc;
use value::Value;

/// `a operator b`, but for `==`.
pub(crate) fn operate(operator: &str, a: &Object, b: &Object) -> Result<Object> {
    match operator {
        "<" | ">" | "<=" | ">=" => {
            let order = compare(a, b)?;
            return Ok(Object::Bool(match operator {
                "<" => order.is_lt(),
                ">" => order.is_gt(),
                "<=" => order.is_le(),
                _ => order.is_ge(),
            }));
        }
        "+" if matches!(a, Object::Text(_)) || matches!(b, Object::Text(_)) => {
            return Ok(Object::text(format!("{}{}", a.shown(), b.shown())));
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

pub(crate) fn compare(a: &Object, b: &Object) -> Result<Ordering> {
    match (a, b) {
        (Object::Int(a), Object::Int(b)) => Ok(a.cmp(b)),
        (Object::Text(a), Object::Text(b)) => Ok(a.cmp(b)),
        (Object::Bool(a), Object::Bool(b)) => Ok(a.cmp(b)),
        _ => {
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
        Object::List(list) => Ok(list.borrow().clone()),
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
        ("toString", []) => return Ok(Object::Text(base.shown())),
        ("compareTo", [other]) => return Ok(Object::Int(compare(base, other)? as i64)),
        _ => {}
    }
    match base {
        Object::Text(text) => of_text(run, text, name, arguments),
        Object::List(_) => of_list(run, base, name, arguments),
        Object::Map(_) => of_map(run, base, name, arguments),
        Object::Field(field, values) => of_field(run, field, values, name, arguments),
        Object::Int(_) | Object::Double(_) => match name {
            "intValue" | "longValue" => Ok(Object::Int(base.as_int()?)),
            "doubleValue" | "floatValue" => Ok(Object::Double(base.as_f64()?)),
            _ => unknown(base, name, arguments),
        },
        Object::Other(value) => match (&**value, name) {
            (Value::DateTime(ms), "toInstant" | "toEpochMilli" | "getMillis" | "millis") => {
                Ok(Object::Int(*ms))
            }
            _ => unknown(base, name, arguments),
        },
        _ => unknown(base, name, arguments),
    }
}

fn unknown(base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    failed(format!(
        "dynamic method [{}, {name}/{}] not found",
        base.kind(),
        arguments.len()
    ))
}

fn of_text(run: &mut Run<'_>, text: &Rc<str>, name: &str, arguments: &[Object]) -> Result<Object> {
    run.step(text.len() / 16)?;
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
            let parts: Vec<Object> = text.split(&*mark).map(Object::text).collect();
            run.takes_bytes(text.len())?;
            return run.list(parts);
        }
        ("substring", [from]) => part(from.as_int()?, text.chars().count() as i64)?,
        ("substring", [from, to]) => part(from.as_int()?, to.as_int()?)?,
        ("charAt", [at]) => part(at.as_int()?, at.as_int()? + 1)?,
        ("toLowerCase", []) => text.to_lowercase(),
        ("toUpperCase", []) => text.to_uppercase(),
        ("trim", []) => text.trim().to_owned(),
        ("concat", [other]) => format!("{text}{}", other.as_text()?),
        ("replace", [from, to]) => {
            let (from, to) = (from.as_text()?, to.as_text()?);
            // Before it is made, since it may be far larger than what it is made of.
            run.takes_bytes(text.matches(&*from).count().saturating_mul(to.len()))?;
            text.replace(&*from, &to)
        }
        _ => return unknown(&Object::Text(text.clone()), name, arguments),
    };
    run.takes_bytes(made.len())?;
    Ok(Object::text(made))
}

fn of_list(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let Object::List(list) = base else {
        return unknown(base, name, arguments);
    };
    let length = list.borrow().len();
    run.step(length / 8)?;
    match (name, arguments) {
        ("size" | "length", []) => return Ok(Object::Int(length as i64)),
        ("isEmpty", []) => return Ok(Object::Bool(length == 0)),
        ("add" | "addLast", [one]) => {
            run.holds(base, one)?;
            run.takes_bytes(32)?;
            list.borrow_mut().push(one.clone());
            return Ok(Object::Bool(true));
        }
        ("add", [at, one]) => {
            run.holds(base, one)?;
            run.takes_bytes(32)?;
            let at = usize::try_from(at.as_int()?).ok().filter(|at| *at <= length);
            return match at {
                Some(at) => {
                    list.borrow_mut().insert(at, one.clone());
                    Ok(Object::Null)
                }
                None => failed(format!("an index is out of bounds for length {length}")),
            };
        }
        ("addAll", [others]) => {
            let others = items(others)?;
            run.takes_bytes(32 * others.len())?;
            for one in &others {
                run.holds(base, one)?;
            }
            list.borrow_mut().extend(others);
            return Ok(Object::Bool(true));
        }
        ("get", [at]) => {
            let found = usize::try_from(at.as_int()?)
                .ok()
                .and_then(|at| list.borrow().get(at).cloned());
            return found.map_or_else(
                || failed(format!("Index {} out of bounds for length {length}", at.shown())),
                Ok,
            );
        }
        ("set", [at, one]) => {
            run.put(base, at, one.clone())?;
            return Ok(Object::Null);
        }
        ("contains", [one]) => {
            let found = run.position(&list.borrow(), one)?;
            return Ok(Object::Bool(found.is_some()));
        }
        ("indexOf", [one]) => {
            let found = run.position(&list.borrow(), one)?;
            return Ok(Object::Int(found.map_or(-1, |at| at as i64)));
        }
        ("remove", [Object::Int(at)]) => {
            return match usize::try_from(*at).ok().filter(|at| *at < length) {
                Some(at) => Ok(list.borrow_mut().remove(at)),
                None => failed(format!("Index {at} out of bounds for length {length}")),
            };
        }
        ("remove", [one]) => {
            let found = run.position(&list.borrow(), one)?;
            if let Some(at) = found {
                list.borrow_mut().remove(at);
            }
            return Ok(Object::Bool(found.is_some()));
        }
        ("removeAll", [others]) => {
            let others = items(others)?;
            let all = list.borrow().clone();
            let mut kept = Vec::with_capacity(all.len());
            for one in all {
                if run.position(&others, &one)?.is_none() {
                    kept.push(one);
                }
            }
            *list.borrow_mut() = kept;
        }
        ("clear", []) => list.borrow_mut().clear(),
        ("sort", [Object::Null]) => {
            run.step(length.saturating_mul(length.max(1).ilog2() as usize + 1) / 4)?;
            let mut sorted = list.borrow().clone();
            sorted.sort_by(|a, b| compare(a, b).unwrap_or(Ordering::Equal));
            *list.borrow_mut() = sorted;
        }
        _ => return of_list_by(run, base, name, arguments),
    }
    Ok(Object::Bool(list.borrow().len() != length))
}

/// The methods of lists that are handed a lambda.
fn of_list_by(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let (Object::List(list), [lambda]) = (base, arguments) else {
        return unknown(base, name, arguments);
    };
    let all = list.borrow().clone();
    let mut kept = Vec::new();
    let mut holds = Vec::with_capacity(all.len());
    for one in &all {
        let result = run.apply(lambda, std::slice::from_ref(one))?;
        if name == "collect" {
            kept.push(result);
            continue;
        }
        if name == "forEach" {
            continue;
        }
        let is_so = result.as_bool()?;
        holds.push(is_so);
        if is_so == (name != "removeIf") {
            kept.push(one.clone());
        }
    }
    match name {
        "removeIf" => {
            let has_changed = kept.len() != all.len();
            *list.borrow_mut() = kept;
            Ok(Object::Bool(has_changed))
        }
        "findAll" | "collect" => run.list(kept),
        "find" => Ok(kept.into_iter().next().unwrap_or(Object::Null)),
        "any" => Ok(Object::Bool(holds.contains(&true))),
        "every" => Ok(Object::Bool(!holds.contains(&false))),
        "forEach" => Ok(Object::Null),
        _ => unknown(base, name, arguments),
    }
}

fn of_map(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let Object::Map(map) = base else {
        return unknown(base, name, arguments);
    };
    let find = |name: &Object| {
        let name = name.shown();
        map.borrow().iter().position(|(known, _)| *known == name)
    };
    let of = |at: usize| map.borrow()[at].1.clone();
    run.step(map.borrow().len() / 8)?;
    Ok(match (name, arguments) {
        ("size", []) => Object::Int(map.borrow().len() as i64),
        ("isEmpty", []) => Object::Bool(map.borrow().is_empty()),
        ("containsKey", [name]) => Object::Bool(find(name).is_some()),
        ("containsValue", [value]) => {
            let values: Vec<Object> = map.borrow().iter().map(|(_, value)| value.clone()).collect();
            Object::Bool(run.position(&values, value)?.is_some())
        }
        ("get", [name]) => find(name).map_or(Object::Null, of),
        ("getOrDefault", [name, other]) => find(name).map_or_else(|| other.clone(), of),
        ("put", [name, value]) => {
            let before = find(name).map_or(Object::Null, of);
            run.put(base, name, value.clone())?;
            before
        }
        ("putIfAbsent", [name, value]) => {
            let before = find(name).map_or(Object::Null, of);
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
        ("remove", [name]) => match find(name) {
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
            let entry = |(name, value): (Rc<str>, Object)| {
                run.map(vec![("key".into(), Object::Text(name)), ("value".into(), value)])
            };
            let entries = members.into_iter().map(entry).collect::<Result<_>>()?;
            run.list(entries)?
        }
        // The entries of `entrySet` are maps of two.
        ("getKey", []) => find(&Object::text("key")).map_or(Object::Null, of),
        ("getValue", []) => find(&Object::text("value")).map_or(Object::Null, of),
        _ => return unknown(base, name, arguments),
    })
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
                        at.shown(),
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
