//! Makes the table of the page's files: compressed, with the types by which they are served, under a name that changes with
//! any of them. Modules and styles become a few files ([`packs`]) without comments and with short names ([`script`]), and the page
//! itself names those that it will want, so that a browser asks for all of them at once instead of finding one by another.

mod modules;
mod packs;
mod script;
mod styles;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use modules::Modules;
use packs::Packs;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Why the table cannot be made.
type Failure = Box<dyn Error>;

const PAGE: &str = "index.html";
/// What stands in it for the folder under which all other files are served.
const FOLDER_MARK: &str = "{page}";
/// The file that has all styles, in the order in which the page names them.
const STYLE: &str = "style.css";

fn main() -> Result<(), Failure> {
    println!("cargo::rerun-if-changed=page");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("page");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut contents = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        contents.push((name, fs::read(file)?));
    }
    let contents = served(contents)?;
    let version = version(&contents);
    let mut table =
        format!("/// Changes with any of the files.\npub(crate) const VERSION: &str = \"{version}\";\n");
    writeln!(table, "pub(super) static FILES: &[File] = &[")?;
    for (at, (name, mut content)) in contents.into_iter().enumerate() {
        if name == PAGE {
            let page = String::from_utf8(content)?.replace(FOLDER_MARK, &format!("page/{version}"));
            fs::write(out.join("inline_scripts"), inline_script_hashes(&page)?)?;
            content = page.into_bytes();
        }
        let packed = out.join(format!("{at}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content)?;
        fs::write(&packed, encoder.finish()?)?;
        writeln!(
            table,
            "    File {{ name: {name:?}, kind: {:?}, packed: include_bytes!({packed:?}) }},",
            kind(&name)
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("page_files.rs"), table)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The files as they are served: modules and styles are together in a few, and the page names those.
fn served(mut files: Vec<(String, Vec<u8>)>) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let page = files.iter().find(|(name, _)| name == PAGE);
    let (_, page) = page.ok_or("the page has no index.html")?;
    let (page, style) = styled(std::str::from_utf8(page)?, &files);
    let modules = Modules::of(&files, &page)?;
    let packs = Packs::of(&modules, &page)?;
    files.retain(|(name, _)| !modules::is_own(name) && !name.ends_with(".css") && name != PAGE);
    files.extend(packs.files()?);
    files.push((STYLE.to_owned(), styles::compact(&style)?.into_bytes()));
    files.push((PAGE.to_owned(), packs.named_in()?.into_bytes()));
    Ok(files)
}

/// The page with one stylesheet in place of several, and that one.
fn styled(page: &str, files: &[(String, Vec<u8>)]) -> (String, String) {
    let link = |name: &str| format!("<link rel=\"stylesheet\" href=\"/{FOLDER_MARK}/{name}\">\n");
    let (mut styled, mut style) = (String::new(), String::new());
    for line in page.split_inclusive('\n') {
        match files.iter().find(|(name, _)| line == link(name)) {
            None => styled.push_str(line),
            Some((_, content)) => {
                if style.is_empty() {
                    styled.push_str(&link(STYLE));
                }
                style.push_str(&String::from_utf8_lossy(content));
            }
        }
    }
    (styled, style)
}

/// What changes with any of the files.
fn version(files: &[(String, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    for (name, content) in files {
        hash.update(name.as_bytes());
        hash.update((content.len() as u64).to_be_bytes());
        hash.update(content);
    }
    let digest = hash.finalize();
    digest[..8]
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The policy names the scripts that stand in the page itself by their hashes.
fn inline_script_hashes(page: &str) -> Result<String, Failure> {
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
