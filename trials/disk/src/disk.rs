//! A disk in memory with two images: what was written, and what a power cut leaves of it.
//!
//! POSIX promises little, and so does this disk: `fsync` of a file makes its bytes and size durable, `fsync` of a folder the
//! names in it. At a cut, each block that was not flushed is old, new, or new in its first sectors only; names change in the order in
//! which they were changed, up to some moment.

use crate::chance::Chance;
use crate::content::{BLOCK, Content, SECTOR, blocks_of};
use crate::faults::{Faults, Operation};
use fuser::Errno;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::SystemTime;

pub const ROOT: u64 = 1;

/// A name in a folder.
pub type NameInFolder = (u64, OsString);

pub struct Inode {
    pub is_folder: bool,
    pub mode: u16,
    pub modified: SystemTime,
    pub written: Content,
    durable: Content,
    /// Blocks written since the last flush, or taken out.
    unflushed: BTreeSet<u64>,
    opened: u32,
    /// The last name that it had: faults are chosen by it.
    name: OsString,
}

enum NameChange {
    Set(NameInFolder, u64),
    Remove(NameInFolder),
}

impl NameChange {
    fn folder(&self) -> u64 {
        match self {
            NameChange::Set(place, _) | NameChange::Remove(place) => place.0,
        }
    }

    fn apply(self, names: &mut BTreeMap<NameInFolder, u64>) {
        match self {
            NameChange::Set(place, inode) => names.insert(place, inode),
            NameChange::Remove(place) => names.remove(&place),
        };
    }
}

pub struct Disk {
    inodes: HashMap<u64, Inode>,
    next: u64,
    names: BTreeMap<NameInFolder, u64>,
    durable_names: BTreeMap<NameInFolder, u64>,
    /// Oldest first; one rename is one entry, so that no cut comes between its halves.
    changes: Vec<Vec<NameChange>>,
    pub faults: Faults,
    /// Bytes that the disk holds, where it is limited.
    pub limit: Option<u64>,
    /// Whether it is like a file system without `fallocate`.
    pub knows_no_holes: bool,
}

impl Disk {
    pub fn new() -> Self {
        let mut disk = Disk {
            inodes: HashMap::new(),
            next: ROOT,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
            faults: Faults::default(),
            limit: None,
            knows_no_holes: false,
        };
        disk.add(true, 0o755, OsStr::new("/"));
        disk
    }

    fn add(&mut self, is_folder: bool, mode: u16, name: &OsStr) -> u64 {
        let number = self.next;
        self.next += 1;
        let inode = Inode {
            is_folder,
            mode,
            modified: SystemTime::now(),
            written: Content::default(),
            durable: Content::default(),
            unflushed: BTreeSet::new(),
            opened: 0,
            name: name.to_owned(),
        };
        self.inodes.insert(number, inode);
        number
    }

    pub fn inode(&self, number: u64) -> Result<&Inode, Errno> {
        self.inodes.get(&number).ok_or(Errno::ENOENT)
    }

    pub fn inode_mut(&mut self, number: u64) -> Result<&mut Inode, Errno> {
        self.inodes.get_mut(&number).ok_or(Errno::ENOENT)
    }

    pub fn find(&self, folder: u64, name: &OsStr) -> Result<u64, Errno> {
        self.names.get(&(folder, name.to_owned())).copied().ok_or(Errno::ENOENT)
    }

    pub fn list(&self, folder: u64) -> impl Iterator<Item = (&OsStr, u64)> {
        let from = (folder, OsString::new());
        self.names.range(from..).take_while(move |(place, _)| place.0 == folder).map(|(place, inode)| (place.1.as_os_str(), *inode))
    }

    pub fn used(&self) -> u64 {
        self.inodes.values().map(|inode| inode.written.allocated() * BLOCK as u64).sum()
    }

    fn check_room(&self, blocks: u64) -> Result<(), Errno> {
        match self.limit {
            Some(limit) if blocks > 0 && self.used() + blocks * BLOCK as u64 > limit => Err(Errno::ENOSPC),
            _ => Ok(()),
        }
    }

    fn change_names(&mut self, changes: Vec<NameChange>) {
        for change in &changes {
            match change {
                NameChange::Set(place, inode) => self.names.insert(place.clone(), *inode),
                NameChange::Remove(place) => self.names.remove(place),
            };
        }
        self.changes.push(changes);
        self.forget_unreachable();
    }

    pub fn create(&mut self, folder: u64, name: &OsStr, is_folder: bool, mode: u16) -> Result<u64, Errno> {
        // A new file takes room even while it is empty.
        self.check_room(1)?;
        if self.find(folder, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        let inode = self.add(is_folder, mode, name);
        self.change_names(vec![NameChange::Set((folder, name.to_owned()), inode)]);
        Ok(inode)
    }

    pub fn remove(&mut self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        let inode = self.find(folder, name)?;
        if self.list(inode).next().is_some() {
            return Err(Errno::ENOTEMPTY);
        }
        self.change_names(vec![NameChange::Remove((folder, name.to_owned()))]);
        Ok(())
    }

    pub fn rename(&mut self, from: NameInFolder, to: NameInFolder) -> Result<(), Errno> {
        let inode = self.find(from.0, &from.1)?;
        self.inode_mut(inode)?.name = to.1.clone();
        self.change_names(vec![NameChange::Remove(from), NameChange::Set(to, inode)]);
        Ok(())
    }

    pub fn open(&mut self, number: u64) -> Result<(), Errno> {
        self.inode_mut(number)?.opened += 1;
        Ok(())
    }

    pub fn release(&mut self, number: u64) {
        if let Some(inode) = self.inodes.get_mut(&number) {
            inode.opened = inode.opened.saturating_sub(1);
        }
        self.forget_unreachable();
    }

    pub fn read(&mut self, number: u64, offset: u64, length: usize) -> Result<Vec<u8>, Errno> {
        self.fail(Operation::Read, number)?;
        Ok(self.inode(number)?.written.read(offset, length))
    }

    pub fn write(&mut self, number: u64, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.fail(Operation::Write, number)?;
        self.check_room(self.inode(number)?.written.missing(offset, bytes.len() as u64))?;
        let inode = self.inode_mut(number)?;
        inode.written.write(offset, bytes);
        inode.touch(offset, bytes.len() as u64);
        Ok(())
    }

    /// Room for what is written later.
    pub fn allocate(&mut self, number: u64, offset: u64, length: u64) -> Result<(), Errno> {
        self.check_room(self.inode(number)?.written.missing(offset, length))?;
        self.inode_mut(number)?.written.reserve(offset, length);
        Ok(())
    }

    pub fn punch(&mut self, number: u64, offset: u64, length: u64) -> Result<(), Errno> {
        let inode = self.inode_mut(number)?;
        inode.written.erase(offset, length);
        inode.touch(offset, length.min(inode.written.size.saturating_sub(offset)));
        Ok(())
    }

    pub fn resize(&mut self, number: u64, size: u64) -> Result<(), Errno> {
        let inode = self.inode_mut(number)?;
        let old = inode.written.size;
        inode.written.resize(size);
        inode.touch(size.min(old), old.abs_diff(size));
        Ok(())
    }

    pub fn flush(&mut self, number: u64) -> Result<(), Errno> {
        let failed = self.fail(Operation::Sync, number);
        let inode = self.inode_mut(number)?;
        let unflushed = std::mem::take(&mut inode.unflushed);
        // As Linux does: after a failed flush the pages count as clean, and the next flush succeeds without them.
        failed?;
        for index in unflushed {
            inode.keep(index);
        }
        inode.durable.size = inode.written.size;
        Ok(())
    }

    pub fn flush_names(&mut self, folder: u64) -> Result<(), Errno> {
        self.fail(Operation::Sync, folder)?;
        let (flushed, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.changes).into_iter().partition(|changes| changes.iter().any(|change| change.folder() == folder));
        self.changes = waiting;
        for change in flushed.into_iter().flatten() {
            change.apply(&mut self.durable_names);
        }
        self.forget_unreachable();
        Ok(())
    }

    /// The power goes and comes back: what was not flushed is lost, or there, or torn.
    pub fn cut(&mut self, chance: &mut Chance) {
        let kept = chance.below(self.changes.len() as u64 + 1) as usize;
        for change in self.changes.drain(..).take(kept).flatten() {
            change.apply(&mut self.durable_names);
        }
        self.names = self.durable_names.clone();
        for inode in self.inodes.values_mut() {
            inode.opened = 0;
            inode.lose(chance);
        }
        self.forget_unreachable();
    }

    fn fail(&mut self, operation: Operation, number: u64) -> Result<(), Errno> {
        let name = &self.inodes.get(&number).ok_or(Errno::ENOENT)?.name;
        if self.faults.strikes(operation, name) { Err(Errno::EIO) } else { Ok(()) }
    }

    fn forget_unreachable(&mut self) {
        let pending = self.changes.iter().flatten().filter_map(|change| match change {
            NameChange::Set(_, inode) => Some(*inode),
            NameChange::Remove(_) => None,
        });
        let named: BTreeSet<u64> =
            self.names.values().chain(self.durable_names.values()).copied().chain(pending).chain([ROOT]).collect();
        self.inodes.retain(|number, inode| inode.opened > 0 || named.contains(number));
    }
}

impl Inode {
    fn touch(&mut self, offset: u64, length: u64) {
        self.unflushed.extend(blocks_of(offset, length).map(|(index, ..)| index));
        self.modified = SystemTime::now();
    }

    /// Makes a block durable as it is written.
    fn keep(&mut self, index: u64) {
        match self.written.blocks.get(&index) {
            Some(block) => self.durable.blocks.insert(index, Arc::clone(block)),
            None => self.durable.blocks.remove(&index),
        };
    }

    fn lose(&mut self, chance: &mut Chance) {
        let mut size = self.durable.size;
        for index in std::mem::take(&mut self.unflushed) {
            match chance.below(4) {
                0 => self.keep(index),
                1 => self.tear(index, chance.below((BLOCK / SECTOR) as u64) as usize * SECTOR),
                _ => continue,
            }
            size = size.max(self.written.size.min((index + 1) * BLOCK as u64));
        }
        self.durable.size = if self.written.size < size { self.written.size } else { size };
        self.written = self.durable.clone();
    }

    /// Only the first bytes of a block reached the disk.
    fn tear(&mut self, index: u64, bytes: usize) {
        if let Some(new) = self.written.blocks.get(&index) {
            let old = self.durable.blocks.entry(index).or_insert_with(|| Arc::new([0; BLOCK]));
            Arc::make_mut(old)[..bytes].copy_from_slice(&new[..bytes]);
        }
    }
}
