//! The flags that size the buffers in DRAM and pace merging.

use evergraph::Tuning;

/// Flags of the commands that fill a database.
#[derive(Clone, Debug, clap::Args)]
pub struct TuningArgs {
    /// DRAM for what is committed and not merged, such as 1GiB; past it, commits wait
    #[arg(long, value_name = "SIZE", value_parser = buffer_bytes)]
    buffer_bytes: Option<u64>,
    /// Sizes of a vertex's buffers, powers of two from 16 to 4096
    #[arg(long, value_name = "LEAST..MOST", value_parser = chunk_bytes)]
    chunk_bytes: Option<(usize, usize)>,
    /// Layout `blocks`: a section that has grown by so many percent is written
    /// whole with its next merge, or `never`
    #[arg(long, value_name = "PERCENT", value_parser = rewrite_growth)]
    rewrite_growth: Option<RewriteGrowth>,
}

/// By how many percent; `None` is never.
#[derive(Clone, Copy, Debug)]
struct RewriteGrowth(Option<u32>);

impl TuningArgs {
    /// As the store takes them.
    pub fn tuning(&self) -> Tuning {
        let mut tuning = Tuning::default();
        if let Some(bytes) = self.buffer_bytes {
            tuning.buffer_bytes = bytes as usize;
        }
        if let Some((least, most)) = self.chunk_bytes {
            (tuning.least_chunk_bytes, tuning.most_chunk_bytes) = (least, most);
            tuning.hub_chunk_bytes = Some(most);
        }
        if let Some(RewriteGrowth(percent)) = self.rewrite_growth {
            tuning.rewrite_growth = percent;
        }
        tuning
    }
}

fn buffer_bytes(text: &str) -> Result<u64, String> {
    crate::sizes::size_in(text, 1 << 16..=1 << 44)
}

fn rewrite_growth(text: &str) -> Result<RewriteGrowth, String> {
    match (text, text.parse()) {
        ("never", _) => Ok(RewriteGrowth(None)),
        (_, Ok(percent)) => Ok(RewriteGrowth(Some(percent))),
        _ => Err("give a percentage, such as 50, or `never`".to_string()),
    }
}

fn chunk_bytes(text: &str) -> Result<(usize, usize), String> {
    let size = |text: &str| {
        let size = text.trim().parse::<usize>().ok();
        size.filter(|size| size.is_power_of_two() && (16..=4096).contains(size))
    };
    let sizes = text.split_once("..").map(|(a, b)| (size(a), size(b)));
    match sizes {
        Some((Some(least), Some(most))) if least <= most => Ok((least, most)),
        _ => Err("give two powers of two from 16 to 4096, such as 16..256".to_string()),
    }
}
