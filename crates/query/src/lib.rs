//! The query language: filters, updates, projections, expressions, planner, executor, explain, pipeline
