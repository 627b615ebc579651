//! Design documents: which views they define.
//!
//! All views of one design document are one group: one pass over the changes fills them. The group's
//! [`Definition::signature`] covers what its rows depend on and nothing else, so a design document whose views did not
//! change keeps its index, and two that define the same views share it.

mod check;

pub use check::check;

use crate::key::Collation;
use crate::reduce::{Function, Reducer};
use crate::{Error, Program, Result, ScriptLimits, Sources};
use memory::Budget;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The views of one design document, compiled as far as the program goes.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The design document's id.
    pub id: String,
    /// 32 hex digits.
    pub signature: String,
    /// The language that the design document names.
    pub language: String,
    /// Whether map functions see design documents.
    pub include_design: bool,
    /// Whether rows are kept and asked for partition by partition.
    pub partitioned: bool,
    /// Whether map functions see `_local_seq`.
    pub local_sequence: bool,
    /// The views, one for each different map function.
    pub views: Vec<View>,
    /// What runs map and reduce functions.
    pub program: Arc<Program>,
}

/// The rows of one map function, with the reductions that are kept of them.
#[derive(Clone, Debug)]
pub struct View {
    /// The order of its rows.
    pub collation: Collation,
    /// The names under which it has no reduction, and those that have one: the reducer's place.
    pub names: BTreeMap<String, Option<usize>>,
    /// The reduce functions.
    pub reducers: Vec<Reducer>,
}

/// The language of design documents that is run.
const JAVASCRIPT: &str = "javascript";

/// The language that a design document names; refused unless it is one that is run.
pub fn check_language(body: &Map<String, Value>) -> Result<&str> {
    match body.get("language").and_then(Value::as_str) {
        None | Some(JAVASCRIPT) => Ok(JAVASCRIPT),
        Some(other) => Err(Error::InvalidDesign(format!("unknown_query_language: {other}"))),
    }
}

/// Map source and options: what makes rows the same.
type MapKey = (String, String);

impl Definition {
    /// Reads a design document of a collection that has partitions or not. Its views are `partitioned` where the
    /// collection is, unless its options say otherwise (`couch_mrview_index:set_partitioned`).
    pub fn parse(
        id: &str,
        body: &Map<String, Value>,
        partitioned: bool,
        limits: ScriptLimits,
        memory: &Budget,
    ) -> Result<Definition> {
        let language = check_language(body)?;
        let empty = Map::new();
        let object = |name: &str| body.get(name).and_then(Value::as_object).unwrap_or(&empty);
        let (views, options) = (object("views"), object("options"));
        let mut distinct: BTreeMap<MapKey, BTreeMap<String, Option<String>>> = BTreeMap::new();
        for (name, view) in views {
            let Some(map) = view.get("map").and_then(Value::as_str) else {
                continue;
            };
            let options = view.get("options").map_or_else(|| "{}".to_owned(), sorted);
            let reduce = view.get("reduce").and_then(Value::as_str).map(str::to_owned);
            distinct
                .entry((map.to_owned(), options))
                .or_default()
                .insert(name.clone(), reduce);
        }
        let library = views.get("lib").map_or_else(|| "{}".to_owned(), sorted);
        let partitioned = partitioned && options.get("partitioned") != Some(&Value::Bool(false));
        let shown = sorted(&Value::Object(options.clone()));
        let signature = signature(&distinct, &shown, &library, partitioned);
        let mut sources = Sources {
            name: id.to_owned(),
            design: format!(r#"{{"views":{{"lib":{library}}}}}"#),
            ..Sources::default()
        };
        let drafts = distinct.iter().map(|one| draft(one, &mut sources));
        let drafts = drafts.collect::<Result<Vec<(View, Vec<String>)>>>()?;
        let program = Arc::new(Program::new(sources, limits, memory.clone()));
        let flag = |name: &str| options.get(name) == Some(&Value::Bool(true));
        Ok(Definition {
            id: id.to_owned(),
            signature,
            language: language.to_owned(),
            // They are in no partition.
            include_design: flag("include_design") && !partitioned,
            partitioned,
            local_sequence: flag("local_seq"),
            views: drafts
                .into_iter()
                .map(|(view, names)| finished(view, names, id, &program))
                .collect(),
            program,
        })
    }

    /// The place of the view of this name, and its reducer's place there.
    pub fn view(&self, name: &str) -> Option<(usize, Option<usize>)> {
        let found = |(at, view): (usize, &View)| view.names.get(name).map(|reducer| (at, *reducer));
        self.views.iter().enumerate().find_map(found)
    }
}

/// A view whose reducers have no names yet; those follow.
fn draft(
    ((map, options), names): (&MapKey, &BTreeMap<String, Option<String>>),
    sources: &mut Sources,
) -> Result<(View, Vec<String>)> {
    sources.maps.push(map.clone());
    let options: Value = serde_json::from_str(options).unwrap_or_default();
    let mut view = View {
        collation: if options.get("collation").and_then(Value::as_str) == Some("raw") {
            Collation::Raw
        } else {
            Collation::Unicode
        },
        names: BTreeMap::new(),
        reducers: Vec::new(),
    };
    let mut reducer_names = Vec::new();
    for (name, reduce) in names {
        let mut place = None;
        if let Some(source) = reduce {
            let function = Function::built_in(source)?.unwrap_or_else(|| {
                sources.reduces.push(source.clone());
                Function::Script(sources.reduces.len() - 1)
            });
            place = Some(view.reducers.len());
            view.reducers.push(Reducer {
                function,
                name: String::new(),
                program: None,
            });
            reducer_names.push(name.clone());
        }
        view.names.insert(name.clone(), place);
    }
    Ok((view, reducer_names))
}

fn finished(mut view: View, names: Vec<String>, id: &str, program: &Arc<Program>) -> View {
    for (reducer, name) in view.reducers.iter_mut().zip(names) {
        reducer.name = format!("{id}/_view/{name}");
        if matches!(reducer.function, Function::Script(_)) {
            reducer.program = Some(program.clone());
        }
    }
    view
}

/// A digest of all that rows and reductions depend on, and of the version of the collation that orders them.
fn signature(
    views: &BTreeMap<MapKey, BTreeMap<String, Option<String>>>,
    options: &str,
    library: &str,
    partitioned: bool,
) -> String {
    let version = value::collation::VERSION;
    let form = if partitioned { " partitioned" } else { "" };
    let text = format!("{version} {options} {library} {views:?}{form}");
    let hash = blake3::hash(text.as_bytes());
    hash.to_hex()[..32].to_owned()
}

/// The text of a value whose objects have their fields sorted by name.
fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}
