//! The disk as the kernel sees it.

use crate::content::BLOCK;
use crate::disk::{Disk, ROOT};
use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, KernelConfig, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request,
    TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Nothing is remembered by the kernel: a cut must be seen at once.
const TTL: Duration = Duration::ZERO;
const WHOLE_BLOCKS: u64 = 1 << 21;

pub struct Mount(pub Arc<Mutex<Disk>>);

impl Mount {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attributes(disk: &Disk, number: u64) -> Result<FileAttr, Errno> {
    let inode = disk.inode(number)?;
    Ok(FileAttr {
        ino: INodeNo(number),
        size: inode.written.size,
        blocks: (inode.written.blocks.len() * BLOCK / 512) as u64,
        atime: inode.modified,
        mtime: inode.modified,
        ctime: inode.modified,
        crtime: inode.modified,
        kind: if inode.is_folder { FileType::Directory } else { FileType::RegularFile },
        perm: inode.mode,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: BLOCK as u32,
        flags: 0,
    })
}

fn ended(reply: ReplyEmpty, result: Result<(), Errno>) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

fn entered(reply: ReplyEntry, result: Result<FileAttr, Errno>) {
    match result {
        Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
        Err(error) => reply.error(error),
    }
}

impl Filesystem for Mount {
    fn init(&mut self, _: &Request, _: &mut KernelConfig) -> io::Result<()> {
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let disk = self.disk();
        entered(reply, disk.find(parent.0, name).and_then(|inode| attributes(&disk, inode)));
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match attributes(&self.disk(), inode.0) {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self, _: &Request, inode: INodeNo, mode: Option<u32>, _: Option<u32>, _: Option<u32>, size: Option<u64>, _: Option<TimeOrNow>,
        _: Option<TimeOrNow>, _: Option<SystemTime>, _: Option<FileHandle>, _: Option<SystemTime>, _: Option<SystemTime>,
        _: Option<SystemTime>, _: Option<BsdFileFlags>, reply: ReplyAttr,
    ) {
        let mut disk = self.disk();
        let changed = size.map_or(Ok(()), |size| disk.resize(inode.0, size)).and_then(|()| {
            if let Some(mode) = mode {
                disk.inode_mut(inode.0)?.mode = (mode & 0o7777) as u16;
            }
            attributes(&disk, inode.0)
        });
        match changed {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let mut disk = self.disk();
        let made = disk.create(parent.0, name, true, (mode & 0o7777) as u16);
        entered(reply, made.and_then(|inode| attributes(&disk, inode)));
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, _: i32, reply: ReplyCreate) {
        let mut disk = self.disk();
        let made = disk.create(parent.0, name, false, (mode & 0o7777) as u16).and_then(|inode| {
            disk.open(inode)?;
            attributes(&disk, inode)
        });
        match made {
            Ok(attributes) => reply.created(&TTL, &attributes, Generation(0), FileHandle(0), FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        ended(reply, self.disk().remove(parent.0, name));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        ended(reply, self.disk().remove(parent.0, name));
    }

    fn rename(&self, _: &Request, parent: INodeNo, name: &OsStr, new_parent: INodeNo, new_name: &OsStr, _: RenameFlags, reply: ReplyEmpty) {
        ended(reply, self.disk().rename((parent.0, name.to_owned()), (new_parent.0, new_name.to_owned())));
    }

    fn open(&self, _: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.disk().open(inode.0) {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn release(&self, _: &Request, inode: INodeNo, _: FileHandle, _: OpenFlags, _: Option<LockOwner>, _: bool, reply: ReplyEmpty) {
        self.disk().release(inode.0);
        reply.ok();
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn read(
        &self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, size: u32, _: OpenFlags, _: Option<LockOwner>, reply: ReplyData,
    ) {
        match self.disk().read(inode.0, offset, size as usize) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, data: &[u8], _: WriteFlags, _: OpenFlags, _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.disk().write(inode.0, offset, data) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        ended(reply, self.disk().flush(inode.0));
    }

    fn fsyncdir(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        ended(reply, self.disk().flush_names(inode.0));
    }

    fn fallocate(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, length: u64, mode: i32, reply: ReplyEmpty) {
        let mut disk = self.disk();
        let result = if disk.knows_no_holes {
            Err(Errno::EOPNOTSUPP)
        } else if mode & libc::FALLOC_FL_PUNCH_HOLE != 0 {
            disk.punch(inode.0, offset, length)
        } else if mode & libc::FALLOC_FL_KEEP_SIZE != 0 {
            disk.allocate(inode.0, offset, length)
        } else {
            Err(Errno::EOPNOTSUPP)
        };
        ended(reply, result);
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let disk = self.disk();
        let own = [(OsStr::new("."), inode.0), (OsStr::new(".."), ROOT)];
        for (at, (name, number)) in own.into_iter().chain(disk.list(inode.0)).enumerate().skip(offset as usize) {
            let kind = disk.inode(number).map_or(FileType::Directory, |inode| {
                if inode.is_folder { FileType::Directory } else { FileType::RegularFile }
            });
            if reply.add(INodeNo(number), at as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let disk = self.disk();
        let whole = disk.limit.map_or(WHOLE_BLOCKS, |limit| limit / BLOCK as u64);
        let free = whole.saturating_sub(disk.used() / BLOCK as u64);
        reply.statfs(whole, free, free, 1 << 20, 1 << 20, BLOCK as u32, 255, BLOCK as u32);
    }
}
