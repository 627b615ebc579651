//! Where the file of a module lies.

use crate::{root, sources};

#[test]
fn a_module_with_a_folder_has_its_own_file_in_it() {
    let beside: Vec<_> = sources(&root().join("crates"))
        .into_iter()
        .filter(|path| {
            let folder = path.with_extension("");
            folder.is_dir() && !sources(&folder).is_empty()
        })
        .collect();
    assert!(
        beside.is_empty(),
        "these belong into their folders, as `mod.rs`: {beside:#?}"
    );
}
