//! The MongoDB wire protocol on the engine
