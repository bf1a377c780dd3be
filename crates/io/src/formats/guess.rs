//! Format of a file, guessed from its name and its first bytes.

use std::path::Path;

use super::columns::deletes;
use super::compression::Compression;
use super::error::FormatError;
use super::options::Format;
use crate::RETURNS_ALONE;

/// The name without the extension of the compression.
pub(super) fn uncompressed_name(path: &Path) -> &Path {
    match Compression::of_name(path) {
        Compression::None => path,
        _ => path.file_stem().map_or(path, Path::new),
    }
}

/// The extension in lower case, compression aside.
pub fn extension(path: &Path) -> Option<String> {
    let extension = uncompressed_name(path).extension()?;
    Some(extension.to_str()?.to_ascii_lowercase())
}

/// Whether this is a list of vertices by name, as Graphalytics names them.
pub(super) fn is_vertex_list(path: &Path) -> bool {
    extension(path).as_deref() == Some("v")
}

/// Says which format `path` has, given the first bytes of its text.
pub(super) fn format(path: &Path, head: &[u8]) -> Result<Format, FormatError> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if starts_with_ignoring_case(head, b"%%MatrixMarket") {
        return Ok(Format::MatrixMarket);
    }
    let extension = extension(path);
    if let Some((problem, hint)) = foreign(extension.as_deref(), head) {
        return Err(FormatError::Unsupported {
            file: path.to_owned(),
            problem: problem.to_owned(),
            hint: hint.to_owned(),
        });
    }
    let extension = extension.as_deref();
    let may_be_events = !matches!(
        extension,
        Some("mtx" | "mm" | "gr" | "graph" | "metis" | "v")
    );
    if may_be_events && has_events(head) {
        return Ok(Format::Events);
    }
    Ok(match extension {
        Some("mtx" | "mm") => Format::MatrixMarket,
        Some("gr") => Format::Dimacs,
        Some("graph" | "metis") => Format::Metis,
        Some("csv" | "tsv" | "jlg") => Format::Csv,
        Some("e" | "v" | "el" | "wel" | "edges" | "edgelist") => Format::EdgeList,
        _ => by_content(head),
    })
}

/// Whether the first line that is no comment has `+` or `-` alone in its first
/// or second column, and the ends of an edge behind it.
fn has_events(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !matches!(line, [] | [b'#' | b'%', ..] | [b'/', b'/', ..]));
    let separates = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';');
    let fields = lines.next().unwrap_or_default().split(separates);
    let fields: Vec<&[u8]> = fields.filter(|field| !field.is_empty()).collect();
    let operation = fields
        .iter()
        .take(2)
        .position(|field| deletes(field).is_some());
    operation.is_some_and(|at| fields.len() >= at + 3)
}

/// Decides between formats that go by `.txt` and by no extension at all.
fn by_content(head: &[u8]) -> Format {
    let mut first = None;
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        let comment = matches!(line, [] | [b'#' | b'%', ..] | [b'/', b'/', ..]);
        if line.starts_with(b"p sp ") {
            return Format::Dimacs;
        }
        if !comment && first.is_none() {
            first = Some(line);
        }
        // DIMACS comments may fill many lines; anything else decides at once.
        if !comment && line != b"c" && !line.starts_with(b"c ") {
            break;
        }
    }
    let first = first.unwrap_or_default();
    let is_blank = |&byte: &u8| byte == b' ' || byte == b'\t';
    if first.contains(&b',') && !first.iter().any(is_blank) {
        return Format::Csv;
    }
    Format::EdgeList
}

/// Kinds of files that are met beside edge lists, and advice for them.
fn foreign(extension: Option<&str>, head: &[u8]) -> Option<(&'static str, &'static str)> {
    const CONVERT: &str = "convert it to an edge list or csv first";
    const UNPACK: &str = "unpack it, or pack it again with gzip or zstd";
    const MAGIC: &[(&[u8], &str, &str)] = &[
        (b"PK\x03\x04", "this is a zip archive", UNPACK),
        (b"BZh", "this is compressed with bzip2", UNPACK),
        (b"\xfd7zXZ\0", "this is compressed with xz", UNPACK),
        (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive", UNPACK),
        (b"PAR1", "this is a Parquet file", CONVERT),
        (b"SQLite format 3", "this is a SQLite database", CONVERT),
        (b"<?xml", "this is XML", CONVERT),
        (b"<graphml", "this is GraphML", CONVERT),
        (
            b"\xff\xfe",
            "this is UTF-16 text",
            "convert it to UTF-8, for example with iconv",
        ),
        (
            b"\xfe\xff",
            "this is UTF-16 text",
            "convert it to UTF-8, for example with iconv",
        ),
    ];
    for (magic, problem, hint) in MAGIC {
        if head.starts_with(magic) {
            return Some((problem, hint));
        }
    }
    if head.get(257..262) == Some(b"ustar") {
        return Some(("this is a tar archive", UNPACK));
    }
    match extension {
        Some("graphml" | "gexf" | "gml" | "xml") => Some(("this is a markup file", CONVERT)),
        Some("json" | "jsonl" | "ndjson") => Some(("this is a JSON file", CONVERT)),
        _ => None,
    }
}

/// Refuses a file whose lines end with CR and no LF: it would be one line. By the first
/// line alone, which the head always has.
pub(super) fn check_line_ends(path: &Path, head: &[u8]) -> Result<(), FormatError> {
    let first = head.split(|&byte| byte == b'\n').next();
    let [problem, hint] = RETURNS_ALONE;
    match first.is_some_and(|first| first.trim_ascii().contains(&b'\r')) {
        false => Ok(()),
        true => Err(FormatError::Unsupported {
            file: path.to_owned(),
            problem: problem.to_owned(),
            hint: hint.to_owned(),
        }),
    }
}

pub(super) fn starts_with_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_name_and_head() {
        let rows: &[(&str, &str, &str)] = &[
            ("a.txt", "# hello\n1\t2\n", "edgelist"),
            ("a.txt", "1,2\n", "csv"),
            ("a.txt", "1, 2\n", "edgelist"),
            ("a.txt.gz", "c\nc road\np sp 2 1\na 1 2 3\n", "gr"),
            ("a.txt", "c d\nd e\n", "edgelist"),
            ("out.konect_x_x", "% sym unweighted\n1 2\n", "edgelist"),
            ("a.TSV.zst", "1\t2\n", "csv"),
            ("a.csv.gz", "1,2\n", "csv"),
            ("a.csv", "%%matrixmarket matrix", "mtx"),
            ("a.mtx", "", "mtx"),
            ("a.gr", "", "gr"),
            ("a.graph.gz", "3 2\n", "metis"),
            ("x.e", "1,2\n", "edgelist"),
            ("x.v", "1\n", "edgelist"),
            ("a.txt", "# x\n+ 1 2\n- 1 2\n", "events"),
            ("a.tsv.zst", "19971108\t+\t1\t3\n", "events"),
            ("a.csv", "1997-11-08,-,1,3\n", "events"),
            ("a.txt", "+ 1\n", "edgelist"),
            ("a.txt", "L\ts1\t+\ts2\t-\n", "edgelist"),
            ("empty", "", "edgelist"),
            ("a.txt", "PK\u{3}\u{4}...", "a.txt: this is a zip archive"),
            ("a.graphml", "", "a.graphml: this is a markup file"),
            ("a.e", "<?xml version", "a.e: this is XML"),
        ];
        for (name, head, expected) in rows {
            let got = match format(Path::new(name), head.as_bytes()) {
                Ok(format) => format.name().to_owned(),
                Err(error) => error.summary(),
            };
            assert_eq!(got, *expected, "{name} {head:?}");
        }
        assert!(is_vertex_list(Path::new("a/g.v.zst")));
        assert!(!is_vertex_list(Path::new("a/g.e")));
    }
}
