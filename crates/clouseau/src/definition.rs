//! A full-text index of a design document: which index function it has, and what that said of each document.
//!
//! Its rows are those of a view: the index function, wrapped, is a map function that emits once what `index` was told. So they
//! follow the log of changes, are in one commit with how far they reach, and go with their design document, as those of every view.

use crate::analyzers::Analyzers;
use crate::error::{Error, Result};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use view::{Answer, Group, Query};

/// Makes map functions of index functions.
const WRAPPER: &str = include_str!("index_function.js");

/// The index function of text indexes of Mango, which have a definition instead of one.
const MANGO_FUNCTION: &str = include_str!("mango_function.js");

/// The name of the one view that holds what the index function said.
const VIEW: &str = "said";

/// Which of CouchDB's two kinds of full-text indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `nouveau`.
    Nouveau,
    /// `indexes`, those of Clouseau.
    Search,
}

impl Form {
    const ALL: [Form; 2] = [Form::Nouveau, Form::Search];

    /// The member of design documents that defines them.
    fn member(self) -> &'static str {
        match self {
            Form::Nouveau => "nouveau",
            Form::Search => "indexes",
        }
    }
}

/// An index as its design document defines it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The design document, as views have it, whose one view is the index.
    pub view: Map<String, Json>,
    /// How its fields are cut.
    pub analyzers: Analyzers,
}

impl Definition {
    /// The index of this name of a design document.
    pub fn of(design: &Map<String, Json>, form: Form, name: &str) -> Result<Definition> {
        let index = design.get(form.member()).and_then(|indexes| indexes.get(name));
        let index = index.ok_or_else(|| Error::NotFound(format!("{name} not found.")))?;
        let view = view_of(design, form, index)
            .ok_or_else(|| Error::InvalidDesign(format!("index `{name}` must have parameter `index`")))?;
        let empty = Map::new();
        let options = index.as_object().unwrap_or(&empty);
        Ok(Definition {
            view,
            analyzers: match (form, options.get("index")) {
                (Form::Nouveau, Some(Json::Object(_))) => Analyzers::of_mango_nouveau(options),
                (Form::Nouveau, _) => Analyzers::of_nouveau(options),
                (Form::Search, _) => Analyzers::of_search(options),
            },
        })
    }
}

/// An index that is searched.
#[derive(Debug)]
pub struct TextIndex {
    /// The view that holds its rows.
    pub group: Arc<Group>,
    /// How its fields are cut.
    pub analyzers: Analyzers,
}

impl TextIndex {
    /// What the index function said of each document (of a partition), in the order of their ids.
    pub(crate) async fn rows(&self, partition: Option<&str>) -> Result<Answer> {
        let query = Query {
            partition: partition.map(str::to_owned),
            reduce: Some(false),
            ..Query::default()
        };
        Ok(self.group.query(VIEW, query).await?)
    }
}

/// The design documents, as views have them, of the indexes of a design document.
pub fn views_of(design: &Map<String, Json>) -> Vec<Map<String, Json>> {
    let indexes = Form::ALL.into_iter().flat_map(|form| {
        let indexes = design.get(form.member()).and_then(Json::as_object);
        indexes
            .into_iter()
            .flat_map(Map::values)
            .map(move |index| (form, index))
    });
    indexes
        .filter_map(|(form, index)| view_of(design, form, index))
        .collect()
}

/// A design document with the index function as its one view. It has no `_id`, so that no view of the real one is answered from it.
fn view_of(design: &Map<String, Json>, form: Form, index: &Json) -> Option<Map<String, Json>> {
    let (source, form, is_function) = match (index.get("index")?, form) {
        (Json::String(source), Form::Nouveau) => (source.clone(), "nouveau", true),
        (Json::String(source), Form::Search) => (source.clone(), "search", true),
        (Json::Object(definition), _) => (mango_function(definition), "mango", false),
        _ => return None,
    };
    let map = WRAPPER.replace("(SOURCE, FORM)", &format!("({}, {})", json!(source), json!(form)));
    let mut view = Map::new();
    // The language of what Mango defines is that of its selectors.
    let language = design.get("language").filter(|_| is_function);
    for (name, value) in [("language", language), ("options", design.get("options"))] {
        if let Some(value) = value {
            view.insert(name.to_owned(), value.clone());
        }
    }
    view.insert("views".to_owned(), json!({VIEW: {"map": map}}));
    Some(view)
}

fn mango_function(definition: &Map<String, Json>) -> String {
    let has_default = match definition.get("default_field") {
        Some(Json::Bool(enabled)) => *enabled,
        Some(options) => options.get("enabled") != Some(&Json::Bool(false)),
        None => true,
    };
    let options = json!({
        "fields": definition.get("fields").filter(|fields| fields.is_array()),
        "hasDefault": has_default,
        "hasLengths": definition.get("index_array_lengths") != Some(&Json::Bool(false)),
    });
    MANGO_FUNCTION.replace("= DEFINITION;", &format!("= {options};"))
}
