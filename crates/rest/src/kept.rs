//! What is kept for the server as a whole, and not with one index: templates, pipelines, settings of the cluster.
//!
//! Each is a document of `admin.system.elastic`, with its JSON as a text, so that names with dots stay as they are.

use crate::call::Call;
use crate::limits::{KEPT_MAX, REVISIONS_KEPT};
use crate::server::Server;
use auth::{Action, Resource};
use engine::{
    Edit, EditOrigin, EditOutcome, Engine, Namespace, Order, PageLimit, Record, RevisionedCollection,
    Sequence,
};
use http::StatusCode;
use indices::error::{ElasticError, Result, kinds};
use indices::scripts::Prepared;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use value::{Document, DocumentBuf};

/// What a kept thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A template of indices of the old kind.
    Template,
    /// A composable template of indices.
    IndexTemplate,
    /// A part of composable templates.
    ComponentTemplate,
    /// Settings of the cluster.
    ClusterSettings,
    /// An ingest pipeline.
    Pipeline,
    /// A policy of lifecycles.
    Lifecycle,
    /// Whether lifecycles are carried out.
    LifecycleMode,
    /// A key by which a program asks.
    ApiKey,
    /// A script, or a template of searches.
    Script,
    /// The nodes that have no vote.
    VotingExclusions,
}

impl Family {
    fn prefix(self) -> &'static str {
        match self {
            Family::Template => "template",
            Family::IndexTemplate => "index_template",
            Family::ComponentTemplate => "component_template",
            Family::ClusterSettings => "cluster_settings",
            Family::Pipeline => "pipeline",
            Family::Lifecycle => "lifecycle",
            Family::LifecycleMode => "lifecycle_mode",
            Family::ApiKey => "api_key",
            Family::Script => "script",
            Family::VotingExclusions => "voting_exclusions",
        }
    }
}

type All = Arc<BTreeMap<String, Value>>;

/// What was read, and of which state of the collection.
#[derive(Debug, Default)]
pub struct Kept {
    read: Mutex<Option<([u8; 16], Sequence, All)>>,
    /// Held while something changes.
    change: tokio::sync::Mutex<()>,
}

fn namespace() -> Namespace {
    Namespace::new("admin", "system.elastic")
}

fn id(family: Family, name: &str) -> String {
    format!("{}/{name}", family.prefix())
}

impl Kept {
    async fn all(&self, engine: &Engine) -> Result<All> {
        let Some(collection) = engine.revisioned(&namespace())? else {
            return Ok(All::default());
        };
        let (uuid, head) = (collection.uuid(), collection.head());
        if let Some((known, at, all)) = &*self.read.lock()
            && *known == uuid
            && *at == head
        {
            return Ok(all.clone());
        }
        let all = Arc::new(read(&collection).await?);
        *self.read.lock() = Some((uuid, head, all.clone()));
        Ok(all)
    }
}

async fn read(collection: &RevisionedCollection) -> Result<BTreeMap<String, Value>> {
    let snapshot = collection.snapshot().await?;
    let (mut all, mut after) = (BTreeMap::new(), None);
    loop {
        let everything = (Bound::Unbounded, Bound::Unbounded);
        let limit = PageLimit::default();
        let (records, next) = snapshot
            .documents(everything, after.as_ref(), Order::Forward, limit)
            .await?;
        for record in &records {
            let document = record.document.as_raw();
            let text = |name: &str| document.get(name).and_then(value::ValueRef::as_str);
            if let (Some(id), Some(json)) = (text("_id"), text("json")) {
                all.insert(id.to_owned(), serde_json::from_str(json)?);
            }
        }
        match next {
            Some(next) => after = Some(next),
            None => return Ok(all),
        }
    }
}

/// One of a family, for those who are not asked by anybody yet.
pub async fn one(server: &Server, family: Family, name: &str) -> Result<Option<Value>> {
    let all = server.kept.all(&server.engine).await?;
    Ok(all.get(&id(family, name)).cloned())
}

impl Call {
    /// All of a family by their names, sorted.
    pub async fn kept(&self, family: Family) -> Result<Vec<(String, Value)>> {
        let all = self.server.kept.all(&self.server.engine).await?;
        let prefix = id(family, "");
        let named = all
            .iter()
            .filter_map(|(id, json)| Some((id.strip_prefix(&prefix)?.to_owned(), json.clone())));
        Ok(named.collect())
    }

    /// The source of a script, or of a template, in this language.
    pub async fn kept_script(&self, id: &str, language: &str) -> Result<String> {
        let kept = self.kept_one(Family::Script, id).await?;
        let kept = kept.filter(|script| script["lang"] == language);
        let source = kept.as_ref().and_then(|script| script["source"].as_str());
        source.map(str::to_owned).ok_or_else(|| {
            let reason = format!("unable to find script [{id}] in cluster state");
            ElasticError::new(StatusCode::NOT_FOUND, "resource_not_found_exception", reason)
        })
    }

    /// Reads the script that is kept and meant by this one, if one is.
    pub async fn fill_script(&self, script: Option<&mut Prepared>) -> Result<()> {
        if let Some(script) = script
            && let Some(id) = script.kept()
        {
            script.fill(self.kept_script(&id, "painless").await?)?;
        }
        Ok(())
    }

    /// One of a family.
    pub async fn kept_one(&self, family: Family, name: &str) -> Result<Option<Value>> {
        one(&self.server, family, name).await
    }

    /// The settings of the cluster of a kind, by their whole names.
    pub async fn cluster_settings(&self, kind: &str) -> Result<Map<String, Value>> {
        let found = self.kept_one(Family::ClusterSettings, kind).await?;
        Ok(found
            .and_then(|found| found.as_object().cloned())
            .unwrap_or_default())
    }

    /// These settings of the cluster, as far as they were given.
    pub async fn cluster_settings_named<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<String>; N]> {
        let mut found = [const { None }; N];
        for kind in ["transient", "persistent"] {
            let mut all = self.cluster_settings(kind).await?;
            for (found, name) in found.iter_mut().zip(names) {
                if let (None, Some(Value::String(text))) = (&found, all.remove(name)) {
                    *found = Some(text);
                }
            }
        }
        Ok(found)
    }

    /// A setting of the cluster, if it was given.
    pub async fn cluster_setting(&self, name: &str) -> Result<Option<String>> {
        let [found] = self.cluster_settings_named([name]).await?;
        Ok(found)
    }

    /// Refuses a user who may not change what the whole server has.
    pub fn require_server(&self) -> Result<()> {
        let may = |privileges: &auth::Privileges| privileges.allows(Action::SetParameter, Resource::Cluster);
        match self.privileges.as_ref().is_none_or(may) {
            true => Ok(()),
            false => Err(ElasticError::new(
                StatusCode::FORBIDDEN,
                "security_exception",
                "the user may not change what belongs to the whole server (it needs the action setParameter); ask for a role that allows it",
            )),
        }
    }

    /// Keeps something in place of what has its name; with `None`, forgets that.
    pub async fn keep(&self, family: Family, name: &str, json: Option<&Value>) -> Result<()> {
        self.require_server()?;
        self.keep_own(family, name, json).await
    }

    /// The same for what a user may keep of his own.
    pub async fn keep_own(&self, family: Family, name: &str, json: Option<&Value>) -> Result<()> {
        let engine = &self.server.engine;
        let _changing = self.server.kept.change.lock().await;
        if json.is_some() && self.server.kept.all(engine).await?.len() >= KEPT_MAX {
            return Err(ElasticError::illegal(format!(
                "there are {KEPT_MAX} templates and pipelines already, which is the limit"
            )));
        }
        if engine.revisioned(&namespace())?.is_none() {
            engine
                .create_revisioned(&namespace(), REVISIONS_KEPT, false)
                .await?;
        }
        let missing = || ElasticError::no_index("admin.system.elastic");
        let collection = engine.revisioned(&namespace())?.ok_or_else(missing)?;
        let mut document = Document::new().with("_id", id(family, name));
        let present = collection.snapshot().await?;
        let present = present
            .document(value::Value::from(id(family, name)).as_ref())
            .await?;
        if let Some(json) = json {
            document.push("json", json.to_string());
        } else if present.is_none() {
            return Ok(());
        }
        let edit = Edit {
            document: DocumentBuf::from(&document),
            deleted: json.is_none(),
            origin: EditOrigin::After(present.as_ref().map(Record::revision)),
        };
        match collection.edit(vec![edit], true).await?.pop() {
            Some(EditOutcome::Written(_)) => Ok(()),
            Some(EditOutcome::Refused(error)) => Err(error.into()),
            Some(EditOutcome::Conflict) | None => {
                let reason = format!("[{name}] is changed by somebody else; try again");
                Err(ElasticError::new(StatusCode::CONFLICT, kinds::CONFLICT, reason))
            }
        }
    }
}
