//! Removing the folders of indexes whose collections are gone: those that were dropped while nothing followed them.

use std::collections::HashSet;
use std::path::Path;

/// The characters of a collection's id in the name of a folder.
const ID_CHARS: usize = 32;

/// Removes the indexes in a folder that are not among those that `present` names.
pub fn sweep(folder: &Path, present: impl FnOnce() -> HashSet<String>) {
    // In this order, so that a folder that is found is not of a collection that is made meanwhile.
    let Ok(folders) = std::fs::read_dir(folder) else {
        return;
    };
    let folders: Vec<_> = folders.flatten().collect();
    let present = present();
    for entry in folders {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_index =
            name.len() >= ID_CHARS && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if !is_index || present.contains(&name) {
            continue;
        }
        match std::fs::remove_dir_all(entry.path()) {
            Ok(()) => tracing::info!(
                index = name,
                "removed the full-text index of a collection that was dropped"
            ),
            Err(error) => {
                tracing::warn!(index = name, %error, "a full-text index that nobody needs cannot be removed");
            }
        }
    }
}
