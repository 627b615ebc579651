//! The one boundary that protocols see: databases, collections, operations, errors
