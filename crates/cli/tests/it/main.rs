//! Integration tests, all in one program: it links once.

mod bad_input;
mod checkpoints;
mod commands;
mod common;
mod growth;
mod maintain;
mod peers;
mod pins;
mod plot;
mod projections;
mod relayout;
mod resume;
mod rows;
mod run;
mod seal;
mod search;
mod show;
mod snapshots;
mod tables;
mod threads;
mod trees;
mod triangles;
mod upkeep;
