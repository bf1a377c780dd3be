//! Rows in temporary files, where memory does not hold them.
//!
//! A file has no name as soon as it is open: it is gone with its handle, also after a
//! panic or a kill.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path as Directory, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_functions::{Datum, Path};
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_property_graph::value::codec::{self, NoTextCodes};

use crate::QueryError;

const VALUE: u8 = 0;
const NODE: u8 = 1;
const RELATIONSHIP: u8 = 2;
const PATH: u8 = 3;
const LIST: u8 = 4;
const MAP: u8 = 5;

/// Lists and maps lie at most so deep in each other, as in the stored form of values.
const DEEPEST: usize = codec::MOST_DEPTH;

/// Appends a datum.
fn put(datum: &Datum, bytes: &mut Vec<u8>, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        let message = format!("lists lie more than {DEEPEST} deep in each other");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    match datum {
        Datum::Value(value) => {
            bytes.push(VALUE);
            let begin = bytes.len();
            put_number(0, bytes);
            codec::encode(value, &NoTextCodes, bytes).map_err(io::Error::other)?;
            let length = number(bytes.len() - begin - 4)?;
            bytes[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
        }
        Datum::Node(id) => {
            bytes.push(NODE);
            put_number(id.0, bytes);
        }
        Datum::Relationship(id) => {
            bytes.push(RELATIONSHIP);
            put_number(id.0, bytes);
        }
        Datum::Path(path) => {
            bytes.push(PATH);
            put_number(number(path.relationships().len())?, bytes);
            path.nodes().iter().for_each(|id| put_number(id.0, bytes));
            let relationships = path.relationships().iter();
            relationships.for_each(|id| put_number(id.0, bytes));
        }
        Datum::List(data) => {
            bytes.push(LIST);
            put_number(number(data.len())?, bytes);
            for datum in data.iter() {
                put(datum, bytes, depth + 1)?;
            }
        }
        Datum::Map(entries) => {
            bytes.push(MAP);
            put_number(number(entries.len())?, bytes);
            for (key, datum) in entries.iter() {
                put_number(number(key.len())?, bytes);
                bytes.extend_from_slice(key.as_bytes());
                put(datum, bytes, depth + 1)?;
            }
        }
    }
    Ok(())
}

fn put_number(number: u32, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn number(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::Error::other("a value has more than 4 GiB"))
}

pub(crate) fn wrong() -> io::Error {
    let message = "the file has been changed by another program";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Takes bytes from the beginning of a record.
fn take<'b>(bytes: &mut &'b [u8], length: usize) -> io::Result<&'b [u8]> {
    let (head, rest) = bytes.split_at_checked(length).ok_or_else(wrong)?;
    *bytes = rest;
    Ok(head)
}

fn take_number(bytes: &mut &[u8]) -> io::Result<u32> {
    let head = take(bytes, 4)?;
    Ok(u32::from_le_bytes(head.try_into().map_err(|_| wrong())?))
}

fn take_datum(bytes: &mut &[u8], depth: usize) -> io::Result<Datum> {
    if depth > DEEPEST {
        return Err(wrong());
    }
    Ok(match take(bytes, 1)?[0] {
        VALUE => {
            let length = take_number(bytes)? as usize;
            let value = codec::decode(take(bytes, length)?, &NoTextCodes);
            Datum::Value(value.map_err(io::Error::other)?)
        }
        NODE => Datum::Node(NodeId(take_number(bytes)?)),
        RELATIONSHIP => Datum::Relationship(RelationshipId(take_number(bytes)?)),
        PATH => {
            let length = take_number(bytes)?;
            let nodes = (0..=length).map(|_| Ok(NodeId(take_number(bytes)?)));
            let nodes = nodes.collect::<io::Result<Vec<_>>>()?;
            let relationships = (0..length).map(|_| Ok(RelationshipId(take_number(bytes)?)));
            let relationships = relationships.collect::<io::Result<Vec<_>>>()?;
            Datum::Path(Arc::new(Path::new(nodes, relationships)))
        }
        LIST => {
            let length = take_number(bytes)?;
            let data = (0..length).map(|_| take_datum(bytes, depth + 1));
            Datum::List(data.collect::<io::Result<Vec<_>>>()?.into())
        }
        MAP => {
            let length = take_number(bytes)?;
            let entries = (0..length).map(|_| {
                let key = take_number(bytes)? as usize;
                let key = std::str::from_utf8(take(bytes, key)?).map_err(|_| wrong())?;
                Ok((Arc::from(key), take_datum(bytes, depth + 1)?))
            });
            Datum::Map(Arc::new(entries.collect::<io::Result<_>>()?))
        }
        _ => return Err(wrong()),
    })
}

/// Writes rows, one behind the other.
pub(crate) struct RowWriter<F: Write> {
    file: BufWriter<F>,
    record: Vec<u8>,
    bytes: u64,
}

impl<F: Write> RowWriter<F> {
    pub(crate) fn new(file: F, buffer: usize) -> Self {
        RowWriter {
            file: BufWriter::with_capacity(buffer, file),
            record: Vec::new(),
            bytes: 0,
        }
    }

    /// Bytes of the rows so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn write<'d>(&mut self, row: impl Iterator<Item = &'d Datum>) -> io::Result<()> {
        self.record.clear();
        for datum in row {
            put(datum, &mut self.record, 0)?;
        }
        let length = number(self.record.len())?;
        self.bytes += u64::from(length) + 4;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&self.record)
    }

    /// The file with all rows in it.
    pub(crate) fn finish(self) -> io::Result<F> {
        self.file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
    }
}

/// Reads rows in the order in which they were written.
pub(crate) struct RowReader<F: Read> {
    file: BufReader<F>,
    record: Vec<u8>,
}

impl<F: Read + Seek> RowReader<F> {
    pub(crate) fn new(mut file: F, buffer: usize) -> io::Result<Self> {
        file.rewind()?;
        Ok(RowReader {
            file: BufReader::with_capacity(buffer, file),
            record: Vec::new(),
        })
    }

    /// The next row; nothing at the end.
    pub(crate) fn read(&mut self) -> io::Result<Option<Vec<Datum>>> {
        let mut length = [0; 4];
        if self.file.read(&mut length[..1])? == 0 {
            return Ok(None);
        }
        self.file.read_exact(&mut length[1..])?;
        self.record.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.record)?;
        let mut bytes = self.record.as_slice();
        let mut row = Vec::new();
        while !bytes.is_empty() {
            row.push(take_datum(&mut bytes, 0)?);
        }
        Ok(Some(row))
    }
}

/// A file without a name in a directory.
pub(crate) fn file_in(directory: &Directory) -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(directory)?;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("evergraph-{}-{number}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                fs::remove_file(&path)?;
                return Ok(file);
            }
            // Left by a program of the same number that was killed between the two calls.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// An error of a temporary file.
pub(crate) fn failed(directory: &Directory) -> impl Fn(io::Error) -> QueryError + use<> {
    let directory = PathBuf::from(directory);
    move |source| QueryError::Spill {
        directory: directory.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use evergraph_property_graph::Value;

    use super::*;

    fn rows() -> Vec<Vec<Datum>> {
        let path = Path::new(vec![NodeId(1), NodeId(2)], vec![RelationshipId(7)]);
        let nested = Datum::list(vec![Datum::Node(NodeId(3)), Datum::from("ä"), Datum::NULL]);
        let map = Datum::map([(Arc::from("k"), nested.clone())].into());
        vec![
            vec![],
            vec![Datum::NULL, f64::NAN.into(), (-0.0).into(), i64::MIN.into()],
            vec![
                Datum::Node(NodeId(0)),
                Datum::Path(Arc::new(path)),
                nested,
                map,
            ],
            vec![Value::from(vec![1, 2]).into(), "".into(), true.into()],
        ]
    }

    fn written() -> Vec<u8> {
        let mut writer = RowWriter::new(Vec::new(), 16);
        for row in rows() {
            writer.write(row.iter()).expect("memory");
        }
        writer.finish().expect("memory")
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut reader = RowReader::new(Cursor::new(written()), 16).expect("memory");
        for row in rows() {
            assert_eq!(reader.read().expect("a row"), Some(row));
        }
        assert!(reader.read().expect("the end").is_none());
    }

    /// Damage is an error, or other rows, and never a panic.
    #[test]
    fn cut_and_changed_files_are_errors() {
        let whole = written();
        for cut in 1..whole.len() {
            let mut reader = RowReader::new(Cursor::new(&whole[..cut]), 16).expect("memory");
            while let Ok(Some(_)) = reader.read() {}
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x15;
            // A length of GiB is not tried.
            if at % 4 != 3 {
                let mut reader = RowReader::new(Cursor::new(changed), 16).expect("memory");
                while let Ok(Some(_)) = reader.read() {}
            }
        }
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        let deep = (0..200).fold(Datum::Node(NodeId(1)), |inner, _| Datum::list(vec![inner]));
        let mut writer = RowWriter::new(Vec::new(), 16);
        assert!(writer.write([deep].iter()).is_err());
    }

    /// A disk with so many bytes left.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = (self.0.checked_sub(bytes.len())).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told() {
        for left in 0..written().len() {
            let mut writer = RowWriter::new(Full(left), 16);
            let rows = rows();
            let done = rows.iter().try_for_each(|row| writer.write(row.iter()));
            let done = done.and_then(|()| writer.finish().map(drop));
            assert_eq!(
                done.map_err(|error| error.kind()),
                Err(io::ErrorKind::StorageFull)
            );
        }
    }

    #[test]
    fn files_have_no_names() {
        let directory =
            std::env::temp_dir().join(format!("evergraph-spill-{}", std::process::id()));
        let file = file_in(&directory).expect("a directory of temporary files");
        assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 0);
        let mut writer = RowWriter::new(file, 16);
        writer.write([Datum::from(1)].iter()).expect("a disk");
        let mut reader = RowReader::new(writer.finish().expect("a disk"), 16).expect("a disk");
        assert_eq!(reader.read().expect("a row"), Some(vec![Datum::from(1)]));
        fs::remove_dir(&directory).expect("it is empty");
    }
}
