//! A synthetic social network after the schema of the LDBC Social Network
//! Benchmark: persons who know each other, their forums, posts, comments and
//! likes, and the places, organisations and tags these refer to.
//!
//! ```
//! use evergraph_generators::snb::{Network, Parameters};
//!
//! let network = Network::new(Parameters::with_persons(50).with_seed(7))?;
//! let friendships = network.friendships().count();
//! assert!(friendships > 50);
//! # Ok::<(), evergraph_generators::snb::SocialError>(())
//! ```
//!
//! - **Deterministic.** Every row is a function of the [`Parameters`] alone: of
//!   neither the machine, nor the order or the number of threads in which rows
//!   are made. No function whose last bits differ between platforms (`powf`,
//!   `ln`) takes part.
//! - **Streaming.** A [`Network`] keeps about 60 bytes a person. Rows are made on
//!   demand, person by person ([`Network::activity_of`]), and forgotten.
//! - **Correlated.** Names, languages, addresses and interests follow the country;
//!   friends studied together, like the same things, or met by chance; who has
//!   more friends writes more; messages pile up around events.
//! - **Causal.** Whatever refers to something is at least [`CAUSAL_GAP`] younger.
//!
//! Rows come as [`Event`]s in time, which are also the eight updates of the
//! benchmark. [`csv`] writes them as the benchmark's files, [`updates`] as its
//! update streams, [`queries`] makes parameters for its fourteen complex reads.
//!
//! Source: Erling et al., "The LDBC Social Network Benchmark: Interactive
//! Workload", SIGMOD 2015, and the specification of the benchmark, chapter 2. The
//! dictionaries are our own, so are the numbers; nothing here may be reported as a
//! result of the benchmark.

mod activity;
pub mod csv;
mod draw;
mod error;
mod forum;
mod friendship;
mod message;
mod network;
mod occasions;
mod parameters;
mod person;
pub mod queries;
mod rows;
mod text;
pub mod updates;
pub mod world;

pub use error::SocialError;
pub use friendship::Friend;
pub use network::Network;
pub use parameters::{CAUSAL_GAP, DAY, Parameters};
pub use rows::{
    Change, Comment, Event, Forum, Friendship, Gender, Job, Like, Membership, Message, Person,
    Post, Study,
};
