//! What of a document is shown.
