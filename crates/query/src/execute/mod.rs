//! Plans running page by page on a snapshot; finding and changing documents.
