//! Finds indices by their names, creates them from requests and templates, and drops them.

use crate::call::Call;
use crate::definition::{Definition, check_alias, check_write_index};
use crate::limits::REVISIONS_KEPT;
use crate::names;
use auth::Action;
use engine::Sequence;
use indices::auto_create;
use indices::error::{ElasticError, Result, kinds};
use indices::{Index, Present, index_sort, settings};
use search::Mapping;
use search::shard_counts::Counts;
use serde_json::Value;
use std::sync::Arc;

impl Call {
    /// The index of this name, if the user may do this with it.
    pub fn index(&self, name: &str, action: Action) -> Result<Index> {
        let namespace = names::namespace(&self.server.engine, name);
        self.require(action, &namespace)?;
        let collection = match namespace.is_shown_everywhere() {
            true => self.server.engine.revisioned(&namespace)?,
            false => None,
        };
        // What is asked of one index alone names it otherwise than what resolves expressions.
        let missing = || ElasticError::no_index(name).with("resource.type", "index_expression");
        let collection = collection.ok_or_else(missing)?;
        self.server.indices.index(name, namespace, collection)
    }

    /// The index of this name or alias, to read or write documents of it: an open one.
    pub fn open_index(&self, name: &str, action: Action) -> Result<Index> {
        let writes = action != Action::Find;
        let index = match self.index(name, action) {
            Err(error) if error.kind == kinds::NO_INDEX => match names::aliased(self, name, writes)? {
                Some(concrete) => self.index(&concrete, action)?,
                None => return Err(error),
            },
            found => found?,
        };
        match index.is_closed() {
            true => Err(ElasticError::closed(&index.name)),
            false => match settings::blocks(&index.given_settings(), writes) {
                None => Ok(index),
                Some(block) => Err(ElasticError::blocked(&index.name, block)),
            },
        }
    }

    /// The index of this name or alias, to write documents to it; one that does not exist is made, as a write makes it.
    pub async fn index_for_writing(&self, name: &str, action: Action) -> Result<Index> {
        match self.open_index(name, action) {
            Err(error) if error.kind == kinds::NO_INDEX => {
                if let Some(setting) = self.cluster_setting(auto_create::SETTING).await? {
                    auto_create::check(&setting, name)?;
                }
                let made = match self.is_stream_by_template(name).await? {
                    true => self.create_stream(name).await,
                    false => self.create_index(name, Definition::default()).await,
                };
                match made {
                    Ok(_) => {}
                    // Another one has made it meanwhile.
                    Err(error) if error.kind == kinds::EXISTS => {}
                    Err(error) => return Err(error),
                }
                self.open_index(name, action)
            }
            found => found,
        }
    }

    /// Makes an index of what is given and what templates say.
    pub async fn create_index(&self, name: &str, given: Definition) -> Result<Index> {
        self.create_rolled(name, given, None).await
    }

    /// The same of an index to which an alias rolls over.
    pub async fn create_rolled(&self, name: &str, given: Definition, rolled: Option<&str>) -> Result<Index> {
        names::check(name)?;
        if self.is_stream_by_template(name).await? {
            return Err(ElasticError::illegal(format!(
                "cannot create index with name [{name}], because it matches with a template that creates data streams only, use create data \
                 stream api instead"
            )));
        }
        let whole = self.templated(name).await?.overridden(given);
        self.create_index_of(name, whole, rolled).await
    }

    /// Makes an index of this and nothing else. `rolled` is an alias that is written to it from now on, and no more to the index
    /// that it is written to now.
    pub async fn create_index_of(
        &self,
        name: &str,
        whole: Definition,
        rolled: Option<&str>,
    ) -> Result<Index> {
        names::check(name)?;
        let namespace = names::namespace(&self.server.engine, name);
        self.require(Action::CreateCollection, &namespace)?;
        let analysis = settings::analysis(&whole.settings)?;
        let rules = settings::mapping_rules(&whole.settings)?;
        Counts::check(&whole.settings)?;
        let given = Value::Object(whole.mappings);
        let mapping = Mapping::of(&given, analysis, rules)?;
        mapping.check_given(&given)?;
        index_sort::check(&whole.settings, &mapping)?;
        for (alias, options) in &whole.aliases {
            check_alias(self, name, alias)?;
            if rolled != Some(alias) {
                check_write_index(self, name, alias, options)?;
            }
        }
        if names::is_alias(self, name) {
            return Err(ElasticError::invalid_name(name, "already exists as alias"));
        }
        if self.server.engine.collection_entry(&namespace).is_some() {
            return Err(ElasticError::exists(name));
        }
        let made = self
            .server
            .engine
            .create_revisioned(&namespace, REVISIONS_KEPT, false)
            .await;
        made.map_err(|error| match ElasticError::from(error) {
            error if error.kind == kinds::EXISTS => ElasticError::exists(name),
            error => error,
        })?;
        let index = self.index(name, Action::Find)?;
        let created_ms = i64::try_from(self.server.engine.now_ms()).unwrap_or(i64::MAX);
        let present = Present {
            settings: whole.settings,
            aliases: Arc::new(whole.aliases),
            is_closed: false,
            mapping: Arc::new(mapping),
            created_ms,
            followed: Sequence::START,
        };
        index.begin(present).await?;
        Ok(index)
    }

    /// Drops an index with all that belongs to it.
    pub async fn drop_index(&self, index: &Index) -> Result<()> {
        self.server.indices.forget(index);
        self.server.engine.drop_collection(&index.namespace).await?;
        Ok(())
    }
}
