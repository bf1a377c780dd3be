//! Edge lists as found in the wild: what is read, what is refused, and in which words.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Read, Write as _};
use std::path::{Path, PathBuf};

use evergraph_io::formats::{
    Column, Contents, EdgeBatch, EdgeReader, EdgeWriter, EndpointKind, Format, FormatError, Header,
    LINE_LIMIT, Options, TextColumn, write_edges,
};

mod counts;
mod properties;

/// Options from words: `w`eighted, `t`imestamps, `text`, `skip=N`, a format, …
fn options(words: &str) -> Options {
    let mut options = Options::default();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("w", _) => options.weighted = true,
            ("t", _) => options.timestamps = true,
            ("text", _) => options.ids = EndpointKind::Text,
            ("skip", count) => options.skip_bad = count.parse().unwrap(),
            ("header", _) => options.header = Header::Present,
            ("no-header", _) => options.header = Header::Absent,
            ("vertices", _) => options.contents = Contents::Vertices,
            ("edges", _) => options.contents = Contents::Edges,
            ("bipartite", _) => options.bipartite = true,
            ("keep", _) => options.keep_base = true,
            ("uneven", _) => options.allow_uneven = true,
            ("sep", "tab") => options.separator = Some(b'\t'),
            ("sep", byte) => options.separator = Some(byte.as_bytes()[0]),
            ("comments", on) => options.comments = Some(on == "yes"),
            ("source", column) => options.columns.source = Some(self::column(column)),
            ("target", column) => options.columns.target = Some(self::column(column)),
            ("weight", column) => options.columns.weight = Some(self::column(column)),
            ("time", column) => options.columns.timestamp = Some(self::column(column)),
            (format, _) => options.format = Some(format.parse().unwrap()),
        }
    }
    options
}

fn column(text: &str) -> Column {
    match text.parse() {
        Ok(index) => Column::Index(index),
        Err(_) => Column::Name(text.to_owned()),
    }
}

/// Reads to the end in batches of `step`: all edges, and how it ended.
fn read_all(reader: &mut EdgeReader, step: usize) -> (EdgeBatch, Result<(), FormatError>) {
    let (mut all, mut batch) = (EdgeBatch::default(), EdgeBatch::default());
    loop {
        let result = reader.next_batch(&mut batch, step);
        append(&mut all, &batch);
        match result {
            Ok(0) => return (all, Ok(())),
            Ok(count) => assert_eq!(count, batch.len()),
            Err(error) => return (all, Err(error)),
        }
    }
}

fn append(all: &mut EdgeBatch, more: &EdgeBatch) {
    all.sources.extend(&more.sources);
    all.targets.extend(&more.targets);
    more.source_texts
        .iter()
        .for_each(|t| all.source_texts.push(t));
    more.target_texts
        .iter()
        .for_each(|t| all.target_texts.push(t));
    all.weights.extend(&more.weights);
    all.timestamps.extend(&more.timestamps);
}

/// One edge a word: `1>2`, with `*weight` and `@time`.
fn show(batch: &EdgeBatch) -> String {
    let mut text = String::new();
    for i in 0..batch.len() {
        if i > 0 {
            text.push(' ');
        }
        match batch.source_texts.is_empty() {
            true => write!(text, "{}", batch.sources[i]).unwrap(),
            false => text += batch.source_texts.get(i),
        }
        if let Some(target) = batch.targets.get(i) {
            write!(text, ">{target}").unwrap();
        } else if !batch.target_texts.is_empty() {
            text = text + ">" + batch.target_texts.get(i);
        }
        if let Some(weight) = batch.weights.get(i) {
            write!(text, "*{weight}").unwrap();
        }
        if let Some(time) = batch.timestamps.get(i) {
            write!(text, "@{time}").unwrap();
        }
    }
    text
}

/// Reads `input` as a file of this name, and says what came of it: the edges,
/// then what the head says, then what went wrong.
fn outcome(name: &str, words: &str, input: &[u8], step: usize) -> String {
    let bytes = Cursor::new(input.to_vec());
    let mut reader = match EdgeReader::from_reader(name, bytes, &options(words)) {
        Ok(reader) => reader,
        Err(error) => return error.to_string(),
    };
    let (edges, result) = read_all(&mut reader, step);
    let mut text = show(&edges);
    if let Some(ids) = reader.declared_ids() {
        write!(text, " of {ids:?}").unwrap();
        assert_eq!(reader.declared_vertex_count(), Some(ids.end - ids.start));
    }
    if reader.symmetric() {
        text += " undirected";
    }
    for skipped in &reader.skipped().first {
        write!(text, " | skipped {}: {}", skipped.line, skipped.reason).unwrap();
    }
    if let Err(error) = result {
        write!(text, " | {error}").unwrap();
    }
    text
}

/// The bytes that the text of a case stands for.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                None => return bytes,
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'x') => {
                    let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap();
                    (digit() * 16 + digit()) as u8
                }
                Some(other) => panic!("unknown escape {:?}", char::from(other)),
            },
            byte => byte,
        });
    }
    bytes.push(b'\n');
    bytes
}

#[test]
fn files_are_read_or_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases.txt");
    let cases = fs::read_to_string(&path).unwrap();
    let rewrite = std::env::var_os("REWRITE_CASES").is_some();
    let mut parts = cases.split("\n== ");
    let mut rewritten = parts.next().unwrap().to_owned();
    for case in parts {
        let (head, rest) = case.split_once('\n').unwrap();
        let (input, expected) = rest.split_once("\n----\n").unwrap();
        let (name, words) = head.split_once(' ').unwrap_or((head, ""));
        let mut got = String::new();
        for step in [1, 2, 100] {
            got = outcome(name, words, &unescape(input), step);
            let matches = rewrite || got.trim() == expected.trim();
            let expected = expected.trim();
            assert!(matches, "{head}\n{input}\n got: {got}\nwant: {expected}");
        }
        write!(rewritten, "\n== {head}\n{input}\n----\n{}\n", got.trim()).unwrap();
    }
    if rewrite {
        fs::write(path, rewritten).unwrap();
    }
}

#[test]
fn bytes_that_are_no_text_are_no_ids() {
    // Bytes that are not UTF-8 are an id neither as text nor as a number.
    for (words, reason) in [("text", "is not UTF-8 text"), ("", "is not a number")] {
        let got = outcome("a.e", words, b"1 2\n3 \xff\xfe\n", 10);
        assert!(
            got.contains(&format!("a.e:2:3: the target id {reason}")),
            "{got}"
        );
    }
    let mut long = b"1 2\n".to_vec();
    long.resize(LINE_LIMIT * 2, b'7');
    long.extend(b"\n3 4\n");
    let got = outcome("a.e", "skip=1", &long, 10);
    assert_eq!(
        got,
        "1>2 3>4 | skipped 2: the line is longer than 1048576 bytes"
    );
}

#[test]
fn weights_with_more_digits_than_are_kept_are_told() {
    for (name, text, rounds) in [
        ("a.e", "1 2 0.1\n2 3 0.25\n", false),
        ("a.e", "1 2 0.1\n2 3 0.123456789\n", true),
        ("a.gr", "p sp 2 1\na 1 2 16777217\n", true),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.00000001\n",
            true,
        ),
    ] {
        let options = Options {
            weighted: true,
            ..Options::default()
        };
        let mut reader = EdgeReader::from_reader(name, text.as_bytes(), &options).unwrap();
        let mut batch = EdgeBatch::default();
        while reader.next_batch(&mut batch, 1).unwrap() > 0 {}
        assert_eq!(reader.rounds_weights(), rounds, "{text}");
    }
}

#[test]
fn only_the_first_bad_lines_are_kept() {
    let many = "x y\n".repeat(50) + "1 2\n";
    let mut reader =
        EdgeReader::from_reader("a.e", Cursor::new(many), &options("skip=50")).unwrap();
    assert_eq!(show(&read_all(&mut reader, 9).0), "1>2");
    assert_eq!(
        (reader.skipped().count, reader.skipped().first.len()),
        (50, 10)
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn truncated_and_damaged_files_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let text: String = (0..200_000)
        .map(|i| format!("{i} {}\n", i * 7919 % 200_003))
        .collect();
    let mut checked = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    checked.include_checksum(true).unwrap();
    checked.write_all(text.as_bytes()).unwrap();
    let packed = [
        ("gzip", "a.txt.gz", gzip(text.as_bytes())),
        ("zstd", "a.txt.zst", checked.finish().unwrap()),
    ];
    for (kind, name, whole) in packed {
        let path = directory.path().join(name);
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let mut reader = EdgeReader::open(&path, &Options::default())?;
            let (edges, result) = read_all(&mut reader, 1000);
            let position = reader.position();
            result.map(|()| (edges.len(), position))
        };
        let (edges, position) = read(&whole).unwrap();
        assert_eq!((edges, position.lines), (200_000, 200_000));
        assert_eq!(position.fraction(), Some(1.0));
        // Members and frames one after another are one text.
        assert_eq!(read(&[&whole[..], &whole[..]].concat()).unwrap().0, 400_000);
        for cut in [0, 3, 10, 1000, whole.len() / 2, whole.len() - 1] {
            let error = match read(&whole[..cut]) {
                Err(error) => error.to_string(),
                // Three bytes of zstd are not known for zstd; they are no edges either.
                Ok((edges, _)) => panic!("{name} cut at {cut} gave {edges} edges"),
            };
            assert!(error.contains(name), "{error}");
            let told = error.contains(&format!("the {kind} data is cut off after line"));
            assert!(told || cut == 3, "{cut}: {error}");
        }
        // A wrong checksum is found when all has been read; a flip elsewhere
        // may give wrong text first, but never an end without error.
        for (back, told) in [
            (if kind == "gzip" { 6 } else { 2 }, true),
            (whole.len() / 2, false),
        ] {
            let mut damaged = whole.clone();
            damaged[whole.len() - back] ^= 0x10;
            let error = read(&damaged).unwrap_err().to_string();
            let how = format!("{name}: the {kind} data is damaged");
            assert!(error.contains(if told { &how } else { name }), "{error}");
        }
        for tail in [&whole[..5], b"garbage", &[0]] {
            let error = read(&[&whole[..], tail].concat()).unwrap_err();
            assert!(
                matches!(error, FormatError::Damaged { line: 200_000, .. }),
                "{error}"
            );
        }
        let line: u64 = match read(&whole[..whole.len() / 2]) {
            Err(FormatError::Damaged { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert!((50_000..150_000).contains(&line), "{line}");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let open = |path: &Path| {
        EdgeReader::open(path, &Options::default())
            .unwrap_err()
            .to_string()
    };
    let missing = directory.path().join("missing.txt");
    assert!(open(&missing).contains("missing.txt: no such file; check the path"));
    assert!(open(directory.path()).contains("is a directory, not a file; name the files in it"));
    let pipe = directory.path().join("pipe");
    if std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .is_ok_and(|status| status.success())
    {
        assert!(open(&pipe).contains("pipe is a pipe or device, not a file"));
    }
    let first = directory.path().join("a.txt");
    fs::write(&first, "1 2\n").unwrap();
    let error = EdgeReader::open_all([&first, &missing], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("missing.txt: no such file"));
}

#[test]
fn files_of_several_formats_are_read_after_another_and_resumed() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let files = [
        "friends.txt",
        "votes.csv.gz",
        "roads.gr.zst",
        "ring.mtx",
        "star.graph",
        "empty.txt",
        "friends.v",
    ];
    let files: Vec<PathBuf> = files.iter().map(|name| data.join(name)).collect();
    let open = || EdgeReader::open_all(&files, &Options::default()).unwrap();
    let mut reader = open();
    assert_eq!(reader.declared_ids(), Some(0..6));
    let mut batch = EdgeBatch::default();
    let mut stops = vec![(reader.position().lines, String::new())];
    let mut formats = Vec::new();
    while reader.next_batch(&mut batch, 3).unwrap() > 0 {
        let edges = stops.last().unwrap().1.clone() + &show(&batch) + " ";
        stops.push((reader.position().lines, edges));
        formats.push(format!(
            "{}{}",
            reader.format(),
            if reader.symmetric() { "-" } else { ">" }
        ));
    }
    formats.dedup();
    assert_eq!(
        formats.join(" "),
        "edgelist> csv> gr> mtx- metis- edgelist>"
    );
    assert!(reader.lists_vertices());
    assert_eq!(reader.position().fraction(), Some(1.0));
    let whole = &stops.last().unwrap().1;
    assert_eq!(
        whole,
        include_str!("../data/expected.txt").trim_end_matches('\n')
    );
    // From each stop the rest is the rest.
    for (lines, edges) in &stops {
        let mut reader = open();
        reader.skip_lines(*lines).unwrap();
        assert_eq!(reader.position().lines.max(*lines), reader.position().lines);
        let mut rest = edges.clone();
        while reader.next_batch(&mut batch, 3).unwrap() > 0 {
            rest += &(show(&batch) + " ");
        }
        let even = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(even(&rest), even(whole), "after line {lines}");
    }
    let error = open().skip_lines(10_000).unwrap_err().to_string();
    assert!(
        error.contains("reading was to go on after line 10000"),
        "{error}"
    );
}

fn temporary(extension: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(format!("a.{extension}"));
    (directory, path)
}

#[test]
fn what_cannot_be_written_is_refused() {
    let (_directory, path) = temporary("txt");
    let mut writer = EdgeWriter::create(&path).unwrap();
    writer.edge(1, 2, None, None).unwrap();
    let error = writer
        .edge(1, 2, Some(f32::NAN), None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot write the weight NaN"), "{error}");
    for text in ["", "two words", "# x", "a\nb", "a,b", "+", "-"] {
        let mut texts = TextColumn::default();
        texts.push(text);
        let batch = EdgeBatch {
            source_texts: texts.clone(),
            target_texts: texts,
            ..EdgeBatch::default()
        };
        let error = writer.batch(&batch).unwrap_err().to_string();
        assert!(
            error.contains(&format!("cannot write the id {text:?}")),
            "{error}"
        );
    }
    let uneven = EdgeBatch {
        sources: vec![1, 2],
        targets: vec![1],
        ..EdgeBatch::default()
    };
    assert!(writer.batch(&uneven).is_err());
    writer.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "1 2\n");
    for extension in ["mtx", "unknown"] {
        let error = write_edges(path.with_extension(extension), [(0, 1)])
            .unwrap_err()
            .to_string();
        let expected = format!("a plain graph is not written as {extension}; write an edge list");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn real_files_are_read() {
    let Some(data) = std::env::var_os("EVERGRAPH_DATA") else {
        // Written past the test harness, which hides what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED real_files_are_read: EVERGRAPH_DATA names no directory with the files of \
             tests/data/real.tsv"
        );
        return;
    };
    let data = Path::new(&data);
    let table = include_str!("../data/real.tsv").lines();
    for row in table.filter(|line| !line.starts_with('#')) {
        let [name, words, edges, head] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {row:?}");
        };
        let edges: usize = edges.parse().unwrap();
        let mut reader = EdgeReader::open(data.join(name), &options(words)).unwrap();
        let (read, result) = read_all(&mut reader, 1 << 16);
        result.unwrap();
        let count = reader
            .declared_vertex_count()
            .map(|count| count.to_string());
        let got = count.unwrap_or_default() + if reader.symmetric() { "-" } else { "" };
        assert_eq!((read.len(), &*got), (edges, head), "{name}");
        let options = options(words);
        let filled = |column: usize, wanted: bool| {
            assert_eq!(column, if wanted { edges } else { 0 }, "{name}")
        };
        filled(read.weights.len(), options.weighted);
        filled(
            read.timestamps.len(),
            options.timestamps || options.columns.timestamp.is_some(),
        );
    }
    // Every matrix either parses or says why not; the mangled ones whose shape
    // is broken do not parse.
    for entry in fs::read_dir(data.join("mtx-files")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "SOURCE.txt" {
            continue;
        }
        let forced = Options {
            format: Some(Format::MatrixMarket),
            ..Options::default()
        };
        let result =
            EdgeReader::open(&path, &forced).and_then(|mut reader| read_all(&mut reader, 1000).1);
        let refused = [
            "full.mtx",
            "full_symmetric.mtx",
            "lp_afiro.mtx",
            "sources_7.mtx",
        ];
        // `mangled_int8.mtx` and its like are sound but for values too large for the type in a comment.
        let broken =
            name.starts_with("mangled") && !name.contains('_') || refused.contains(&&*name);
        assert_eq!(result.is_err(), broken, "{name}: {result:?}");
    }
    // A list of neighbors must not be read as a list of edges.
    for name in ["bfs/dir-input", "cdlp/undir-input", "pr/dir-input"] {
        let path = data.join("graphalytics-small").join(name);
        let result = EdgeReader::open(&path, &Options::default())
            .and_then(|mut reader| read_all(&mut reader, 9).1);
        assert!(
            result
                .unwrap_err()
                .to_string()
                .contains("lists of neighbors are no edge list")
        );
    }
    let mut text = Vec::new();
    let file = fs::File::open(data.join("collegemsg/CollegeMsg.txt.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(file)
        .read_to_end(&mut text)
        .unwrap();
    let mut reader = EdgeReader::from_reader("x", Cursor::new(text), &options("t")).unwrap();
    let (read, _) = read_all(&mut reader, 1000);
    assert_eq!(
        (read.timestamps[0], read.timestamps[59_834]),
        (1_082_040_961, 1_098_777_142)
    );
}
