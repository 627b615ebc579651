//! Opening and dropping the derived pages of a collection, which the catalog lists.

use super::Collection;
use crate::catalog::{Catalog, to_the_end};
use crate::{Derived, StoreError};
use kv::Batch;
use std::sync::Arc;

impl Collection {
    /// All derived pages of the collection.
    pub fn derived(&self) -> Vec<Arc<Derived>> {
        self.derived.read().clone()
    }

    /// The derived pages of this name; they are made if there are none.
    pub async fn open_derived(self: &Arc<Self>, name: &str) -> Result<Arc<Derived>, StoreError> {
        self.check_sound()?;
        if let Some(found) = self.derived_named(name) {
            return Ok(found);
        }
        let (collection, name) = (self.clone(), name.to_owned());
        to_the_end(async move { collection.make_derived(&name).await }).await
    }

    fn derived_named(&self, name: &str) -> Option<Arc<Derived>> {
        self.derived.read().iter().find(|one| one.name() == name).cloned()
    }

    async fn make_derived(&self, name: &str) -> Result<Arc<Derived>, StoreError> {
        let catalog = self.catalog()?;
        let mut disk = catalog.disk.lock().await;
        self.check_usable()?;
        if let Some(found) = self.derived_named(name) {
            return Ok(found);
        }
        let made = Arc::new(Derived::new(self.kv.clone(), disk.new_shard(), name.to_owned()));
        let mut entry = self.entry();
        entry.derived.push((name.to_owned(), made.shard));
        catalog.save(&mut disk, &self.namespace(), &entry).await?;
        self.derived.write().push(made.clone());
        Ok(made)
    }

    /// Removes derived pages. Returns false if there are none of this name.
    pub async fn drop_derived(self: &Arc<Self>, name: &str) -> Result<bool, StoreError> {
        let (collection, name) = (self.clone(), name.to_owned());
        to_the_end(async move { collection.remove_derived(&name).await }).await
    }

    async fn remove_derived(&self, name: &str) -> Result<bool, StoreError> {
        let catalog = self.catalog()?;
        let mut disk = catalog.disk.lock().await;
        self.check_usable()?;
        let Some(gone) = self.derived_named(name) else {
            return Ok(false);
        };
        let mut entry = self.entry();
        entry.derived.retain(|(_, shard)| *shard != gone.shard);
        let mut batch = Batch::new();
        Catalog::put_entry(&mut batch, &self.namespace(), &entry);
        Catalog::mark_dropped(&mut batch, gone.shard);
        disk.commit(&catalog.kv, batch).await?;
        gone.end();
        self.derived.write().retain(|one| one.shard != gone.shard);
        catalog.finish_drop(&mut disk, &[gone.shard]).await?;
        Ok(true)
    }
}
