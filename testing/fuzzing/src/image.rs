//! The files of a database in memory.

use std::path::Path;

use evergraph_storage::medium::DramStorage;
use evergraph_storage::{Medium, Storage};

/// Names and bytes of files.
#[derive(Clone)]
pub struct Image(pub Vec<(String, Vec<u8>)>);

impl Image {
    /// Reads a directory of this repository; files that end in `.zst` unpacked.
    pub fn golden(directory: &str) -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(directory);
        let entries = std::fs::read_dir(&directory);
        let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        let mut files: Vec<(String, Vec<u8>)> = entries
            .map(|entry| {
                let entry = entry.expect("readable");
                let bytes = std::fs::read(entry.path()).expect("readable");
                let name = entry.file_name().into_string().expect("a name in UTF-8");
                match name.strip_suffix(".zst") {
                    Some(plain) => (plain.into(), zstd::decode_all(&bytes[..]).expect("packed")),
                    None => (name, bytes),
                }
            })
            .collect();
        files.sort();
        Image(files)
    }

    /// The files that are named so.
    pub fn only(mut self, names: &[&str]) -> Self {
        self.0.retain(|file| names.contains(&&*file.0));
        self
    }

    pub fn file(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|file| file.0 == name)
    }

    pub fn bytes(&self, file: usize) -> &[u8] {
        &self.0[file].1
    }

    pub fn bytes_mut(&mut self, file: usize) -> &mut Vec<u8> {
        &mut self.0[file].1
    }

    /// Files of a medium, in this order.
    pub fn of_storage(storage: &DramStorage, names: &[&str]) -> Self {
        let read = |name: &&str| {
            let medium = storage.open(name, false).expect("it is there");
            let mut bytes = vec![0; medium.len() as usize];
            medium.read(0, &mut bytes).expect("its own length");
            (name.to_string(), bytes)
        };
        Image(names.iter().map(read).collect())
    }

    /// The same files on the medium `dram`.
    pub fn storage(&self) -> DramStorage {
        let storage = DramStorage::new();
        for (name, bytes) in &self.0 {
            let medium = storage.open(name, true).expect("nothing is there yet");
            medium.grow(bytes.len() as u64).expect("room");
            medium.write(0, bytes).expect("room");
        }
        storage
    }

    /// The identity of the database, in whose words checksums begin.
    pub fn uuid(&self) -> [u8; 16] {
        self.0
            .iter()
            .find(|file| file.0 == "pool" || file.0 == "results")
            .expect("a pool")
            .1[16..32]
            .try_into()
            .expect("16 bytes")
    }
}
