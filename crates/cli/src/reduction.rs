//! The flags that have a graph read as a simpler one.

use evergraph::Reduction;

/// Flags of `run` and `export`.
#[derive(Clone, Debug, clap::Args)]
pub struct ReductionArgs {
    /// Without self-loops; of parallel edges one, the lightest
    #[arg(long)]
    pub simple: bool,
    /// Edges of a directed graph lead both ways
    #[arg(long)]
    pub undirected: bool,
    /// Only the largest weakly connected component
    #[arg(long)]
    pub largest_component: bool,
}

impl ReductionArgs {
    /// Whether any is given.
    pub fn is_given(&self) -> bool {
        self.simple || self.undirected || self.largest_component
    }

    /// As options of an export.
    pub fn reduction(&self) -> Reduction {
        Reduction {
            simple: self.simple,
            undirected: self.undirected,
            largest_component: self.largest_component,
        }
    }

    /// As parameters of a run.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let all = [
            (self.simple, "graph", "simple"),
            (self.undirected, "undirected", "true"),
            (self.largest_component, "component", "largest"),
        ];
        let given = all.into_iter().filter(|(is_given, ..)| *is_given);
        given
            .map(|(_, name, value)| (name.to_string(), value.to_string()))
            .collect()
    }
}
