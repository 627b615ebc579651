//! Index entries of one record within a batch.

use super::group::Group;
use crate::index::{EntrySet, IndexSet, Span, duplicate_key, entry_record, put_entry_value};
use crate::{Index, Record, RecordId, StoreError, keys};
use kv::{KeyRange, Order, PageLimit};
use std::cmp::Ordering;
use std::sync::Arc;

impl Group<'_> {
    /// The entries that a stored record has. Any record can be changed and removed: if an index would refuse its document now, because
    /// the index's build is about to fail or its rules were looser when the document was written, all of the index is searched for them.
    pub(super) async fn entries_of(&self, record: &Record) -> Result<EntrySet, StoreError> {
        let document = record.document.as_raw();
        if let Ok(entries) = EntrySet::of_record(&self.set, record, document) {
            return Ok(entries);
        }
        let set: Arc<IndexSet> = self.set.clone();
        let mut entries = EntrySet::default();
        for (place, index) in set.indexes.iter().enumerate() {
            if entries.push(place, index, document).is_ok() {
                continue;
            }
            let state = self.state.indexes.get(place);
            if state.is_some_and(|state| state.keeps(record.id.0)) {
                self.find_entries(place, index, record.id, &mut entries).await?;
            }
        }
        if record.repeats_id() {
            entries.leave_id(&set);
        }
        Ok(entries)
    }

    /// Reads the whole index at a place of the set, and adds the entries of a record.
    async fn find_entries(
        &self,
        place: usize,
        index: &Index,
        record: RecordId,
        found: &mut EntrySet,
    ) -> Result<(), StoreError> {
        let mut range = KeyRange::prefix(&keys::index_prefix(index.id()));
        loop {
            let page = self
                .snapshot
                .page(&range, Order::Forward, PageLimit::default())
                .await?;
            for (key, value) in page.iter() {
                let of_record = match index.has_record_in_value() {
                    true => (entry_record(value) == Some(record)).then_some(key),
                    false => key.strip_suffix(&record.0.to_be_bytes()),
                };
                if let Some(key) = of_record {
                    found.push_stored(place, key);
                }
            }
            if !range.go_on_after(&page, Order::Forward) {
                return Ok(());
            }
        }
    }

    /// Fails if another record has one of the unique keys.
    pub(crate) async fn check_unique(
        &mut self,
        entries: &EntrySet,
        spans: &[Span],
        record: RecordId,
    ) -> Result<(), StoreError> {
        for &span in spans {
            let taken = match self.keeps(span, record) {
                Some(true) => {
                    let holder = self.unique(entries.key(span)).await?;
                    holder.is_some_and(|other| other != record)
                }
                Some(false) if self.set.indexes[span.index].guards_keys() => {
                    self.is_held(entries.key(span), record).await?
                }
                _ => false,
            };
            if taken {
                let (namespace, index) = (&self.namespace, &self.set.indexes[span.index]);
                return Err(duplicate_key(
                    namespace,
                    index,
                    entries.key(span),
                    entries.bits(span),
                ));
            }
        }
        Ok(())
    }

    /// Whether another record has this key in an index whose keys end with the record.
    async fn is_held(&self, key: &[u8], record: RecordId) -> Result<bool, StoreError> {
        let own = [key, &record.0.to_be_bytes()].concat();
        let put = self.overlay.guarded.range(key.to_vec()..);
        let mut put = put.take_while(|(entry, _)| entry.starts_with(key));
        if put.any(|(entry, present)| *present && *entry != own) {
            return Ok(true);
        }
        let mut range = KeyRange::prefix(key);
        loop {
            let page = self
                .snapshot
                .page(&range, Order::Forward, PageLimit::default())
                .await?;
            for at in 0..page.len() {
                let entry = page.key(at);
                if entry != own && self.overlay.guarded.get(entry) != Some(&false) {
                    return Ok(true);
                }
            }
            if !range.go_on_after(&page, Order::Forward) {
                return Ok(false);
            }
        }
    }

    /// Puts the entries of a new record.
    pub(crate) fn put_entries(&mut self, entries: &EntrySet, spans: &[Span], record: RecordId) {
        for &span in spans {
            if let Some(unique) = self.keeps(span, record) {
                self.put_entry(entries, span, record, unique);
                self.state.indexes[span.index].entries += 1;
            }
        }
    }

    /// Removes the entries of a record.
    pub(super) fn delete_entries(&mut self, entries: &EntrySet, record: RecordId) {
        for &span in entries.all() {
            self.delete_entry(entries, span, record);
        }
    }

    /// Replaces the entries that a record had by its new ones.
    pub(super) fn change_entries(&mut self, old: &EntrySet, new: &EntrySet, record: RecordId) {
        // Both are ordered by index and key, so they are compared in one walk.
        let (mut olds, mut news) = (old.all().iter(), new.all().iter());
        let (mut before, mut after) = (olds.next(), news.next());
        loop {
            let order = match (before, after) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => (a.index, old.key(*a)).cmp(&(b.index, new.key(*b))),
            };
            if let (Ordering::Less, Some(&gone)) = (order, before) {
                self.delete_entry(old, gone, record);
            }
            if let (Ordering::Greater, Some(&come)) = (order, after) {
                self.put_entries(new, &[come], record);
            }
            if let (Ordering::Equal, Some(&was), Some(&is)) = (order, before, after)
                && old.bits(was) != new.bits(is)
            {
                // The key stays; only the type bits beside it differ.
                if let Some(unique) = self.keeps(is, record) {
                    self.put_entry(new, is, record, unique);
                }
            }
            if order.is_le() {
                before = olds.next();
            }
            if order.is_ge() {
                after = news.next();
            }
        }
    }

    /// Whether the entry's value names the record; `None` if the index's build has yet to enter the record.
    fn keeps(&self, span: Span, record: RecordId) -> Option<bool> {
        let kept = self.state.indexes.get(span.index)?.keeps(record.0);
        self.set
            .indexes
            .get(span.index)
            .filter(|_| kept)
            .map(|index| index.has_record_in_value())
    }

    fn put_entry(&mut self, entries: &EntrySet, span: Span, record: RecordId, unique: bool) {
        self.buffer.clear();
        let key = entries.key(span);
        if unique {
            put_entry_value(true, record, entries.bits(span), &mut self.buffer);
            self.batch.put(key, &self.buffer);
            if self.is_new_id(key) {
                self.highest_id.clear();
                self.highest_id.extend_from_slice(key);
            }
            match self.overlay.unique.get_mut(key) {
                Some(known) => *known = Some(record),
                None => drop(self.overlay.unique.insert(key.to_vec(), Some(record))),
            }
        } else {
            self.buffer.extend_from_slice(key);
            self.buffer.extend_from_slice(&record.0.to_be_bytes());
            self.batch.put(&self.buffer, entries.bits(span));
            self.note_guarded(span, true);
        }
    }

    /// Notes whether the entry whose whole key is in the buffer was put or deleted.
    fn note_guarded(&mut self, span: Span, present: bool) {
        if self.set.indexes[span.index].guards_keys() {
            self.overlay.guarded.insert(self.buffer.clone(), present);
        }
    }

    fn delete_entry(&mut self, entries: &EntrySet, span: Span, record: RecordId) {
        let Some(unique) = self.keeps(span, record) else {
            return;
        };
        let key = entries.key(span);
        if unique {
            self.batch.delete(key);
            self.overlay.unique.insert(key.to_vec(), None);
        } else {
            self.buffer.clear();
            self.buffer.extend_from_slice(key);
            self.buffer.extend_from_slice(&record.0.to_be_bytes());
            self.batch.delete(&self.buffer);
            self.note_guarded(span, false);
        }
        let count = &mut self.state.indexes[span.index].entries;
        *count = count.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use crate::{
        Collection, CommitOptions, IndexSpec, Namespace, Outcome, Present, Store, StoreOptions, Target,
        Transformed, WriteOp,
    };
    use kv::{Kv, Simulation};
    use std::sync::Arc;
    use value::{Document, DocumentBuf, Value, array, doc};

    async fn run(collection: &Arc<Collection>, operation: WriteOp) -> Outcome {
        let committed = collection.commit(vec![operation], CommitOptions::default());
        committed.await.unwrap().remove(0)
    }

    fn put(document: Document) -> WriteOp {
        let id = document.get("_id").cloned().unwrap_or(Value::Null);
        let document = DocumentBuf::from(&document);
        WriteOp::modify(Target::Id(id), move |_: Option<Present<'_>>| {
            Ok(Transformed::Put(document.clone()))
        })
    }

    fn delete(id: i32) -> WriteOp {
        WriteOp::modify(Target::Id(id.into()), |_: Option<Present<'_>>| {
            Ok(Transformed::Delete)
        })
    }

    #[tokio::test]
    async fn a_document_that_an_index_takes_no_more_can_be_changed_and_deleted() {
        let simulation = Simulation::new(1);
        let open = async || {
            let kv = Kv::simulated(&simulation);
            Store::open(kv, StoreOptions::default()).await.unwrap()
        };
        let store = open().await;
        let namespace = Namespace::new("db", "coll");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        for id in 1..=3 {
            run(&collection, put(doc! {"_id": id, "a": [id, 7]})).await;
        }
        let spec = IndexSpec::new("a_1", doc! {"a": 1});
        collection.create_indexes(vec![spec]).await.unwrap();
        // An index that takes no arrays, with the entries of one that did.
        {
            let catalog = collection.catalog().unwrap();
            let mut disk = catalog.disk.lock().await;
            let mut entry = collection.entry();
            entry.indexes[0].1 = IndexSpec::new("a_1", doc! {"a": "hashed"});
            catalog.save(&mut disk, &namespace, &entry).await.unwrap();
        }
        store.close().await.unwrap();
        let store = open().await;
        let collection = store.collection(&namespace).unwrap();
        let refused = run(&collection, put(doc! {"_id": 1, "a": (array![1]), "b": 1})).await;
        assert!(matches!(refused, Outcome::Failed(_)), "{refused:?}");
        let changed = run(&collection, put(doc! {"_id": 1, "a": 1})).await;
        assert!(matches!(changed, Outcome::Updated { .. }), "{changed:?}");
        let deleted = run(&collection, delete(2)).await;
        assert!(matches!(deleted, Outcome::Deleted { .. }), "{deleted:?}");
        // The new entry of the first record, and two of the third.
        assert_eq!(collection.stats().index_entries[1].1, 3);
        run(&collection, delete(1)).await;
        run(&collection, delete(3)).await;
        assert_eq!(collection.stats().index_entries[1].1, 0);
        let report = collection.validate(true).await.unwrap();
        assert!(report.is_valid(), "{:?}", report.findings);
    }
}
