//! The paths that an operator names, as fields of an index.

use crate::error::{Result, refused};
use crate::fields;
use crate::spec::{Spec, one_or_many};
use search::{Mapping, simple_match};
use value::Value;

/// One of the paths of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// A path, with the name of one of its other ways to be analyzed.
    Named(String, Option<String>),
    /// All paths that match.
    Wildcard(String),
}

/// Reads the member `path` of an operator.
pub(crate) fn parse(spec: &Spec<'_>) -> Result<Vec<Path>> {
    let given = one_or_many(spec.required("path")?);
    if given.is_empty() {
        return Err(refused(format!("\"{}\" cannot be empty", spec.path_of("path"))));
    }
    given.iter().map(|path| one(spec.path_of("path"), path)).collect()
}

/// The member `path` of an operator that takes names alone.
pub(crate) fn names(spec: &Spec<'_>) -> Result<Vec<String>> {
    let name = |path: Path| match path {
        Path::Named(name, None) => Ok(name),
        _ => Err(refused(format!("\"{}\" must be a string", spec.path_of("path")))),
    };
    parse(spec)?.into_iter().map(name).collect()
}

/// The same, of one that takes a single one.
pub(crate) fn name(spec: &Spec<'_>) -> Result<String> {
    let mut names = names(spec)?;
    match (names.len(), names.pop()) {
        (1, Some(name)) => Ok(name),
        _ => Err(refused(format!("\"{}\" must be a string", spec.path_of("path")))),
    }
}

fn one(place: String, path: &Value) -> Result<Path> {
    if let Value::String(name) = path {
        return Ok(Path::Named(name.clone(), None));
    }
    let spec = Spec::of(place, path)?;
    let found = match spec.text("wildcard")? {
        Some(pattern) => Path::Wildcard(pattern.to_owned()),
        None => {
            let named = spec.text("value")?;
            let missing = || refused(format!("\"{}\" is required", spec.path_of("value")));
            let multi = spec.text("multi")?.map(str::to_owned);
            Path::Named(named.ok_or_else(missing)?.to_owned(), multi)
        }
    };
    spec.end()?;
    Ok(found)
}

/// The fields of texts that the paths mean; another way to be analyzed must be one that the index has.
pub(crate) fn texts_of(paths: &[Path], mapping: &Mapping) -> Result<Vec<String>> {
    for path in paths {
        if let Path::Named(path, Some(multi)) = path
            && !mapping.has_field(&fields::name(&format!("string.{multi}"), path))
        {
            return Err(refused(format!("Path '{path}' has no analyzer \"{multi}\"")));
        }
    }
    Ok(fields_of(paths, "string", mapping))
}

/// The fields of this type that the paths mean.
pub(crate) fn fields_of(paths: &[Path], kind: &str, mapping: &Mapping) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths {
        match path {
            Path::Named(path, multi) => {
                let name = match multi {
                    Some(multi) => fields::name(&format!("{kind}.{multi}"), path),
                    None => fields::name(kind, path),
                };
                if mapping.has_field(&name) {
                    found.push(name);
                }
            }
            Path::Wildcard(pattern) => {
                let all = mapping.fields().filter(|(name, _)| {
                    fields::parts(name).is_some_and(|(of, path)| of == kind && simple_match(pattern, path))
                });
                found.extend(all.map(|(name, _)| name.to_owned()));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// All fields at a path or below it.
pub(crate) fn below(path: &str, mapping: &Mapping) -> Vec<String> {
    let within = format!("{path}.");
    let is_there =
        |name: &str| fields::parts(name).is_some_and(|(_, at)| at == path || at.starts_with(&within));
    let names = mapping.fields().map(|(name, _)| name);
    names.filter(|name| is_there(name)).map(str::to_owned).collect()
}
