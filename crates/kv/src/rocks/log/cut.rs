//! Cutting off the log after the last batch before the first gap.

use super::chain::{Chain, Log};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The folder within the data folder that keeps what is cut off.
const FOLDER: &str = "cut-off";

/// Cuts off the log where its chain ends. Copies of the files are kept.
pub(super) fn cut(folder: &Path, chain: &Chain, logs: &[Log]) -> io::Result<()> {
    let kept = folder.join(FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(&kept)?;
    let end = chain.end.as_ref();
    // The last first: a crash in between leaves logs that are cut off a second time.
    for log in logs.iter().rev() {
        let Some(end) = end.filter(|end| end.log.number <= log.number) else {
            break;
        };
        let copy = kept.join(log.name());
        if end.log == *log {
            fs::copy(&log.path, &copy)?;
            File::open(&copy)?.sync_all()?;
            File::open(&kept)?.sync_all()?;
            let file = OpenOptions::new().write(true).open(&log.path)?;
            file.set_len(end.offset)?;
            file.sync_all()?;
            tracing::warn!(file = %log.path.display(), offset = end.offset, kept = %copy.display(), "the log was cut off");
        } else {
            // A rename needs no room, of which there may be none.
            fs::rename(&log.path, &copy)?;
            File::open(&kept)?.sync_all()?;
            tracing::warn!(file = %log.path.display(), kept = %copy.display(), "a log after the gap was taken away");
        }
    }
    File::open(folder)?.sync_all()
}
