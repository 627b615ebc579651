//! MongoDB's query language: parsed once, matched against raw documents.
