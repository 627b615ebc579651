//! Index entries of one record within a batch.

use super::group::Group;
use crate::index::{EntrySet, Span, duplicate_key, put_entry_value};
use crate::{RecordId, StoreError};
use kv::{KeyRange, Order, PageLimit};
use std::cmp::Ordering;
use std::ops::Bound;

impl Group<'_> {
    /// Refuses a record whose unique keys another one has.
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
            match page.len().checked_sub(1) {
                Some(last) if !page.exhausted() => range.low = Bound::Excluded(page.key(last).to_vec()),
                _ => return Ok(false),
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

    /// Makes the entries that a record had into those that it has.
    pub(super) fn change_entries(&mut self, old: &EntrySet, new: &EntrySet, record: RecordId) {
        // Both are ordered by index and key, so one walk tells them apart.
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
                // The key is there and stays; only what it forgets of the types is another.
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

    /// Whether the entry's value names the record; `None` if the index's build has yet to enter it.
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

    /// Notes what became of the entry whose whole key is in the buffer.
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
