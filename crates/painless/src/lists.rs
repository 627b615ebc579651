//! The methods of lists, those that go through them with a lambda and those of streams, which are lists here.

use crate::error::{Result, failed};
use crate::methods::{items, order, unknown};
use crate::object::{COMPARED_BYTES_OF_STEP, Object};
use crate::run::Run;
use crate::statics;
use std::cell::RefCell;
use std::cmp::Ordering;

/// The objects in their order, where each of them can be compared with each.
fn sorted(run: &mut Run<'_>, mut items: Vec<Object>) -> Result<Vec<Object>> {
    // Numbers, texts and truth values are compared among themselves alone: where neighbours are of one kind, all are.
    for pair in items.windows(2) {
        order(&pair[0], &pair[1])?;
    }
    let text_bytes = |item: &Object| match item {
        Object::Text(text) => text.len(),
        _ => 0,
    };
    let longest = items.iter().map(text_bytes).max().unwrap_or(0);
    let compared = items
        .len()
        .saturating_mul(items.len().max(1).ilog2() as usize + 1);
    run.step(compared.saturating_mul(1 + longest / COMPARED_BYTES_OF_STEP) / 4)?;
    // A whole number that is compared with a double is one, and so all of them are then: else some would be equal to the same double and
    // not to each other.
    let has_doubles = items.iter().any(|item| matches!(item, Object::Double(_)));
    items.sort_by(|a, b| match (a.as_f64(), b.as_f64()) {
        (Ok(a), Ok(b)) if has_doubles => a.total_cmp(&b),
        _ => order(a, b).unwrap_or(Ordering::Equal),
    });
    Ok(items)
}

pub(crate) fn of_list(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let Object::List(list) = base else {
        return unknown(base, name, arguments);
    };
    run.step(list.borrow().len() / 8)?;
    if let Some(found) = looked_up(run, list, name, arguments)? {
        return Ok(found);
    }
    if let Some(made) = put(run, base, list, name, arguments)? {
        return Ok(made);
    }
    if let Some(made) = rearranged(run, list, name, arguments)? {
        return Ok(made);
    }
    match of_stream(run, base, name, arguments)? {
        Some(made) => Ok(made),
        None => of_list_by(run, base, name, arguments),
    }
}

/// What leaves a list as it is; `None` if there is no such method.
fn looked_up(
    run: &mut Run<'_>,
    list: &RefCell<Vec<Object>>,
    name: &str,
    arguments: &[Object],
) -> Result<Option<Object>> {
    let length = list.borrow().len();
    Ok(Some(match (name, arguments) {
        ("size" | "length", []) => Object::Int(length as i64),
        ("isEmpty", []) => Object::Bool(length == 0),
        ("get", [at]) => {
            let at = at.as_int()?;
            let found = usize::try_from(at)
                .ok()
                .and_then(|at| list.borrow().get(at).cloned());
            match found {
                Some(found) => found,
                None => return failed(format!("Index {at} out of bounds for length {length}")),
            }
        }
        ("contains", [one]) => Object::Bool(run.position(&list.borrow(), one)?.is_some()),
        ("indexOf", [one]) => {
            let found = run.position(&list.borrow(), one)?;
            Object::Int(found.map_or(-1, |at| at as i64))
        }
        ("subList", [from, to]) => {
            let (from, to) = (from.as_int()?, to.as_int()?);
            let part = match (usize::try_from(from), usize::try_from(to)) {
                (Ok(from), Ok(to)) => list.borrow().get(from..to).map(<[Object]>::to_vec),
                _ => None,
            };
            match part {
                Some(part) => run.list(part)?,
                None => return failed(format!("fromIndex: {from}, toIndex: {to}, size: {length}")),
            }
        }
        _ => return Ok(None),
    }))
}

/// What puts objects into a list, which is counted; `None` if there is no such method.
fn put(
    run: &mut Run<'_>,
    base: &Object,
    list: &RefCell<Vec<Object>>,
    name: &str,
    arguments: &[Object],
) -> Result<Option<Object>> {
    Ok(Some(match (name, arguments) {
        ("add" | "addLast", [one]) => {
            run.holds(base, one)?;
            run.takes_bytes(32)?;
            list.borrow_mut().push(one.clone());
            Object::Bool(true)
        }
        ("add", [at, one]) => {
            run.holds(base, one)?;
            run.takes_bytes(32)?;
            let length = list.borrow().len();
            match usize::try_from(at.as_int()?).ok().filter(|at| *at <= length) {
                Some(at) => list.borrow_mut().insert(at, one.clone()),
                None => return failed(format!("an index is out of bounds for length {length}")),
            }
            Object::Null
        }
        ("addAll", [others]) => {
            let others = items(others)?;
            run.takes_bytes(32 * others.len())?;
            for one in &others {
                run.holds(base, one)?;
            }
            list.borrow_mut().extend(others);
            Object::Bool(true)
        }
        ("set", [at, one]) => {
            run.put(base, at, one.clone())?;
            Object::Null
        }
        _ => return Ok(None),
    }))
}

/// What takes objects out of a list, or orders them; `None` if there is no such method.
fn rearranged(
    run: &mut Run<'_>,
    list: &RefCell<Vec<Object>>,
    name: &str,
    arguments: &[Object],
) -> Result<Option<Object>> {
    let length = list.borrow().len();
    match (name, arguments) {
        ("remove", [Object::Int(at)]) => {
            return match usize::try_from(*at).ok().filter(|at| *at < length) {
                Some(at) => Ok(Some(list.borrow_mut().remove(at))),
                None => failed(format!("Index {at} out of bounds for length {length}")),
            };
        }
        ("remove", [one]) => {
            let found = run.position(&list.borrow(), one)?;
            if let Some(at) = found {
                list.borrow_mut().remove(at);
            }
        }
        ("removeAll" | "retainAll", [others]) => {
            let others = items(others)?;
            let all = list.borrow().clone();
            let mut kept = Vec::with_capacity(all.len());
            for one in all {
                if run.position(&others, &one)?.is_some() == (name == "retainAll") {
                    kept.push(one);
                }
            }
            *list.borrow_mut() = kept;
        }
        ("clear", []) => list.borrow_mut().clear(),
        ("sort", [Object::Null]) => {
            let items = list.borrow().clone();
            *list.borrow_mut() = sorted(run, items)?;
        }
        ("sort", [by @ Object::Lambda(..)]) => {
            let all = list.borrow().clone();
            let sorted = run.while_copied(2 * all.len(), |run| sorted_by(run, all, by))?;
            *list.borrow_mut() = sorted;
        }
        _ => return Ok(None),
    }
    Ok(Some(Object::Bool(list.borrow().len() != length)))
}

/// The methods of sets; what is not among them is asked of a list with the same objects.
pub(crate) fn of_set(
    run: &mut Run<'_>,
    base: &Object,
    set: &RefCell<Vec<Object>>,
    name: &str,
    arguments: &[Object],
) -> Result<Object> {
    let length = set.borrow().len();
    match (name, arguments) {
        // These are asked again and again, for which a copy each time would soon be beyond the limit.
        ("size" | "length", []) => return Ok(Object::Int(length as i64)),
        ("isEmpty", []) => return Ok(Object::Bool(length == 0)),
        ("contains", [one]) => {
            let found = run.position(&set.borrow(), one)?;
            return Ok(Object::Bool(found.is_some()));
        }
        ("add", [one]) => add(run, base, set, one)?,
        ("addAll", [others]) => {
            for one in items(others)? {
                add(run, base, set, &one)?;
            }
        }
        ("remove", [one]) => {
            let found = run.position(&set.borrow(), one)?;
            if let Some(at) = found {
                set.borrow_mut().remove(at);
            }
        }
        ("clear", []) => set.borrow_mut().clear(),
        _ => {
            let all = set.borrow().clone();
            let list = run.list(all)?;
            let made = of_list(run, &list, name, arguments)?;
            if let ("removeIf" | "removeAll" | "retainAll", Object::List(kept)) = (name, &list) {
                *set.borrow_mut() = kept.borrow().clone();
            }
            return Ok(made);
        }
    }
    Ok(Object::Bool(set.borrow().len() != length))
}

fn add(run: &mut Run<'_>, base: &Object, set: &RefCell<Vec<Object>>, one: &Object) -> Result<()> {
    run.step(1)?;
    if run.position(&set.borrow(), one)?.is_none() {
        run.holds(base, one)?;
        run.takes_bytes(32)?;
        set.borrow_mut().push(one.clone());
    }
    Ok(())
}

/// What streams have besides: a list stands for each, since it is gone through but once.
fn of_stream(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    let Object::List(list) = base else {
        return Ok(None);
    };
    let copied = || list.borrow().clone();
    let count = |given: &Object| -> Result<usize> { Ok(usize::try_from(given.as_int()?).unwrap_or(0)) };
    Ok(Some(match (name, arguments) {
        ("stream" | "toList", []) | ("collect", [Object::Class("Collectors.toList")]) => run.list(copied())?,
        ("limit", [most]) => {
            let kept = copied().into_iter().take(count(most)?);
            run.list(kept.collect())?
        }
        ("skip", [first]) => {
            let kept = copied().into_iter().skip(count(first)?);
            run.list(kept.collect())?
        }
        ("collect", [Object::Class("Collectors.toSet")]) => run.set(copied())?,
        ("distinct", []) => {
            let different = run.different(copied())?;
            run.list(different)?
        }
        ("sorted", []) => {
            let sorted = sorted(run, copied())?;
            run.list(sorted)?
        }
        ("sorted", [by @ Object::Lambda(..)]) => {
            let sorted = sorted_by(run, copied(), by)?;
            run.list(sorted)?
        }
        ("count", []) => Object::Int(list.borrow().len() as i64),
        ("sum", []) => sum(&list.borrow())?,
        ("join", [mark]) => statics::call(run, "String", "join", &[mark.clone(), base.clone()])?,
        _ => return Ok(None),
    }))
}

/// What numbers add up to: a whole number where all of them are.
fn sum(items: &[Object]) -> Result<Object> {
    let (mut whole, mut all) = (Some(0_i64), 0.0);
    for item in items {
        all += item.as_f64()?;
        whole = match item {
            Object::Int(int) => whole.map(|sum| sum.wrapping_add(*int)),
            _ => None,
        };
    }
    Ok(whole.map_or(Object::Double(all), Object::Int))
}

/// The objects in the order that a lambda says of each two, whatever it says; those that are equal stay in theirs.
fn sorted_by(run: &mut Run<'_>, mut items: Vec<Object>, by: &Object) -> Result<Vec<Object>> {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((a, others)), Some((b, behind))) = (left.split_first(), right.split_first()) {
                match run.apply(by, &[a.clone(), b.clone()])?.as_int()? > 0 {
                    true => {
                        merged.push(b.clone());
                        right = behind;
                    }
                    false => {
                        merged.push(a.clone());
                        left = others;
                    }
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        items = merged;
        width *= 2;
    }
    Ok(items)
}

/// The methods of lists that are handed a lambda.
fn of_list_by(run: &mut Run<'_>, base: &Object, name: &str, arguments: &[Object]) -> Result<Object> {
    let (Object::List(list), [lambda @ Object::Lambda(..)]) = (base, arguments) else {
        return unknown(base, name, arguments);
    };
    let name = match name {
        "filter" => "findAll",
        "map" | "mapToInt" | "mapToLong" | "mapToDouble" | "mapToObj" => "collect",
        "anyMatch" => "any",
        "allMatch" => "every",
        "each" => "forEach",
        other => other,
    };
    let all = list.borrow().clone();
    // The copy, and what is kept of it.
    let (kept, holds) = run.while_copied(2 * all.len(), |run| applied(run, &all, name, lambda))?;
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
        "noneMatch" => Ok(Object::Bool(!holds.contains(&true))),
        "forEach" => Ok(Object::Null),
        _ => unknown(base, name, arguments),
    }
}

/// What a method keeps of a list's elements, and of which of them the lambda holds.
fn applied(
    run: &mut Run<'_>,
    all: &[Object],
    name: &str,
    lambda: &Object,
) -> Result<(Vec<Object>, Vec<bool>)> {
    let mut kept = Vec::new();
    let mut holds = Vec::with_capacity(all.len());
    for one in all {
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
    Ok((kept, holds))
}
