//! Integration tests, all in one program: it links once.

mod algorithms;
mod architecture;
mod background;
mod common;
mod custom;
mod cycles;
mod export;
mod fork;
mod golden;
mod import;
mod lock;
mod maintain;
mod pins;
mod projections;
mod property_batches;
mod property_export;
mod property_files;
mod property_graph;
mod property_growth;
mod property_ignored;
mod property_tables;
mod runs;
mod sample_data;
mod sealed;
mod tiers;
mod time_travel;
