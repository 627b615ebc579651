//! Makes the table of the page's files: compressed, with the types by which they are served, under a name that changes with
//! any of them. The page itself names the modules that it will want, so that a browser asks for all of them at once instead of
//! finding one by another.

mod modules;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use modules::Modules;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const PAGE: &str = "index.html";
/// What stands in it for the folder under which all other files are served.
const FOLDER_MARK: &str = "{page}";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("page");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    let mut contents = Vec::new();
    for file in &files {
        let content = fs::read(file)?;
        let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        hash.update(name.as_bytes());
        hash.update((content.len() as u64).to_be_bytes());
        hash.update(&content);
        contents.push((name, content));
    }
    let version = hash.finalize()[..8]
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let (_, page) = contents
        .iter()
        .find(|(name, _)| name == PAGE)
        .ok_or("the page has no index.html")?;
    let page = String::from_utf8(page.clone())?;
    let modules = Modules::of(&contents, &page);
    let mut table =
        format!("/// Changes with any of the files.\npub(crate) const VERSION: &str = \"{version}\";\n");
    writeln!(table, "pub(super) static FILES: &[File] = &[")?;
    for (at, (name, content)) in contents.iter().enumerate() {
        let mut content = content.clone();
        if name == PAGE {
            let text = modules
                .named_in(&page)?
                .replace(FOLDER_MARK, &format!("page/{version}"));
            fs::write(out.join("inline_scripts"), inline_script_hashes(&text)?)?;
            content = text.into_bytes();
        }
        let packed = out.join(format!("{at}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content)?;
        fs::write(&packed, encoder.finish()?)?;
        writeln!(
            table,
            "    File {{ name: {name:?}, kind: {:?}, packed: include_bytes!({packed:?}) }},",
            kind(name)
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("page_files.rs"), table)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The policy names the scripts that stand in the page itself by their hashes.
fn inline_script_hashes(page: &str) -> Result<String, Box<dyn Error>> {
    let mut hashes = Vec::new();
    for rest in page.split("<script").skip(1) {
        let (attributes, rest) = rest.split_once('>').ok_or("a script has no beginning")?;
        let (script, _) = rest.split_once("</script>").ok_or("a script has no end")?;
        if !attributes.contains(" src=") {
            hashes.push(format!(
                "'sha256-{}'",
                BASE64_STANDARD.encode(Sha256::digest(script))
            ));
        }
    }
    Ok(hashes.join(" "))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}
