//! Plans and what they examined, in MongoDB's shape.
