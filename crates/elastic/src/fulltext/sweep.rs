//! Removing the folders of indexes whose collections are gone: those that were dropped while nothing followed them.

use super::state::folder_name;
use engine::Engine;
use std::collections::HashSet;
use std::path::Path;

/// Removes what is left of collections that are not there any more.
pub(crate) fn sweep(folder: &Path, engine: &Engine) {
    // In this order, so that a folder that is found is not of a collection that is made meanwhile.
    let Ok(folders) = std::fs::read_dir(folder) else {
        return;
    };
    let folders: Vec<_> = folders.flatten().collect();
    let databases = engine.databases();
    let collections = databases.iter().flat_map(|database| engine.collections(database));
    let present: HashSet<String> = collections
        .filter_map(|collection| collection.uuid)
        .map(|uuid| folder_name(&uuid))
        .collect();
    for entry in folders {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_index = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
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
