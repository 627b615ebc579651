//! Damage to the catalog.
//!
//! A store opens with the part of its catalog that can be read, and never takes the rest for empty. A collection whose entry or head
//! is damaged keeps its name, and every operation on it fails with the reason. So does an operation on any name whose entry may be
//! in a part that cannot be read. So no answer pretends that a collection is empty, and nothing overwrites what may still be saved.

use super::disk::entry_key;
use super::namespace::Namespace;
use kv::Unreadable;

/// The parts of the catalog that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Damage {
    /// Why the head cannot be read: no collection can be made, dropped or changed then.
    pub(super) head: Option<String>,
    /// The parts where entries may have been.
    pub(super) entries: Vec<Unreadable>,
}

impl Damage {
    /// Why it is not known whether there is a collection of this name; `None` if it is known.
    pub(super) fn hides(&self, namespace: &Namespace) -> Option<&str> {
        if self.entries.is_empty() {
            return None;
        }
        let key = entry_key(namespace);
        let is_within = |part: &&Unreadable| part.from <= key && part.to.as_ref().is_none_or(|to| key < *to);
        self.entries.iter().find(is_within).map(|part| part.what.as_str())
    }

    /// The findings for a report, one for each damaged part.
    pub(super) fn findings(&self) -> Vec<String> {
        let head = self.head.iter().map(|what| format!("its head: {what}"));
        let entries = self.entries.iter().map(|part| {
            format!(
                "entries of collections after {}: {}",
                part.from.escape_ascii(),
                part.what
            )
        });
        head.chain(entries).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hidden_whose_entries_may_lie_in_a_part_that_cannot_be_read() {
        let key = |name: &str| entry_key(&Namespace::new("db", name));
        let part = |from, to: Option<&str>| Unreadable {
            from: key(from),
            to: to.map(key),
            what: "a checksum".to_owned(),
        };
        let hidden = |to| {
            let damage = Damage {
                entries: vec![part("b", to)],
                head: None,
            };
            ["a", "b", "c", "d", "e"].map(|name| damage.hides(&Namespace::new("db", name)).is_some())
        };
        assert_eq!(hidden(Some("d")), [false, true, true, false, false]);
        assert_eq!(hidden(None), [false, true, true, true, true]);
        assert_eq!(Damage::default().hides(&Namespace::new("db", "a")), None);
    }
}
