//! Compiles RocksDB for the bindings of `librocksdb-sys`, in units of several source files.
//!
//! By itself that crate compiles its 340 files one by one, and most of the time of each goes into the headers that all of them
//! share. Compiled a dozen at a time, the same files with the same flags take a fifth of the time, which is most of what a first
//! build takes. `.cargo/config.toml` tells the crate that the library comes from elsewhere; this script makes it. With
//! `ROCKSDB_COMPILE=1` the crate compiles it in its own way, and with another `ROCKSDB_LIB_DIR` it is the one in that folder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The value of `ROCKSDB_LIB_DIR` in `.cargo/config.toml`.
const BUILT_HERE: &str = "built-by-kv";
/// More would take more memory than a small machine has for each of its processors: a unit takes up to 1 GB.
const FILES_IN_UNIT: usize = 12;
/// It names the moment of a build; the crate brings one that does not.
const REPLACED_SOURCE: &str = "util/build_version.cc";

fn main() -> Outcome<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ROCKSDB_LIB_DIR");
    println!("cargo:rerun-if-env-changed=ROCKSDB_COMPILE");
    if !is_wanted() {
        return Ok(());
    }
    let out = variable("OUT_DIR")?;
    build(Path::new(&out))?;
    // `librocksdb-sys` says which library is to be linked.
    println!("cargo:rustc-link-search=native={out}");
    Ok(())
}

fn is_wanted() -> bool {
    let has =
        |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found.eq_ignore_ascii_case(value));
    has("ROCKSDB_LIB_DIR", BUILT_HERE)
        && !has("ROCKSDB_COMPILE", "1")
        && !has("ROCKSDB_COMPILE", "true")
        && !is_linted()
}

/// Clippy links nothing, but has this script run for itself, beside its run for the build: the library would be compiled twice.
fn is_linted() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER");
    wrapper.is_some_and(|wrapper| {
        Path::new(&wrapper)
            .file_stem()
            .is_some_and(|name| name == "clippy-driver")
    })
}

fn variable(name: &str) -> Outcome<String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}").into())
}

fn build(out: &Path) -> Outcome<()> {
    let crate_folder = PathBuf::from(variable("DEP_ROCKSDB_CARGO_MANIFEST_DIR")?);
    let root = crate_folder.join("rocksdb");
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .cargo_metadata(false)
        .warnings(false)
        .debug(false)
        .std("c++20")
        .include(root.join("include"))
        .include(&root)
        .include(&crate_folder)
        .include(variable("DEP_LZ4_INCLUDE")?)
        .include(variable("DEP_ZSTD_INCLUDE")?)
        .flag("-include")
        .flag("cstdint");
    let common = [
        "LZ4",
        "ZSTD",
        "NDEBUG",
        "HAVE_ALIGNED_NEW",
        "HAVE_UINT128_EXTENSION",
        "ROCKSDB_PLATFORM_POSIX",
        "ROCKSDB_LIB_IO_POSIX",
    ];
    for name in common.iter().chain(of_system()?) {
        build.define(name, None);
    }
    for flag in processor_flags()? {
        build.flag_if_supported(flag);
    }
    let sources = fs::read_to_string(crate_folder.join("rocksdb_lib_sources.txt"))?;
    let sources: Vec<&str> = sources
        .split_whitespace()
        .filter(|source| *source != REPLACED_SOURCE)
        .collect();
    for (number, files) in sources.chunks(FILES_IN_UNIT).enumerate() {
        let unit = out.join(format!("unit_{number}.cc"));
        let lines = files
            .iter()
            .map(|file| format!("#include \"{}\"\n", root.join(file).display()));
        fs::write(&unit, lines.collect::<String>())?;
        build.file(unit);
    }
    build.file(crate_folder.join("build_version.cc"));
    build.try_compile("rocksdb")?;
    Ok(())
}

/// What RocksDB is told of the operating system, as in the build script of `librocksdb-sys`.
fn of_system() -> Outcome<&'static [&'static str]> {
    match variable("CARGO_CFG_TARGET_OS")?.as_str() {
        "linux" => Ok(&[
            "OS_LINUX",
            "ROCKSDB_SCHED_GETCPU_PRESENT",
            "ROCKSDB_AUXV_GETAUXVAL_PRESENT",
            "ROCKSDB_FALLOCATE_PRESENT",
            "ROCKSDB_RANGESYNC_PRESENT",
        ]),
        "macos" => Ok(&["OS_MACOSX"]),
        other => Err(format!("RocksDB is not compiled in units for {other}: set ROCKSDB_COMPILE=1").into()),
    }
}

/// The flags by which C++ may use what Rust's code may use.
fn processor_flags() -> Outcome<Vec<&'static str>> {
    let features = variable("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    Ok(match variable("CARGO_CFG_TARGET_ARCH")?.as_str() {
        "x86_64" => [
            ("sse4.1", "-msse4.1"),
            ("sse4.2", "-msse4.2"),
            ("avx2", "-mavx2"),
            ("bmi1", "-mbmi"),
            ("lzcnt", "-mlzcnt"),
            ("pclmulqdq", "-mpclmul"),
        ]
        .into_iter()
        .filter_map(|(feature, flag)| has(feature).then_some(flag))
        .collect(),
        "aarch64" if has("crc") && has("aes") => vec!["-march=armv8-a+crc+aes+crypto"],
        _ => Vec::new(),
    })
}
