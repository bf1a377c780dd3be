//! The flags that size the buffers in DRAM.

use evergraph::Tuning;

/// Flags of the commands that fill a database.
#[derive(Clone, Debug, clap::Args)]
pub struct TuningArgs {
    /// DRAM for what is committed and not merged; past it, commits wait
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1 << 16..=1 << 44))]
    buffer_bytes: Option<u64>,
    /// Sizes of a vertex's buffers, powers of two from 16 to 4096
    #[arg(long, value_name = "LEAST..MOST", value_parser = chunk_bytes)]
    chunk_bytes: Option<(usize, usize)>,
}

impl TuningArgs {
    /// As the store takes them.
    pub fn tuning(&self) -> Tuning {
        let mut tuning = Tuning::default();
        if let Some(bytes) = self.buffer_bytes {
            tuning.buffer_bytes = bytes as usize;
        }
        if let Some((least, most)) = self.chunk_bytes {
            (tuning.least_chunk_bytes, tuning.most_chunk_bytes) = (least, most);
        }
        tuning
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
