//! Generators of document ids for protocols whose clients send none.
