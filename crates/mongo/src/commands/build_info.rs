//! `buildInfo`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::{DOCUMENT_BYTES_MAX, Reply};
use value::{Value, array, doc};

/// The MongoDB version whose behaviour clients may count on.
pub(super) const VERSION: &str = "8.0.0";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let bits = usize::BITS as i32;
    Ok(doc! {
        "version": VERSION,
        "gitVersion": concat!("larder-", env!("CARGO_PKG_VERSION")),
        "modules": [],
        "allocator": "jemalloc",
        "javascriptEngine": "none",
        "sysInfo": "deprecated",
        "versionArray": array![8, 0, 0, 0],
        "openssl": {"running": "none", "compiled": "none"},
        "buildEnvironment": {"distarch": std::env::consts::ARCH, "target_arch": std::env::consts::ARCH, "target_os": std::env::consts::OS},
        "bits": bits,
        "debug": cfg!(debug_assertions),
        "maxBsonObjectSize": DOCUMENT_BYTES_MAX as i32,
        "storageEngines": Value::Array(array!["larder"]),
        "larder": {"version": env!("CARGO_PKG_VERSION")},
    }
    .into())
}
