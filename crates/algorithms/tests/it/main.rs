//! Integration tests, all in one program: it links once.

mod centralities;
mod checkpoints;
mod common;
mod communities;
mod engine;
mod engine_problems;
mod kernels;
mod maintained;
mod memory_limit;
mod negative_cycles;
mod paths;
mod placement;
mod properties;
mod spreading;
mod trees;
mod triangles;
