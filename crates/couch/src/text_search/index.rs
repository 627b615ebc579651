//! A full-text index of a design document: which index function it has, and what that said of each document.
//!
//! Its rows are those of a view: the index function, wrapped, is a map function that emits once what `index` was told. So they
//! follow the log of changes, are in one commit with how far they reach, and go with their design document, as those of every view.

use super::analyzers::Analyzers;
use crate::database::Database;
use crate::design::Design;
use crate::error::{CouchError, Result};
use http::StatusCode;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use view::{Answer, Group, Query};

/// Makes map functions of index functions.
const WRAPPER: &str = include_str!("index_function.js");

/// The name of the one view that holds what the index function said.
const VIEW: &str = "said";

/// Which of CouchDB's two kinds of full-text indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `nouveau`.
    Nouveau,
    /// `indexes`, those of Clouseau.
    Search,
}

impl Form {
    pub(crate) const ALL: [Form; 2] = [Form::Nouveau, Form::Search];

    /// The member of design documents that defines them.
    fn member(self) -> &'static str {
        match self {
            Form::Nouveau => "nouveau",
            Form::Search => "indexes",
        }
    }

    /// The form of `index` that index functions call.
    fn name(self) -> &'static str {
        match self {
            Form::Nouveau => "nouveau",
            Form::Search => "search",
        }
    }
}

/// An index that is searched.
#[derive(Debug)]
pub(crate) struct TextIndex {
    pub(crate) group: Arc<Group>,
    pub(crate) analyzers: Analyzers,
}

impl TextIndex {
    /// The index of this name.
    pub(crate) async fn open(
        views: &view::Views,
        database: &Database,
        design: &Design,
        form: Form,
        name: &str,
    ) -> Result<TextIndex> {
        let index = design
            .body
            .get(form.member())
            .and_then(|indexes| indexes.get(name));
        let Some(index) = index else {
            return Err(CouchError::not_found(format!("{name} not found.")));
        };
        let source = index.get("index").and_then(Json::as_str).ok_or_else(|| {
            let reason = format!("index `{name}` must have parameter `index`");
            CouchError::new(StatusCode::BAD_REQUEST, "invalid_design_doc", reason)
        })?;
        let body = view_of(&design.body, form, source);
        let empty = Map::new();
        let options = index.as_object().unwrap_or(&empty);
        Ok(TextIndex {
            group: database.collection.view_group(views, &design.id, &body).await?,
            analyzers: match form {
                Form::Nouveau => Analyzers::of_nouveau(options),
                Form::Search => Analyzers::of_search(options),
            },
        })
    }

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
pub(crate) fn views_of(body: &Map<String, Json>) -> Vec<Map<String, Json>> {
    let indexes = Form::ALL.into_iter().flat_map(|form| {
        let indexes = body.get(form.member()).and_then(Json::as_object);
        indexes
            .into_iter()
            .flat_map(Map::values)
            .map(move |index| (form, index))
    });
    let source = |(form, index): (Form, &Json)| Some((form, index.get("index")?.as_str()?.to_owned()));
    indexes
        .filter_map(source)
        .map(|(form, source)| view_of(body, form, &source))
        .collect()
}

/// A design document with the index function as its one view. It has no `_id`, so that no view of the real one is answered from it.
fn view_of(body: &Map<String, Json>, form: Form, source: &str) -> Map<String, Json> {
    let map = WRAPPER.replace(
        "(SOURCE, FORM)",
        &format!("({}, {})", json!(source), json!(form.name())),
    );
    let mut view = Map::new();
    for name in ["language", "options"] {
        if let Some(value) = body.get(name) {
            view.insert(name.to_owned(), value.clone());
        }
    }
    view.insert("views".to_owned(), json!({VIEW: {"map": map}}));
    view
}
