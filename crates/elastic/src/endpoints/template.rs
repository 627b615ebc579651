//! Templates of indices: `_template`, `_index_template`, `_component_template`.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use indices::settings;
use rest::call::Call;
use rest::definition::{Definition, components, covers, overlap, patterns, priority};
use rest::kept::Family;
use rest::listed::is_listed_or_all;
use rest::respond::{self, Answer, acknowledged, exists, ok};
use search::{Analysis, Mapping};
use serde_json::{Map, Value, json};

/// `/_template/{name}` and its kin.
pub(crate) async fn run(call: &mut Call, family: Family, name: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), name) {
        (Method::GET, name) => get(call, family, name).await,
        (Method::HEAD, Some(name)) => head(call, family, name).await,
        (Method::PUT | Method::POST, Some(name)) => put(call, family, name).await,
        (Method::DELETE, Some(name)) => delete(call, family, name).await,
        _ => Err(call.not_allowed("DELETE, GET, HEAD, POST, PUT")),
    }
}

/// The name of what is listed, and how one of the list is called.
fn names(family: Family) -> (&'static str, &'static str) {
    match family {
        Family::ComponentTemplate => ("component_templates", "component_template"),
        _ => ("index_templates", "index_template"),
    }
}

/// What is asked for is not there.
fn not_found(family: Family, name: &str) -> ElasticError {
    let what = match family {
        Family::ComponentTemplate => "component",
        _ => "index",
    };
    let reason = format!("{what} template matching [{name}] not found");
    ElasticError::new(StatusCode::NOT_FOUND, "resource_not_found_exception", reason)
}

/// What is to go is not there.
fn missing(name: &str) -> ElasticError {
    let reason = format!("index_template [{name}] missing");
    ElasticError::new(StatusCode::NOT_FOUND, "index_template_missing_exception", reason)
}

fn is_wanted(names: Option<&str>, name: &str) -> bool {
    names.is_none_or(|names| is_listed_or_all(names, name))
}

async fn get(call: &mut Call, family: Family, wanted: Option<&str>) -> Result<Answer> {
    let flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters.end_without(&["local", "master_timeout"])?;
    let mut found = Vec::new();
    for (name, template) in call.kept(family).await? {
        if is_wanted(wanted, &name) {
            found.push((name, shown(family, template, flat, typed)?));
        }
    }
    // A name and a pattern that no template has are not found, but a list of all may be empty.
    let status = match found.is_empty() && wanted.is_some() {
        true => StatusCode::NOT_FOUND,
        false => StatusCode::OK,
    };
    if family == Family::Template {
        return Ok(respond::json(status, Value::Object(found.into_iter().collect())));
    }
    if let Some(wanted) = wanted.filter(|wanted| found.is_empty() && !wanted.contains('*')) {
        return Err(not_found(family, wanted));
    }
    let (list, one) = names(family);
    let listed: Vec<Value> = found
        .into_iter()
        .map(|(name, template)| json!({"name": name, one: template}))
        .collect();
    Ok(respond::json(status, json!({list: listed})))
}

fn shown(family: Family, mut template: Value, flat: bool, typed: bool) -> Result<Value> {
    let Value::Object(body) = &mut template else {
        return Ok(template);
    };
    if family == Family::Template {
        let definition = Definition::take(body)?;
        let mut mappings = definition.mappings.clone();
        if typed && !mappings.is_empty() {
            mappings = Map::from_iter([("_doc".to_owned(), Value::Object(mappings))]);
        }
        let mut out = definition.to_json(flat);
        out.entry("settings").or_insert_with(|| json!({}));
        out.insert("mappings".to_owned(), Value::Object(mappings));
        out.entry("aliases").or_insert_with(|| json!({}));
        body.extend(out);
    } else if let Some(Value::Object(inner)) = body.get_mut("template") {
        let definition = Definition::take(inner)?;
        body.insert("template".to_owned(), Value::Object(definition.to_json(flat)));
    }
    Ok(template)
}

async fn head(call: &mut Call, family: Family, wanted: &str) -> Result<Answer> {
    call.parameters
        .end_without(&["local", "master_timeout", "flat_settings"])?;
    let all = call.kept(family).await?;
    Ok(exists(all.iter().any(|(name, _)| is_wanted(Some(wanted), name))))
}

async fn delete(call: &mut Call, family: Family, wanted: &str) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let all = call.kept(family).await?;
    let found: Vec<String> = all
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| is_wanted(Some(wanted), name))
        .collect();
    if found.is_empty() && wanted != "*" {
        return Err(missing(wanted));
    }
    match family {
        Family::ComponentTemplate => refuse_used(call, &found).await?,
        Family::IndexTemplate => refuse_with_streams(call, &found).await?,
        _ => {}
    }
    for name in found {
        call.keep(family, &name, None).await?;
    }
    Ok(acknowledged())
}

/// A component that a template is composed of stays.
async fn refuse_used(call: &Call, removed: &[String]) -> Result<()> {
    for (template, body) in call.kept(Family::IndexTemplate).await? {
        for component in components(&body) {
            if removed.iter().any(|name| name == component) {
                return Err(ElasticError::illegal(format!(
                    "component templates [{component}] cannot be removed as they are still in use by index templates [{template}]"
                )));
            }
        }
    }
    Ok(())
}

/// A template that data streams were made by stays.
async fn refuse_with_streams(call: &Call, removed: &[String]) -> Result<()> {
    let mut streams: Vec<String> = Vec::new();
    for name in removed {
        let template = call.kept_one(Family::IndexTemplate, name).await?;
        let all = call.streams().into_iter().map(|(stream, _)| stream);
        streams
            .extend(all.filter(|stream| template.as_ref().is_some_and(|template| covers(template, stream))));
    }
    streams.sort();
    streams.dedup();
    match streams.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::illegal(format!(
            "unable to remove composable templates [{}] as they are in use by a data streams [{}]",
            removed.join(", "),
            streams.join(", ")
        ))),
    }
}

async fn put(call: &mut Call, family: Family, name: &str) -> Result<Answer> {
    let creates = call.parameters.flag("create")?.unwrap_or(false);
    let order = call.parameters.integer("order")?;
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters
        .end_without(&["timeout", "master_timeout", "cause"])?;
    let mut body = call.required_object()?;
    if let Some(order) = order {
        body.insert("order".to_owned(), json!(order));
    }
    let template = parse(call, family, name, body, typed).await?;
    if creates && call.kept_one(family, name).await?.is_some() {
        let what = match family {
            Family::Template => "index_template",
            Family::ComponentTemplate => "component template",
            _ => "index template",
        };
        return Err(ElasticError::illegal(format!("{what} [{name}] already exists")));
    }
    call.keep(family, name, Some(&template)).await?;
    Ok(acknowledged())
}

/// A template as it is kept; a wrong one is refused now, and not when an index is made by it.
async fn parse(
    call: &Call,
    family: Family,
    name: &str,
    mut body: Map<String, Value>,
    typed: bool,
) -> Result<Value> {
    let mut kept = Map::new();
    if family == Family::Template {
        name_patterns(&mut body);
    }
    if family != Family::ComponentTemplate {
        let patterns = take_patterns(&mut body)?;
        kept.insert("index_patterns".to_owned(), patterns);
    }
    for (known, allowed) in [
        ("order", family == Family::Template),
        ("version", true),
        ("priority", family == Family::IndexTemplate),
        ("composed_of", family == Family::IndexTemplate),
        ("_meta", family != Family::Template),
    ] {
        if let Some(value) = body.shift_remove(known).filter(|_| allowed) {
            kept.insert(known.to_owned(), value);
        }
    }
    if let Some(stream) = take_stream(family, &mut body)? {
        kept.insert("data_stream".to_owned(), stream);
    }
    let mut definition = match (family, body.shift_remove("template")) {
        (Family::Template, Some(_)) => {
            return Err(ElasticError::parsing("unknown key [template] in the template "));
        }
        (Family::Template, None) => Definition::take(&mut body)?,
        (_, Some(Value::Object(mut inner))) => {
            let definition = Definition::take(&mut inner)?;
            refuse_rest(&inner)?;
            definition
        }
        (Family::ComponentTemplate, _) => return Err(ElasticError::illegal("Required [template]")),
        _ => Definition::default(),
    };
    refuse_rest(&body)?;
    definition.untype(typed)?;
    check(&definition)?;
    if family == Family::Template {
        kept.entry("order").or_insert_with(|| json!(0));
        kept.extend(definition.to_json(false));
        return Ok(Value::Object(kept));
    }
    kept.insert("template".to_owned(), Value::Object(definition.to_json(false)));
    let template = Value::Object(kept);
    match family {
        Family::ComponentTemplate => check_users(call, name, &template).await?,
        _ => check_index_template(call, name, &template).await?,
    }
    Ok(template)
}

/// Gives the pattern of an old template, of which there was one, today's name: clients of earlier times still call it `template`, as
/// Elasticsearch allows until 8.
fn name_patterns(body: &mut Map<String, Value>) {
    if let Some(pattern) = body.get("template").filter(|given| given.is_string()).cloned() {
        body.shift_remove("template");
        body.entry("index_patterns").or_insert(pattern);
    }
}

/// The patterns of the indices that are made by a template; it must have some.
fn take_patterns(body: &mut Map<String, Value>) -> Result<Value> {
    let given = match body.shift_remove("index_patterns") {
        Some(Value::String(pattern)) => vec![json!(pattern)],
        Some(Value::Array(patterns)) => patterns,
        _ => Vec::new(),
    };
    match given.is_empty() {
        true => Err(ElasticError::validation(&[
            "index patterns are missing".to_owned()
        ])),
        false => Ok(Value::Array(given)),
    }
}

/// What says that data streams are made by a template, if it says so.
fn take_stream(family: Family, body: &mut Map<String, Value>) -> Result<Option<Value>> {
    match body.shift_remove("data_stream") {
        None => Ok(None),
        Some(Value::Object(options)) if family == Family::IndexTemplate => {
            // Some clients say that it is not hidden.
            let mut options = options.iter();
            match options.find(|(name, value)| *name != "hidden" || *value != &json!(false)) {
                None => Ok(Some(json!({}))),
                Some((other, _)) => Err(ElasticError::unsupported(format!(
                    "[{other}] of the [data_stream] of a template"
                ))),
            }
        }
        Some(_) => Err(ElasticError::parsing(
            "unknown key [data_stream] in the template ",
        )),
    }
}

fn refuse_rest(body: &Map<String, Value>) -> Result<()> {
    match body.keys().next() {
        None => Ok(()),
        Some(other) => Err(ElasticError::parsing(format!(
            "unknown key [{other}] in the template "
        ))),
    }
}

/// Refuses what no index can have.
fn check(definition: &Definition) -> Result<()> {
    let analysis = settings::analysis(&definition.settings)?;
    // An analyzer may be of another template; then it is known when an index is made.
    if !definition.settings.contains_key("analysis") && definition.mappings.values().any(names_analyzer) {
        return Ok(());
    }
    check_mapping(definition, analysis)
}

/// The same of a definition that nothing is added to.
fn check_whole(definition: &Definition) -> Result<()> {
    settings::normalized(&definition.settings)?;
    check_mapping(definition, settings::analysis(&definition.settings)?)
}

fn check_mapping(definition: &Definition, analysis: Analysis) -> Result<()> {
    let given = Value::Object(definition.mappings.clone());
    let rules = settings::mapping_rules(&definition.settings)?;
    Mapping::of(&given, analysis, rules)?.check_given(&given)?;
    Ok(())
}

fn names_analyzer(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(name, value)| {
            matches!(name.as_str(), "analyzer" | "normalizer" | "search_analyzer") || names_analyzer(value)
        }),
        Value::Array(list) => list.iter().any(names_analyzer),
        _ => false,
    }
}

fn invalid(name: &str, why: &str) -> ElasticError {
    let reason = format!("index_template [{name}] invalid, cause [{why}]");
    ElasticError::new(
        StatusCode::BAD_REQUEST,
        "invalid_index_template_exception",
        reason,
    )
}

/// Refuses components that are not there, and hidden indices of every name.
async fn check_components(call: &Call, name: &str, template: &Value) -> Result<()> {
    let mut absent = Vec::new();
    for component in components(template) {
        let found = call.kept_one(Family::ComponentTemplate, component).await?;
        if found.is_none() {
            absent.push(component);
        }
    }
    if !absent.is_empty() {
        let why = format!(
            "index template [{name}] specifies component templates [{}] that do not exist",
            absent.join(", ")
        );
        return Err(invalid(name, &why));
    }
    let is_global = patterns(template).contains(&"*");
    match is_global && call.composed(template).await?.settings.contains_key("hidden") {
        true => Err(invalid(
            name,
            "global composable templates may not specify the setting index.hidden",
        )),
        false => Ok(()),
    }
}

async fn check_index_template(call: &Call, name: &str, template: &Value) -> Result<()> {
    check_components(call, name, template).await?;
    for (other, present) in call.kept(Family::IndexTemplate).await? {
        if other != name && priority(&present) == priority(template) && overlap(&present, template) {
            return Err(ElasticError::illegal(format!(
                "index template [{name}] has index patterns [{}] matching patterns from existing templates [{other}] with patterns \
                 ({other} => [{}]) that have the same priority [{}], multiple index templates may not match during index creation, \
                 please use a different priority",
                patterns(template).join(", "),
                patterns(&present).join(", "),
                priority(template)
            )));
        }
    }
    check_composed(call, name, template).await
}

/// Refuses a template that says together with its components what no index can have.
async fn check_composed(call: &Call, name: &str, template: &Value) -> Result<()> {
    let whole = call.composed(template).await?;
    check_whole(&whole).map_err(|error| {
        let names: Vec<&str> = components(template).collect();
        let with = match names.is_empty() {
            true => String::new(),
            false => format!("with component templates [{}] ", names.join(", ")),
        };
        ElasticError::illegal(format!(
            "composable template [{name}] template after composition {with}is invalid"
        ))
        .because(error)
    })
}

/// Refuses a component with which a template that is composed of it says what no index can have.
async fn check_users(call: &Call, name: &str, component: &Value) -> Result<()> {
    for (template, body) in call.kept(Family::IndexTemplate).await? {
        if !components(&body).any(|used| used == name) {
            continue;
        }
        let whole = call.composed_with(&body, Some((name, component))).await?;
        check_whole(&whole).map_err(|error| {
            ElasticError::illegal(format!(
                "updating component template [{name}] results in invalid composable template [{template}] after templates are merged"
            ))
            .because(error)
        })?;
    }
    Ok(())
}

/// The template in the body of a request to simulate; empty where it has none.
fn simulation(call: &mut Call) -> Result<Map<String, Value>> {
    call.only(&[Method::POST])?;
    call.parameters
        .end_without(&["create", "cause", "master_timeout"])?;
    call.object()
}

/// `_index_template/_simulate_index/{name}`: what an index of this name would be made of.
pub(crate) async fn simulate_index(call: &mut Call, name: &str) -> Result<Answer> {
    let body = simulation(call)?;
    let own = match body.is_empty() {
        true => None,
        false => Some(parse(call, Family::IndexTemplate, "_simulated", body, false).await?),
    };
    let (used, template) = match own.filter(|own| covers(own, name)) {
        Some(own) => ("_simulated".to_owned(), own),
        None => match call.index_template_of(name).await? {
            Some(found) => found,
            None => return Ok(ok(json!({}))),
        },
    };
    simulated(call, &used, &template).await
}

/// `_index_template/_simulate/{name}`: what a template gives.
pub(crate) async fn simulate(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    let body = simulation(call)?;
    let used = name.unwrap_or("_simulated").to_owned();
    let template = match (body.is_empty(), name) {
        (false, _) => parse(call, Family::IndexTemplate, &used, body, false).await?,
        (true, Some(name)) => {
            let found = call.kept_one(Family::IndexTemplate, name).await?;
            found.ok_or_else(|| {
                ElasticError::illegal(format!(
                    "unable to simulate template [{name}] that does not exist"
                ))
            })?
        }
        (true, None) => {
            return Err(ElasticError::illegal(
                "a template name to match or a new template body must be specified",
            ));
        }
    };
    simulated(call, &used, &template).await
}

async fn simulated(call: &Call, used: &str, template: &Value) -> Result<Answer> {
    let whole = call.composed(template).await?;
    let mut overlapping = Vec::new();
    for family in [Family::Template, Family::IndexTemplate] {
        for (name, other) in call.kept(family).await? {
            let is_other = family == Family::Template || name != used;
            if is_other && overlap(&other, template) {
                overlapping.push(json!({"name": name, "index_patterns": patterns(&other)}));
            }
        }
    }
    let shown = json!({
        "settings": {"index": whole.settings}, "mappings": whole.mappings, "aliases": whole.aliases,
    });
    Ok(ok(json!({"template": shown, "overlapping": overlapping})))
}
