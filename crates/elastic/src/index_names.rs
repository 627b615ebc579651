//! Queries of `_index` take the names of aliases, and patterns, as names of indices.

use auth::Action;
use indices::error::Result;
use rest::call::Call;
use rest::names;
use search::simple_match;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// The field whose values are names.
const FIELD: &str = "_index";

/// What a name takes in a query, about, besides its text.
const NAME_BYTES: usize = 128;

/// Which indices names stand for.
pub(crate) struct IndexNames<'c> {
    call: &'c Call,
    known: Option<Known>,
}

/// What there is.
struct Known {
    indices: Vec<String>,
    aliases: HashMap<String, Vec<String>>,
}

impl Known {
    fn of(call: &Call) -> Known {
        let indices = names::all(call);
        let mut aliases: HashMap<String, Vec<String>> = HashMap::new();
        for name in &indices {
            let index = call.index(name, Action::Find);
            for alias in index
                .iter()
                .flat_map(|index| index.aliases().keys().cloned().collect::<Vec<_>>())
            {
                aliases.entry(alias).or_default().push(name.clone());
            }
        }
        Known { indices, aliases }
    }

    /// Adds the indices that a name stands for besides itself.
    fn add<'k>(&'k self, name: &str, out: &mut BTreeSet<&'k str>) -> Result<()> {
        if !name.contains('*') {
            let indices = self.aliases.get(name).into_iter().flatten();
            out.extend(indices.map(String::as_str));
            return Ok(());
        }
        engine::steps(self.indices.len() + self.aliases.len())?;
        let direct = self.indices.iter().filter(|index| simple_match(name, index));
        let aliases = self.aliases.iter().filter(|(alias, _)| simple_match(name, alias));
        let through = aliases.flat_map(|(_, indices)| indices);
        out.extend(direct.chain(through).map(String::as_str));
        Ok(())
    }
}

impl<'c> IndexNames<'c> {
    /// Those that the caller may see.
    pub(crate) fn of(call: &'c Call) -> IndexNames<'c> {
        IndexNames { call, known: None }
    }

    /// Puts the indices into all queries for names of indices, at any depth.
    pub(crate) fn expand(&mut self, value: &mut Value) -> Result<()> {
        match value {
            Value::Object(object) => {
                if object.len() == 1
                    && let Some(filled) = self.filled(object)?
                {
                    *value = filled;
                    return Ok(());
                }
                object.values_mut().try_for_each(|inner| self.expand(inner))
            }
            Value::Array(list) => list.iter_mut().try_for_each(|inner| self.expand(inner)),
            _ => Ok(()),
        }
    }

    /// The query with the indices; `None` if it is another one, or its names stand for themselves.
    fn filled(&mut self, query: &Map<String, Value>) -> Result<Option<Value>> {
        let clause = ["term", "terms"]
            .into_iter()
            .find_map(|name| query.get(name)?.as_object());
        let Some((clause, given)) = clause.and_then(|clause| Some((clause, clause.get(FIELD)?))) else {
            return Ok(None);
        };
        let (mut names, mut members) = (Vec::new(), clause.clone());
        match given {
            Value::Object(term) => {
                names.extend(term.get("value").cloned());
                let besides = term
                    .iter()
                    .filter(|(name, _)| ["boost", "_name"].contains(&name.as_str()));
                members.extend(besides.map(|(name, value)| (name.clone(), value.clone())));
                if names.len() + members.len() != term.len() + 1 {
                    return Ok(None);
                }
            }
            Value::Array(list) => names.clone_from(list),
            one => names.push(one.clone()),
        }
        let call = self.call;
        let known = &*self.known.get_or_insert_with(|| Known::of(call));
        let mut found = BTreeSet::new();
        for name in names.iter().filter_map(Value::as_str) {
            known.add(name, &mut found)?;
        }
        if found.is_empty() {
            return Ok(None);
        }
        call.held
            .add(found.iter().map(|name| NAME_BYTES + name.len()).sum())?;
        names.extend(found.into_iter().map(Value::from));
        members.insert(FIELD.to_owned(), Value::Array(names));
        Ok(Some(json!({"terms": members})))
    }
}
