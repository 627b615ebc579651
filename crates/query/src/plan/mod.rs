//! Which indexes can answer a filter and a sort, and which of them is best.
