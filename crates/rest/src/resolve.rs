//! Which indices an expression stands for: names and aliases with commas between them, `*`, `-` for what is not meant, `_all`.

use crate::call::Call;
use crate::names::{self, all, check, namespace};
use crate::parameters::Parameters;
use auth::Action;
use indices::Index;
use indices::error::{ElasticError, Result};
use search::simple_match;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// What is done with names that stand for no index, and which indices patterns stand for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Names that stand for nothing are left out.
    pub ignore_unavailable: bool,
    /// An expression may stand for nothing.
    pub allow_no_indices: bool,
    /// Patterns stand for open indices.
    pub open: bool,
    /// Patterns stand for closed ones.
    pub closed: bool,
    /// Patterns stand for hidden ones too.
    pub hidden: bool,
    /// Closed indices are refused where they are named.
    pub forbid_closed: bool,
    /// Aliases stand for their indices.
    pub aliases: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ignore_unavailable: false,
            allow_no_indices: true,
            open: true,
            closed: false,
            hidden: false,
            forbid_closed: false,
            aliases: true,
        }
    }
}

impl Options {
    /// The options of what needs the documents of indices.
    pub const OPEN: Options = Options {
        ignore_unavailable: false,
        allow_no_indices: true,
        open: true,
        closed: false,
        hidden: false,
        forbid_closed: true,
        aliases: true,
    };

    /// The options of what does not care whether an index is open.
    pub const ANY_STATE: Options = Options {
        closed: true,
        forbid_closed: false,
        ..Options::OPEN
    };

    /// The options of what changes aliases: names of open indices themselves.
    pub const OF_ALIASES: Options = Options {
        allow_no_indices: false,
        closed: false,
        aliases: false,
        ..Options::ANY_STATE
    };

    /// The options of what changes indices: patterns must stand for some.
    pub const CHANGED: Options = Options {
        allow_no_indices: false,
        ..Options::ANY_STATE
    };

    /// Takes `ignore_unavailable`, `allow_no_indices`, `expand_wildcards` and `ignore_throttled`.
    pub fn take(parameters: &mut Parameters) -> Result<Options> {
        Options::default().taken(parameters)
    }

    /// These, changed by the same parameters.
    pub fn taken(mut self, parameters: &mut Parameters) -> Result<Options> {
        if let Some(states) = parameters.list("expand_wildcards") {
            self.expand(states.iter().map(String::as_str))?;
        }
        if let Some(ignore) = parameters.flag("ignore_unavailable")? {
            self.ignore_unavailable = ignore;
        }
        if let Some(allow) = parameters.flag("allow_no_indices")? {
            self.allow_no_indices = allow;
        }
        // No index is throttled here.
        parameters.flag("ignore_throttled")?;
        Ok(self)
    }

    /// Lets patterns stand for indices in these states.
    pub fn expand<'s>(&mut self, states: impl Iterator<Item = &'s str>) -> Result<()> {
        (self.open, self.closed, self.hidden) = (false, false, false);
        for state in states {
            match state {
                "open" => self.open = true,
                "closed" => self.closed = true,
                "hidden" => self.hidden = true,
                "none" => (self.open, self.closed, self.hidden) = (false, false, false),
                "all" => (self.open, self.closed, self.hidden) = (true, true, true),
                other => {
                    return Err(ElasticError::illegal(format!(
                        "No valid expand wildcard value [{other}]"
                    )));
                }
            }
        }
        Ok(())
    }
}

/// What patterns are compared with.
struct Known {
    name: String,
    is_closed: bool,
    is_hidden: bool,
    aliases: Arc<Map<String, Value>>,
}

fn known(call: &Call) -> Vec<Known> {
    let of = |name: String| {
        let index = call.index(&name, Action::Find).ok()?;
        let hidden = index.given_settings().get("hidden").cloned();
        Some(Known {
            name,
            is_closed: index.is_closed(),
            is_hidden: hidden.as_ref().and_then(Value::as_str) == Some("true"),
            aliases: index.aliases(),
        })
    };
    all(call).into_iter().filter_map(of).collect()
}

impl Known {
    fn matches(&self, pattern: &str, options: Options) -> bool {
        let in_state = if self.is_closed {
            options.closed
        } else {
            options.open
        };
        // An index is hidden by its own name alone: an alias that is not hidden leads to it.
        let is_found = |name: &str, is_hidden: bool| {
            let is_dotted = pattern.starts_with('.') && name.starts_with('.');
            (!is_hidden || options.hidden || is_dotted) && simple_match(pattern, name)
        };
        let is_hidden = |said: &Value| said.get("is_hidden") == Some(&Value::Bool(true));
        let mut aliases = self.aliases.iter().filter(|_| options.aliases);
        in_state
            && (is_found(&self.name, self.is_hidden)
                || aliases.any(|(alias, said)| is_found(alias, is_hidden(said))))
    }
}

/// The names of the indices that an expression stands for.
pub fn resolve(call: &Call, expression: &str, options: Options) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    // A name is taken once, so that what a short expression stands for is no more than all indices.
    let mut seen = HashSet::new();
    let mut patterns: Option<Vec<Known>> = None;
    let mut had_wildcard = false;
    let parts = split(expression);
    // What stands for everything stands for indices, whatever their aliases are.
    let by_pattern = Options {
        aliases: options.aliases && !matches!(&parts[..], ["_all" | "*"]),
        ..options
    };
    for part in parts {
        let part = search::date_math_name(part, value::date::now_ms())?;
        let part = part.as_str();
        if let Some(excluded) = part.strip_prefix('-').filter(|_| had_wildcard) {
            let known = patterns.get_or_insert_with(|| known(call));
            let excluded = excluded_by(call, known, excluded, by_pattern)?;
            found.retain(|name| !excluded.contains(name));
            seen.retain(|name: &String| !excluded.contains(name));
        } else if part == "_all" || part.contains('*') {
            had_wildcard = true;
            let pattern = if part == "_all" { "*" } else { part };
            let known = patterns.get_or_insert_with(|| known(call));
            let mut matching = known
                .iter()
                .filter(|known| known.matches(pattern, by_pattern))
                .peekable();
            if matching.peek().is_none() && !options.allow_no_indices {
                return Err(ElasticError::no_index(part));
            }
            let names = matching.map(|known| known.name.clone());
            found.extend(names.filter(|name| seen.insert(name.clone())));
        } else {
            let names = named(call, part, options)?.into_iter();
            found.extend(names.filter(|name| seen.insert(name.clone())));
        }
    }
    if found.is_empty() && !options.allow_no_indices {
        return Err(ElasticError::no_index(expression));
    }
    Ok(found)
}

/// The indices that a part of an expression takes away; without a pattern, it must be there.
fn excluded_by(call: &Call, known: &[Known], excluded: &str, options: Options) -> Result<HashSet<String>> {
    if excluded.contains('*') {
        let matching = known.iter().filter(|known| known.matches(excluded, options));
        return Ok(matching.map(|known| known.name.clone()).collect());
    }
    let any_state = Options {
        forbid_closed: false,
        ..options
    };
    named(call, excluded, any_state)?;
    Ok(HashSet::from([excluded.to_owned()]))
}

/// The parts of an expression; date math may have commas.
fn split(expression: &str) -> Vec<&str> {
    let (mut parts, mut begun, mut is_math) = (Vec::new(), 0, false);
    for (at, c) in expression.char_indices() {
        match c {
            '<' => is_math = true,
            '>' => is_math = false,
            ',' if !is_math => {
                parts.push(&expression[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&expression[begun..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// What one name stands for.
fn named(call: &Call, name: &str, options: Options) -> Result<Vec<String>> {
    let place = namespace(&call.server.engine, name);
    let entry = call.server.engine.collection_entry(&place);
    let names = match entry.is_some_and(|entry| !entry.is_view && place.is_shown_everywhere()) {
        true => vec![name.to_owned()],
        false => names::with_alias(call, name)
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
    };
    let is_alias = names.first().is_some_and(|first| first != name);
    if is_alias && !options.aliases {
        return Err(ElasticError::illegal(format!(
            "The provided expression [{name}] matches an alias, specify the corresponding concrete indices instead."
        )));
    }
    if names.is_empty() {
        return match name.starts_with('_') {
            true => Err(check(name).err().unwrap_or_else(|| ElasticError::no_index(name))),
            false if options.ignore_unavailable => Ok(Vec::new()),
            false => Err(ElasticError::no_index(name)),
        };
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        if options.forbid_closed
            && call
                .index(&name, Action::Find)
                .is_ok_and(|index| index.is_closed())
        {
            match options.ignore_unavailable {
                true => continue,
                false => return Err(ElasticError::closed(&name)),
            }
        }
        found.push(name);
    }
    Ok(found)
}

/// What the aliases of an expression leave of an index: a query, or `None` if all of it is wanted.
pub fn alias_filter(call: &Call, expression: &str, name: &str) -> Result<Option<Value>> {
    let aliases = call.index(name, Action::Find)?.aliases();
    if !aliases.values().any(|options| options.get("filter").is_some()) {
        return Ok(None);
    }
    let mut filters = Vec::new();
    for part in split(expression) {
        let pattern = if part == "_all" { "*" } else { part };
        if simple_match(pattern, name) {
            return Ok(None);
        }
        for (_, options) in aliases.iter().filter(|(alias, _)| simple_match(pattern, alias)) {
            match options.get("filter") {
                Some(filter) => filters.push(filter.clone()),
                None => return Ok(None),
            }
        }
    }
    Ok((!filters.is_empty()).then(|| json!({"bool": {"should": filters, "minimum_should_match": 1}})))
}

/// The aliases by which an expression means an index, in the order of their names; none where it means all indices.
pub fn aliases_meant(index: &Index, expression: &str) -> Vec<String> {
    let parts = split(expression);
    let is_meant = |alias: &String| parts.iter().any(|part| simple_match(part, alias));
    let mut aliases: Vec<String> = index.aliases().keys().cloned().collect();
    aliases.retain(is_meant);
    aliases.sort();
    aliases
}
