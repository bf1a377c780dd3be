//! Properties that hold for any edges, and for any bytes.

use evergraph_io::formats::{EdgeBatch, EdgeReader, EdgeWriter, Options};
use proptest::prelude::*;

use super::{gzip, options as options_of, outcome, read_all, temporary};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_written_are_read_back(
        rows in prop::collection::vec((any::<u64>(), any::<u64>(), prop::num::f32::NORMAL | prop::num::f32::ZERO | prop::num::f32::INFINITE, any::<i64>()), 0..200),
        extension in prop::sample::select(vec!["txt", "e.gz", "csv", "csv.zst", "tsv"]),
        weighted: bool, timestamps: bool, step in 1..50usize,
    ) {
        let (_directory, path) = temporary(extension);
        let mut batch = EdgeBatch {
            sources: rows.iter().map(|row| row.0).collect(),
            targets: rows.iter().map(|row| row.1).collect(),
            ..EdgeBatch::default()
        };
        if weighted {
            batch.weights = rows.iter().map(|row| row.2).collect();
        }
        if timestamps {
            batch.timestamps = rows.iter().map(|row| row.3).collect();
        }
        let mut writer = EdgeWriter::create(&path).unwrap();
        writer.batch(&batch).unwrap();
        prop_assert_eq!(writer.finish().unwrap(), rows.len() as u64);
        // Columns by position, as large weights may look like times.
        let options = match weighted && timestamps {
            true => options_of("weight=2 time=3"),
            false => Options { weighted, timestamps, ..Options::default() },
        };
        let (read, result) = read_all(&mut EdgeReader::open(&path, &options).unwrap(), step);
        result.unwrap();
        prop_assert_eq!(read, batch);
    }

    #[test]
    fn texts_written_are_read_back(
        rows in prop::collection::vec(("[a-z #%\",;|\t/é]{1,8}", "\\PC{1,6}"), 0..50),
        extension in prop::sample::select(vec!["csv", "tsv.gz"]),
    ) {
        let mut batch = EdgeBatch::default();
        for (source, target) in &rows {
            batch.source_texts.push(source);
            batch.target_texts.push(target);
        }
        let (_directory, path) = temporary(extension);
        let mut writer = EdgeWriter::create(&path).unwrap();
        writer.batch(&batch).unwrap();
        writer.finish().unwrap();
        let (read, result) = read_all(&mut EdgeReader::open(&path, &options_of("text")).unwrap(), 7);
        result.unwrap();
        prop_assert_eq!(read, batch);
    }

    #[test]
    fn garbage_never_panics(
        head in prop::sample::select(vec!["", "%%MatrixMarket matrix coordinate real skew-symmetric\n9 9 9\n", "p sp 9 9\n", "9 9 11\n", "9,9,u,g\n", "% bip x\n% 9 9 9\n"]),
        noise in prop::collection::vec(any::<u8>(), 0..300),
        lines in "([0-9a -]{0,9}[,; \t\"#%\r\n.e-]{0,2}){0,60}",
        words in prop::sample::select(vec!["", "skip=5", "text skip=999", "w t skip=99", "csv text", "mtx", "gr skip=9", "metis skip=99 w", "bipartite", "vertices", "sep=, uneven skip=99"]),
    ) {
        for body in [&noise[..], lines.as_bytes()] {
            let input = [head.as_bytes(), body].concat();
            outcome("a", words, &input, 5);
            outcome("a", words, &gzip(&input), 5);
            let cut = gzip(&input);
            outcome("a", words, &cut[..cut.len() / 2], 5);
        }
    }
}
