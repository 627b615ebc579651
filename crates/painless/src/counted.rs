//! What a run counts: its steps, the memory of what it makes, and what has to be freed with care.

use crate::error::{Result, failed};
use crate::limits::{BYTES_MAX, STEPS_BETWEEN_LOOKS, STEPS_MAX};
use crate::object::{Members, Object};
use crate::run::Run;
use std::cell::RefCell;
use std::rc::Rc;

/// What a text, a list or a map takes besides what it holds.
pub(crate) const HOLDER_BYTES: usize = 32;

impl Drop for Run<'_> {
    fn drop(&mut self) {
        for holder in &self.holders {
            match holder {
                Object::List(list) | Object::Set(list) => drop(list.take()),
                Object::Map(map) => drop(map.take()),
                _ => {}
            }
        }
    }
}

impl Run<'_> {
    /// Remembers a list or map into which a list or map is put.
    pub(crate) fn holds(&mut self, base: &Object, put: &Object) -> Result<()> {
        if put.holds_others() {
            self.takes_bytes(32)?;
            self.holders.push(base.clone());
        }
        Ok(())
    }

    /// A list that the script makes.
    pub(crate) fn list(&mut self, items: Vec<Object>) -> Result<Object> {
        self.takes_bytes(HOLDER_BYTES + 32 * items.len())?;
        let holds = items.iter().find(|item| item.holds_others()).cloned();
        let list = Object::List(Rc::new(RefCell::new(items)));
        holds.map_or(Ok(()), |item| self.holds(&list, &item))?;
        Ok(list)
    }

    /// A set that the script makes, of objects of which those that are equal come once.
    pub(crate) fn set(&mut self, items: Vec<Object>) -> Result<Object> {
        let different = self.different(items)?;
        self.takes_bytes(HOLDER_BYTES + 32 * different.len())?;
        let holds = different.iter().find(|item| item.holds_others()).cloned();
        let set = Object::Set(Rc::new(RefCell::new(different)));
        holds.map_or(Ok(()), |item| self.holds(&set, &item))?;
        Ok(set)
    }

    /// Those of objects that are not equal to one before.
    pub(crate) fn different(&mut self, items: Vec<Object>) -> Result<Vec<Object>> {
        let mut kept = Vec::new();
        for item in items {
            self.step(1)?;
            if self.position(&kept, &item)?.is_none() {
                kept.push(item);
            }
        }
        Ok(kept)
    }

    /// A map that the script makes.
    pub(crate) fn map(&mut self, members: Members) -> Result<Object> {
        self.takes_bytes(HOLDER_BYTES + 64 * members.len())?;
        let holds = members.iter().find(|(_, member)| member.holds_others());
        let holds = holds.map(|(_, member)| member.clone());
        let map = Object::Map(Rc::new(RefCell::new(members)));
        holds.map_or(Ok(()), |member| self.holds(&map, &member))?;
        Ok(map)
    }

    /// A text that is no longer than a few times what it was made of; what may be longer is made by a [`Writer`](crate::writer::Writer).
    pub(crate) fn text(&mut self, text: impl AsRef<str>) -> Result<Object> {
        self.takes_bytes(HOLDER_BYTES + text.as_ref().len())?;
        Ok(Object::Text(text.as_ref().into()))
    }

    /// Does what goes through a copy of so many objects, which are counted as long as there is the copy: loops within loops each have
    /// one, and one after another have one at a time.
    pub(crate) fn while_copied<T>(
        &mut self,
        objects: usize,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.takes_bytes(32 * objects)?;
        let done = work(self);
        self.bytes -= 32 * objects;
        done
    }

    /// Whether two are equal; each pair that is looked at is a step.
    pub(crate) fn equals(&mut self, a: &Object, b: &Object) -> Result<bool> {
        let mut pairs = 0;
        let left = STEPS_MAX.saturating_sub(self.steps);
        let equals = a.equals(b, left, &mut pairs);
        self.step(usize::try_from(pairs).unwrap_or(usize::MAX))?;
        Ok(equals)
    }

    /// Where in a list something is.
    pub(crate) fn position(&mut self, items: &[Object], one: &Object) -> Result<Option<usize>> {
        for (at, item) in items.iter().enumerate() {
            if self.equals(item, one)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Counts steps; a script that has made too many ends, and so does one that nobody waits for any more.
    pub(crate) fn step(&mut self, steps: usize) -> Result<()> {
        let before = self.steps;
        self.steps = before.saturating_add(steps as u64);
        if self.steps > STEPS_MAX {
            return failed(format!(
                "the script has made more than {STEPS_MAX} steps, which is the limit"
            ));
        }
        if before / STEPS_BETWEEN_LOOKS != self.steps / STEPS_BETWEEN_LOOKS {
            self.host.look()?;
        }
        Ok(())
    }

    /// Counts memory.
    pub(crate) fn takes_bytes(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > BYTES_MAX {
            true => failed(format!(
                "the script has made more than {BYTES_MAX} bytes, which is the limit"
            )),
            false => Ok(()),
        }
    }
}
