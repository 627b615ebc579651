//! Regular expressions: `/a+/i`, `text =~ /a/`, `text ==~ /a/`, and the methods of a matcher.
//!
//! The backtracking of a search is limited, and its length and its time count as steps of the script, so that a loop of searches ends as
//! other loops do. A search itself cannot be interrupted, and its time may grow faster than its string: long strings are refused.

mod compiled;
mod matcher;

use crate::error::{Result, failed};
use crate::limits::SEARCHED_BYTES_MAX;
use crate::object::Object;
use crate::run::Run;
use crate::writer::Writer;
use compiled::MatchPlace;
pub(crate) use compiled::Pattern;
pub(crate) use matcher::Matcher;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// The steps of the script that a search costs, besides those for its string.
const STEPS_OF_SEARCH: usize = 100;
/// How many bytes of a string one step searches.
const BYTES_OF_STEP: usize = 16;
/// What a matcher takes, besides its groups.
const MATCHER_BYTES: usize = 96;

fn begun(run: &mut Run<'_>, pattern: &Arc<Pattern>, text: Arc<str>) -> Result<Matcher> {
    run.takes_bytes(MATCHER_BYTES + 32 * pattern.groups())?;
    Ok(Matcher::new(pattern, text))
}

fn look(run: &mut Run<'_>, matcher: &mut Matcher, place: MatchPlace) -> Result<bool> {
    counted(run, matcher, |matcher| matcher.look(place))
}

fn find(run: &mut Run<'_>, matcher: &mut Matcher) -> Result<bool> {
    counted(run, matcher, Matcher::find)
}

/// Carries out a search, and counts a step for each microsecond.
fn counted(
    run: &mut Run<'_>,
    matcher: &mut Matcher,
    search: impl FnOnce(&mut Matcher) -> Result<bool>,
) -> Result<bool> {
    let length = matcher.text().len();
    if length > SEARCHED_BYTES_MAX {
        return failed(format!(
            "regular expressions search texts of at most {SEARCHED_BYTES_MAX} bytes, and this one has {length}"
        ));
    }
    run.step(STEPS_OF_SEARCH + length / BYTES_OF_STEP)?;
    let begun = Instant::now();
    let found = search(matcher)?;
    run.step(usize::try_from(begun.elapsed().as_micros()).unwrap_or(usize::MAX))?;
    Ok(found)
}

/// The place of the group that is given by its number or its name, or of the whole match.
fn given(matcher: &Matcher, arguments: &[Object]) -> Result<Option<(usize, usize)>> {
    match arguments.first() {
        None => matcher.group(0),
        Some(Object::Text(name)) => matcher.group(matcher.pattern().group(name)?),
        Some(other) => {
            let number = other.as_int()?;
            let number = usize::try_from(number).or_else(|_| failed(format!("No group {number}")))?;
            matcher.group(number)
        }
    }
}

/// `text =~ /a/` and `text ==~ /a/`.
pub(crate) fn operate(run: &mut Run<'_>, operator: &str, text: &Object, pattern: &Object) -> Result<Object> {
    let Object::Pattern(pattern) = pattern else {
        return failed(format!(
            "Cannot apply [{operator}] operation to type [{}]: it takes a regular expression",
            pattern.kind()
        ));
    };
    let mut matcher = begun(run, pattern, text.as_text()?)?;
    let place = if operator == "==~" {
        MatchPlace::Whole
    } else {
        MatchPlace::From(0)
    };
    look(run, &mut matcher, place).map(Object::Bool)
}

/// The methods of an expression.
pub(crate) fn of_pattern(
    run: &mut Run<'_>,
    pattern: &Arc<Pattern>,
    name: &str,
    arguments: &[Object],
) -> Result<Option<Object>> {
    Ok(Some(match (name, arguments) {
        ("matcher", [text]) => {
            let matcher = begun(run, pattern, text.as_text()?)?;
            Object::Matcher(Rc::new(RefCell::new(matcher)))
        }
        ("pattern", []) => run.text(pattern.source())?,
        ("split", [text]) => split(run, pattern, text, 0)?,
        ("split", [text, parts]) => split(run, pattern, text, parts.as_int()?)?,
        _ => return Ok(None),
    }))
}

/// The parts of a string between the matches, as Java splits: at most `parts_max`; if that is 0 all but empty ones at the end; if it is
/// negative all.
fn split(run: &mut Run<'_>, pattern: &Arc<Pattern>, text: &Object, parts_max: i64) -> Result<Object> {
    let mut matcher = begun(run, pattern, text.as_text()?)?;
    let (mut parts, mut from) = (Vec::new(), 0);
    while (parts_max <= 0 || (parts.len() as i64) < parts_max - 1) && find(run, &mut matcher)? {
        let Some((start, end)) = matcher.whole() else {
            break;
        };
        if end == 0 {
            continue;
        }
        parts.push(run.text(matcher.shown((from, start)))?);
        from = end;
    }
    parts.push(run.text(matcher.shown((from, matcher.text().len())))?);
    let is_empty = |part: &Object| matches!(part, Object::Text(text) if text.is_empty());
    while parts_max == 0 && from > 0 && parts.last().is_some_and(is_empty) {
        parts.pop();
    }
    run.list(parts)
}

/// The methods of a matcher.
pub(crate) fn of_matcher(
    run: &mut Run<'_>,
    matcher: &Rc<RefCell<Matcher>>,
    name: &str,
    arguments: &[Object],
) -> Result<Option<Object>> {
    let mut at = matcher.borrow_mut();
    Ok(Some(match (name, arguments) {
        ("find", []) => Object::Bool(find(run, &mut at)?),
        ("find", [from]) => {
            at.reset();
            let from = from.as_int()?;
            let mut places = at
                .text()
                .char_indices()
                .map(|(place, _)| place)
                .chain([at.text().len()]);
            let place = usize::try_from(from).ok().and_then(|from| places.nth(from));
            let Some(place) = place else {
                return failed(format!("Illegal start index [{from}]"));
            };
            Object::Bool(look(run, &mut at, MatchPlace::From(place))?)
        }
        ("matches", []) => Object::Bool(look(run, &mut at, MatchPlace::Whole)?),
        ("lookingAt", []) => Object::Bool(look(run, &mut at, MatchPlace::Leading)?),
        ("group", [] | [_]) | ("namedGroup", [_]) => match given(&at, arguments)? {
            Some(place) => run.text(at.shown(place))?,
            None => Object::Null,
        },
        ("groupCount", []) => Object::Int(at.pattern().groups() as i64 - 1),
        ("start" | "end", [] | [_]) => match given(&at, arguments)? {
            None => Object::Int(-1),
            Some((start, end)) => {
                let place = if name == "start" { start } else { end };
                run.step(place / BYTES_OF_STEP)?;
                Object::Int(at.text()[..place].chars().count() as i64)
            }
        },
        ("reset", []) => {
            at.reset();
            Object::Matcher(matcher.clone())
        }
        ("reset", [text]) => {
            at.set_text(text.as_text()?);
            Object::Matcher(matcher.clone())
        }
        ("replaceAll" | "replaceFirst", [replacement]) => {
            let (replacement, text, pattern) =
                (replacement.as_text()?, at.text().clone(), at.pattern().clone());
            at.reset();
            let limit = if name == "replaceFirst" { 1 } else { usize::MAX };
            replaced(run, &text, &pattern, limit, |run, matcher| {
                // It is read for each match, also where little comes of it.
                run.step(replacement.len() / BYTES_OF_STEP)?;
                matcher.borrow().expanded(&replacement)
            })?
        }
        _ => return Ok(None),
    }))
}

/// `text.replaceAll(/a/, m -> …)`: a lambda says what comes in the place of each match.
pub(crate) fn replaced_by(
    run: &mut Run<'_>,
    text: &Arc<str>,
    pattern: &Arc<Pattern>,
    lambda: &Object,
    is_first: bool,
) -> Result<Object> {
    let limit = if is_first { 1 } else { usize::MAX };
    replaced(run, text, pattern, limit, |run, matcher| {
        let made = run.apply(lambda, &[Object::Matcher(matcher.clone())])?;
        Ok(made.shown(run)?.to_string())
    })
}

fn replaced(
    run: &mut Run<'_>,
    text: &Arc<str>,
    pattern: &Arc<Pattern>,
    limit: usize,
    mut by: impl FnMut(&mut Run<'_>, &Rc<RefCell<Matcher>>) -> Result<String>,
) -> Result<Object> {
    let matcher = begun(run, pattern, text.clone())?;
    let matcher = Rc::new(RefCell::new(matcher));
    let (mut parts, mut from) = (Vec::new(), 0);
    for _ in 0..limit {
        let found = find(run, &mut matcher.borrow_mut())?;
        let place = matcher.borrow().whole().filter(|_| found);
        // A lambda may have led its matcher back to where it was.
        let Some((start, end)) = place.filter(|(start, _)| *start >= from) else {
            break;
        };
        let part = by(run, &matcher)?;
        run.takes_bytes(part.len() + 48)?;
        parts.push((from, start, part));
        from = end;
    }
    let mut out = Writer::new(run)?;
    for (from, to, part) in &parts {
        out.push(text.get(*from..*to).unwrap_or_default())?;
        out.push(part)?;
    }
    out.push(text.get(from..).unwrap_or_default())?;
    Ok(Object::Text(out.finish()))
}
