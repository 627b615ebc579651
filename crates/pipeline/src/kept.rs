//! The memory of one blocking stage.

use crate::{Code, QueryError, Result};
use memory::{Budget, Holder, Share};

/// The most bytes that one stage keeps (MongoDB's limit).
pub const STAGE_BYTES_MAX: usize = 100 * 1024 * 1024;

/// One stage may take one part in this many of the memory for all stages and sorts.
const SHARE_OF_LIMIT: usize = 2;

/// Counts what a stage keeps in memory.
#[derive(Debug)]
pub(crate) struct Kept {
    stage: &'static str,
    share: Share,
    bytes_max: usize,
    /// The bytes that it keeps, in whichever share they are counted.
    bytes: usize,
}

impl Kept {
    /// A counter at 0.
    pub(crate) fn new(stage: &'static str, memory: &Budget) -> Kept {
        let share = memory.share(Holder::Stages);
        Kept {
            stage,
            bytes_max: STAGE_BYTES_MAX.min(share.limit() / SHARE_OF_LIMIT),
            share,
            bytes: 0,
        }
    }

    /// Sets how many bytes the stage keeps. Returns false if that exceeds its limit.
    pub(crate) fn fits(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.bytes_max && self.share.fit(bytes);
        if fits {
            self.bytes = bytes;
        }
        fits
    }

    /// As [`Kept::fits`], but fails, for a stage that cannot use files.
    pub(crate) fn check(&mut self, bytes: usize) -> Result<()> {
        match self.fits(bytes) {
            true => Ok(()),
            false => Err(self.too_much(bytes)),
        }
    }

    /// As [`Kept::check`], for bytes that are counted elsewhere.
    pub(crate) fn check_counted(&self, bytes: usize) -> Result<()> {
        match bytes <= self.bytes_max {
            true => Ok(()),
            false => Err(self.too_much(bytes)),
        }
    }

    /// Whether a long document may find no room: more than half of it is taken.
    pub(crate) fn is_scarce(&self) -> bool {
        self.bytes > self.bytes_max / 2 || self.share.is_scarce()
    }

    /// The most bytes that it may keep.
    pub(crate) fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn too_much(&self, bytes: usize) -> QueryError {
        let (stage, limit) = (self.stage, self.bytes_max);
        let why = match bytes <= limit {
            true => self.share.full(bytes).to_string(),
            false if limit < STAGE_BYTES_MAX => "a larger --memory raises this limit".to_owned(),
            false => "this limit does not depend on --memory".to_owned(),
        };
        QueryError::new(
            Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
            format!(
                "Exceeded memory limit for {stage}: it would keep more than {limit} bytes in memory, which it cannot do with \
                 files; filter or project before it ({why})"
            ),
        )
    }

    /// To be called before a pause: counts the bytes under `idle`. Returns false if that has no room.
    pub(crate) fn rest(&mut self, idle: &mut Share) -> bool {
        let moves = idle.fit(idle.bytes() + self.bytes);
        if moves {
            self.share.charge(0);
        }
        moves
    }
}

/// As [`Kept::rest`], for what cannot go elsewhere.
pub(crate) fn rest_kept(kept: &mut Kept, idle: &mut Share) -> Result<()> {
    match kept.rest(idle) {
        true => Ok(()),
        false => Err(no_room(idle, kept.bytes)),
    }
}

/// The error that an idle cursor cannot keep this many bytes.
pub(crate) fn no_room(idle: &Share, bytes: usize) -> QueryError {
    let full = idle.full(idle.bytes() + bytes);
    QueryError::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string())
}
