//! Which types of fields, and which parts of analyzers, indices use: what `_cluster/stats` tells of them.

use crate::error::Result;
use crate::index::Index;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of analyzers, as settings call them.
const PARTS: [&str; 3] = ["char_filter", "tokenizer", "filter"];
const ANALYZER: &str = "analyzer";

/// How often something is used, and by how many indices.
#[derive(Debug, Default)]
struct Uses(BTreeMap<String, (u64, u64)>);

impl Uses {
    /// Counts what an index uses.
    fn add(&mut self, names: impl Iterator<Item = String>) {
        let mut seen = BTreeSet::new();
        for name in names {
            let uses = self.0.entry(name.clone()).or_default();
            uses.0 += 1;
            uses.1 += u64::from(seen.insert(name));
        }
    }

    /// Forgets what an index has of its own.
    fn forget(&mut self, own: Option<&Map<String, Value>>) {
        self.0
            .retain(|name, _| own.is_none_or(|own| !own.contains_key(name)));
    }

    fn shown(&self) -> Value {
        let one = |(name, (count, indices)): (&String, &(u64, u64))| json!({"name": name, "count": count, "index_count": indices});
        self.0.iter().map(one).collect()
    }
}

/// The types of fields that indices have, and what their texts are analyzed by.
pub async fn of_indices(indices: &[Index]) -> Result<(Value, Value)> {
    let mut fields = Uses::default();
    let mut types: BTreeMap<&str, Uses> = BTreeMap::new();
    let mut built_in: BTreeMap<&str, Uses> = BTreeMap::new();
    for index in indices {
        let definitions = index.mapping().await?.definitions();
        fields.add(definitions.iter().map(|(_, field)| type_of(field, "object")));
        let named = definitions.iter().flat_map(|(_, field)| {
            let names = [ANALYZER, "search_analyzer", "search_quote_analyzer"];
            names.into_iter().filter_map(move |name| field.get(name))
        });
        let names: Vec<String> = named.flat_map(texts).collect();
        built_in.entry(ANALYZER).or_default().add(names.into_iter());
        let settings = index.given_settings();
        let own = |kind: &str| settings.get("analysis")?.get(kind)?.as_object();
        let analyzers: Vec<&Value> = own(ANALYZER).into_iter().flat_map(Map::values).collect();
        built_in.entry(ANALYZER).or_default().forget(own(ANALYZER));
        let kinds = analyzers.iter().map(|analyzer| type_of(analyzer, "custom"));
        types.entry(ANALYZER).or_default().add(kinds);
        for part in PARTS {
            let used = analyzers.iter().filter_map(|analyzer| analyzer.get(part));
            let used: Vec<String> = used.flat_map(texts).collect();
            let uses = built_in.entry(part).or_default();
            uses.add(used.into_iter());
            uses.forget(own(part));
            let kinds = own(part).into_iter().flat_map(Map::values);
            let kinds = kinds.filter_map(|one| one.get("type")?.as_str().map(str::to_owned));
            types.entry(part).or_default().add(kinds);
        }
    }
    let mut analysis = Map::new();
    for (uses, begin, end) in [(&types, "", "_types"), (&built_in, "built_in_", "s")] {
        for kind in PARTS.into_iter().chain([ANALYZER]) {
            let shown = uses.get(kind).map_or_else(|| json!([]), Uses::shown);
            analysis.insert(format!("{begin}{kind}{end}"), shown);
        }
    }
    Ok((json!({"field_types": fields.shown()}), Value::Object(analysis)))
}

fn type_of(definition: &Value, usual: &str) -> String {
    let given = definition.get("type").and_then(Value::as_str);
    given.unwrap_or(usual).to_owned()
}

/// The names that a setting has, as a list or with commas between them.
fn texts(given: &Value) -> Vec<String> {
    match given {
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::String(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_twice_by_an_index_is_used_by_one() {
        let mut uses = Uses::default();
        let of = |names: &Value| texts(names).into_iter();
        uses.add(of(&json!(["stop", "lowercase", "stop"])));
        uses.add(of(&json!("stop, own")));
        let own = json!({"own": {}});
        uses.forget(own.as_object());
        let wanted = json!([{"name": "lowercase", "count": 1, "index_count": 1}, {"name": "stop", "count": 3, "index_count": 2}]);
        assert_eq!(uses.shown(), wanted);
    }
}
