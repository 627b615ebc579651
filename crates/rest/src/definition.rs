//! What an index is made of: settings, a mapping, aliases; as a request has them, and as templates give them.

use crate::call::Call;
use crate::kept::Family;
use crate::names;
use indices::error::{ElasticError, Result};
use indices::settings;
use search::{OBJECTS_DEPTH_MAX, simple_match};
use serde_json::{Map, Value, json};

/// What an index is made of.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Below `index`, every value a text.
    pub settings: Map<String, Value>,
    /// The mapping.
    pub mappings: Map<String, Value>,
    /// The aliases, with what is said of each.
    pub aliases: Map<String, Value>,
}

impl Definition {
    /// Takes `settings`, `mappings` and `aliases` out of a body.
    pub fn take(body: &mut Map<String, Value>) -> Result<Definition> {
        let mut object = |name: &str| match body.remove(name) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(object)) => Ok(object),
            Some(_) => Err(ElasticError::parsing(format!("key [{name}] must be an object"))),
        };
        let given = object("settings")?;
        Ok(Definition {
            settings: settings::normalized(&given)?,
            mappings: object("mappings")?,
            aliases: aliases(&object("aliases")?)?,
        })
    }

    /// Takes the name of the one type from around the mapping, where the request says that it stands there.
    pub fn untype(&mut self, typed: bool) -> Result<()> {
        if typed {
            let mut inner = self.mappings.values();
            self.mappings = inner
                .next()
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
        } else if self.mappings.len() == 1 && self.mappings.contains_key("_doc") {
            return Err(ElasticError::illegal(
                "The mapping definition cannot be nested under a type [_doc] unless include_type_name is set to true.",
            ));
        }
        Ok(())
    }

    /// The same with what another one says in its place; aliases and settings by name, mappings by field.
    pub fn overridden(mut self, by: Definition) -> Definition {
        settings::merge(&mut self.settings, by.settings);
        merge_mappings(&mut self.mappings, by.mappings);
        self.aliases.extend(by.aliases);
        self
    }

    /// The definition as templates show it.
    pub fn to_json(&self, flat: bool) -> Map<String, Value> {
        let settings = json!({"index": self.settings});
        let mut out = Map::new();
        let shown = if flat { settings::flat(&settings) } else { settings };
        if !self.settings.is_empty() {
            out.insert("settings".to_owned(), shown);
        }
        if !self.mappings.is_empty() {
            out.insert("mappings".to_owned(), json!(self.mappings));
        }
        if !self.aliases.is_empty() {
            out.insert("aliases".to_owned(), json!(self.aliases));
        }
        out
    }
}

/// Fields with dots in their names as objects within objects.
fn expanded(properties: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, mut definition) in properties {
        if let Some(Value::Object(inner)) = definition.get_mut("properties") {
            *inner = expanded(std::mem::take(inner));
        }
        // What stands for more objects than a mapping may have is refused with it.
        let is_few = name.matches('.').count() <= OBJECTS_DEPTH_MAX;
        match name.split_once('.').filter(|_| is_few) {
            None => merge_properties(&mut out, Map::from_iter([(name, definition)])),
            Some((outer, inner)) => {
                let inner = expanded(Map::from_iter([(inner.to_owned(), definition)]));
                merge_properties(
                    &mut out,
                    Map::from_iter([(outer.to_owned(), json!({"properties": inner}))]),
                );
            }
        }
    }
    out
}

fn merge_mappings(base: &mut Map<String, Value>, by: Map<String, Value>) {
    for (name, value) in by {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let entry = base.entry(name).or_insert_with(|| json!({}));
                if let Value::Object(present) = entry {
                    *present = expanded(std::mem::take(present));
                    merge_properties(present, expanded(properties));
                }
            }
            // The later templates come first, since the first that fits counts.
            ("dynamic_templates", Value::Array(mut later)) => {
                if let Some(Value::Array(present)) = base.get(&name) {
                    let names: Vec<&String> = later
                        .iter()
                        .filter_map(Value::as_object)
                        .flat_map(Map::keys)
                        .collect();
                    let others = present.iter().filter(|one| {
                        !one.as_object()
                            .is_some_and(|one| one.keys().any(|name| names.contains(&name)))
                    });
                    let others: Vec<Value> = others.cloned().collect();
                    later.extend(others);
                }
                base.insert(name, Value::Array(later));
            }
            (_, value) => drop(base.insert(name, value)),
        }
    }
}

fn merge_properties(base: &mut Map<String, Value>, by: Map<String, Value>) {
    for (name, definition) in by {
        match (
            base.get_mut(&name).and_then(|old| old.get_mut("properties")),
            definition,
        ) {
            (Some(Value::Object(present)), Value::Object(mut new)) if new.contains_key("properties") => {
                if let Some(Value::Object(inner)) = new.remove("properties") {
                    merge_properties(present, inner);
                }
                if let Some(Value::Object(old)) = base.get_mut(&name) {
                    old.extend(new);
                }
            }
            (_, definition) => drop(base.insert(name, definition)),
        }
    }
}

/// Aliases as they are kept: what routes both ways is said for each.
pub fn aliases(given: &Map<String, Value>) -> Result<Map<String, Value>> {
    let of = |(name, options): (&String, &Value)| Ok((name.clone(), Value::Object(alias(name, options)?)));
    given.iter().map(of).collect()
}

/// Refuses names that no alias can have.
fn check_alias_name(name: &str) -> Result<()> {
    let invalid = |why: &str| {
        let reason = format!("Invalid alias name [{name}]: {why}");
        ElasticError::new(
            http::StatusCode::BAD_REQUEST,
            "invalid_alias_name_exception",
            reason,
        )
    };
    if name.is_empty() {
        return Err(ElasticError::illegal("alias name is required"));
    }
    if name.chars().any(|c| "\\/*?\"<>| ,".contains(c)) {
        return Err(invalid(
            "must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]",
        ));
    }
    if let Some(c) = name.chars().find(|c| "#:".contains(*c)) {
        return Err(invalid(&format!("must not contain '{c}'")));
    }
    if name.starts_with(['_', '-', '+']) {
        return Err(invalid("must not start with '_', '-', or '+'"));
    }
    Ok(())
}

/// One alias as it is kept.
pub fn alias(name: &str, given: &Value) -> Result<Map<String, Value>> {
    check_alias_name(name)?;
    let mut alias = Map::new();
    let empty = Map::new();
    for (option, value) in given.as_object().unwrap_or(&empty) {
        match option.as_str() {
            "filter" if value.is_null() => {}
            "filter" => {
                search::parse_query(value).map_err(|error| {
                    ElasticError::illegal(format!("failed to parse filter for alias [{name}]"))
                        .because(error.into())
                })?;
                alias.insert(option.clone(), value.clone());
            }
            "routing" => {
                let routing = settings::text(value);
                alias.entry("index_routing").or_insert_with(|| routing.clone());
                alias.entry("search_routing").or_insert(routing);
            }
            "index_routing" | "index-routing" | "search_routing" | "search-routing" => {
                alias.insert(option.replace('-', "_"), settings::text(value));
            }
            "is_write_index" | "is_hidden" => {
                let written = || value.as_str().and_then(|text| text.parse().ok());
                let flag = value.as_bool().or_else(written).ok_or_else(|| {
                    ElasticError::parsing(format!("[{name}] failed to parse field [{option}]"))
                })?;
                alias.insert(option.clone(), Value::Bool(flag));
            }
            other => {
                return Err(ElasticError::parsing(format!(
                    "unknown field [{other}] of the alias [{name}]"
                )));
            }
        }
    }
    let is_several = |routing: &Value| routing.as_str().is_some_and(|routing| routing.contains(','));
    if alias.get("index_routing").is_some_and(is_several) {
        return Err(ElasticError::illegal(format!(
            "alias [{name}] has several index routing values associated with it"
        )));
    }
    Ok(alias)
}

impl Call {
    /// What templates say of an index of this name.
    pub async fn templated(&self, name: &str) -> Result<Definition> {
        if let Some((_, template)) = self.index_template_of(name).await? {
            return self.composed(&template).await;
        }
        let mut matching: Vec<(i64, Value)> = Vec::new();
        for (_, template) in self.kept(Family::Template).await? {
            if covers(&template, name) {
                let order = template.get("order").and_then(Value::as_i64).unwrap_or(0);
                matching.push((order, template));
            }
        }
        matching.sort_by_key(|(order, _)| *order);
        let mut whole = Definition::default();
        for (_, mut template) in matching {
            if let Value::Object(body) = &mut template {
                whole = whole.overridden(Definition::take(body)?);
            }
        }
        Ok(whole.named(name))
    }

    /// The composable template that an index of this name is made by.
    pub async fn index_template_of(&self, name: &str) -> Result<Option<(String, Value)>> {
        let all = self.kept(Family::IndexTemplate).await?;
        let matching = all.into_iter().filter(|(_, template)| covers(template, name));
        Ok(matching.max_by_key(|(_, template)| priority(template)))
    }

    /// What a composable template and its components say together.
    pub async fn composed(&self, template: &Value) -> Result<Definition> {
        self.composed_with(template, None).await
    }

    /// The same with a component, after its name, in the place of the one that is kept.
    pub async fn composed_with(&self, template: &Value, new: Option<(&str, &Value)>) -> Result<Definition> {
        let mut whole = Definition::default();
        for component in components(template) {
            let found = match new.filter(|(name, _)| *name == component) {
                Some((_, body)) => Some(body.clone()),
                None => self.kept_one(Family::ComponentTemplate, component).await?,
            };
            let mut body = found
                .as_ref()
                .and_then(|found| found.get("template")?.as_object().cloned());
            if let Some(body) = &mut body {
                whole = whole.overridden(Definition::take(body)?);
            }
        }
        if let Some(mut body) = template.get("template").and_then(|own| own.as_object().cloned()) {
            whole = whole.overridden(Definition::take(&mut body)?);
        }
        Ok(whole)
    }
}

impl Definition {
    /// Aliases may be named after the index.
    fn named(mut self, index: &str) -> Definition {
        let aliases = std::mem::take(&mut self.aliases);
        self.aliases = aliases
            .into_iter()
            .map(|(alias, options)| (alias.replace("{index}", index), options))
            .collect();
        self
    }
}

/// How much a composable template counts against others.
pub fn priority(template: &Value) -> i64 {
    template.get("priority").and_then(Value::as_i64).unwrap_or(0)
}

/// The components that a template is composed of.
pub fn components(template: &Value) -> impl Iterator<Item = &str> {
    let names = template.get("composed_of").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// The patterns of a template.
pub fn patterns(template: &Value) -> Vec<&str> {
    let patterns = template.get("index_patterns").and_then(Value::as_array);
    patterns.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether a template is for indices of this name.
pub fn covers(template: &Value, name: &str) -> bool {
    patterns(template)
        .iter()
        .any(|pattern| simple_match(pattern, name))
}

/// Whether two templates are for indices of one name.
pub fn overlap(a: &Value, b: &Value) -> bool {
    let common = |a: &&str, b: &&str| {
        simple_match(a, b) || simple_match(b, a) || {
            let head = |text: &str| text.split('*').next().unwrap_or_default().to_owned();
            let both_open = a.contains('*') && b.contains('*');
            both_open && (head(a).starts_with(&head(b)) || head(b).starts_with(&head(a)))
        }
    };
    patterns(a)
        .iter()
        .any(|one| patterns(b).iter().any(|other| common(one, other)))
}

/// Takes `names` apart and says whether `name` is one of them; patterns with `-` in front take away.
pub fn is_named(names: &str, name: &str) -> bool {
    let mut found = false;
    for pattern in names.split(',') {
        match pattern.strip_prefix('-') {
            Some(excluded) if simple_match(excluded, name) => found = false,
            _ => found |= pattern == "_all" || simple_match(pattern, name),
        }
    }
    found
}

/// An alias is to be written to several indices.
pub fn several_written(alias: &str, indices: &[String]) -> ElasticError {
    ElasticError::new(
        http::StatusCode::INTERNAL_SERVER_ERROR,
        "illegal_state_exception",
        format!(
            "alias [{alias}] has more than one write index [{}]",
            indices.join(",")
        ),
    )
}

fn is_written(options: &Value) -> bool {
    options.get("is_write_index").and_then(Value::as_bool) == Some(true)
}

/// Refuses a new index that an alias is written to which is written to another one.
pub fn check_write_index(call: &Call, index: &str, alias: &str, options: &Value) -> Result<()> {
    if !is_written(options) {
        return Ok(());
    }
    let others = names::with_alias(call, alias).into_iter();
    let mut indices = vec![index.to_owned()];
    indices.extend(
        others
            .filter(|(_, options)| is_written(options))
            .map(|(name, _)| name),
    );
    match indices.len() {
        1 => Ok(()),
        _ => Err(several_written(alias, &indices)),
    }
}

/// Refuses an alias that cannot be one of an index, since an index has its name.
pub fn check_alias(call: &Call, index: &str, alias: &str) -> Result<()> {
    let namespace = names::namespace(&call.server.engine, alias);
    match call.server.engine.collection_entry(&namespace) {
        None => Ok(()),
        Some(_) => {
            let reason = format!(
                "Invalid alias name [{alias}]: an index or data stream exists with the same name as the alias"
            );
            Err(ElasticError::new(
                http::StatusCode::BAD_REQUEST,
                "invalid_alias_name_exception",
                reason,
            )
            .with("index", index))
        }
    }
}
