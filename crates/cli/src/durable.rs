//! The flags that say what of a run survives.

use evergraph::algorithms::placement::Policy;
use evergraph::run::{Checkpointing, Durable};
use serde_json::{Value, json};

use crate::report::{Failure, bytes, count, seconds};

/// Flags of `run`.
#[derive(Clone, Debug, clap::Args)]
pub struct DurableArgs {
    /// Keep the state of the run after every N steps, so that it can go on after a
    /// crash; see --help ALGORITHM for what a step is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// What the state is called [default: as the algorithm]
    #[arg(long, value_name = "NAME", requires = "checkpoint_every")]
    name: Option<String>,
    /// Go on from the state of an earlier run; with --checkpoint-every, begin anew
    /// if there is none
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    resume: Option<Option<String>>,
    /// Keep the result in the database, under a name; see `evergraph results`
    #[arg(long, value_name = "NAME")]
    keep: Option<String>,
    /// Memory for state that is written while the run goes on; what it has no room
    /// for is written while the run waits. With `auto`, of the memory that the run
    /// leaves free what a model of its accesses gives to the state [default: auto]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    checkpoint_memory: Option<Memory>,
    /// How the vertices are chosen whose state goes into that memory first: degree,
    /// centrality or random [default: degree]
    #[arg(long, value_name = "POLICY", requires = "checkpoint_memory",
          value_parser = ["degree", "centrality", "random"], hide_possible_values = true)]
    hot: Option<String>,
}

/// How much memory for state.
#[derive(Clone, Copy, Debug)]
enum Memory {
    /// As the model says.
    Auto,
    Bytes(usize),
}

fn memory(text: &str) -> Result<Memory, String> {
    match text {
        "auto" => Ok(Memory::Auto),
        bytes => match crate::sizes::size(bytes) {
            Ok(bytes) => Ok(Memory::Bytes(bytes as usize)),
            Err(why) => Err(format!("{why}, or auto")),
        },
    }
}

impl DurableArgs {
    /// Whether --resume was given.
    pub fn resumes(&self) -> bool {
        self.resume.is_some()
    }

    /// The request for a durable run, of the arguments.
    pub fn durable(&self) -> Result<Durable, Failure> {
        let resumed = self.resume.clone().flatten();
        if let (Some(name), Some(resumed)) = (&self.name, &resumed)
            && name != resumed
        {
            return Err(Failure::usage(
                format!("--name {name} and --resume {resumed} name two states"),
                "a run goes on under the name of its state: give one name",
            ));
        }
        Ok(Durable {
            checkpoint_every: self.checkpoint_every,
            name: self.name.clone().or(resumed),
            resume: self.resume.is_some(),
            keep: self.keep.clone(),
            hold_state: true,
            staging_bytes: match self.checkpoint_memory {
                Some(Memory::Bytes(bytes)) => Some(bytes),
                Some(Memory::Auto) | None => None,
            },
            divide_memory: true,
            hot: self
                .hot
                .as_deref()
                .and_then(Policy::named)
                .unwrap_or_default(),
        })
    }
}

/// Cost of the checkpoints, for `--json`.
pub fn to_json(cost: &Checkpointing) -> Value {
    json!({
        "resumed_step": cost.resumed_step,
        "kept": cost.kept,
        "bytes_written": cost.bytes_written,
        "blocks_written": cost.blocks_written,
        "blocks_shared": cost.blocks_shared,
        "waited_seconds": cost.waited_seconds,
        "hot": cost.placed.map(|placed| json!({
            "policy": placed.policy.name(),
            "vertices": placed.vertices,
            "bytes": placed.bytes,
        })),
        "divided": cost.divided.map(|divided| json!({
            "bytes": divided.bytes,
            "alpha": divided.alpha,
            "state_bytes": divided.state_bytes,
        })),
    })
}

/// The same for people.
pub fn to_text(cost: &Checkpointing) -> String {
    let mut text = format!(
        "{} states kept, {} written, {} of {} blocks shared, {} waited",
        count(cost.kept),
        bytes(cost.bytes_written),
        count(cost.blocks_shared),
        count(cost.blocks_shared + cost.blocks_written),
        seconds(cost.waited_seconds)
    );
    if let Some(placed) = cost.placed {
        text = format!(
            "{text}; {} hot vertices by {} in {}",
            count(placed.vertices),
            placed.policy.name(),
            bytes(placed.bytes)
        );
    }
    if let Some(divided) = cost.divided {
        text = format!(
            "{text}; of {} free {} for state (alpha {:.2})",
            bytes(divided.bytes),
            bytes(divided.state_bytes),
            divided.alpha
        );
    }
    if cost.resumed_step > 0 {
        text = format!("went on after step {}; {text}", count(cost.resumed_step));
    }
    text
}
