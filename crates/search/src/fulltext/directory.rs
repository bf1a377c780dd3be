//! The directory of the library, with a checksum behind each of the small files that
//! say what the others are. The library has checksums of the others itself.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// Bytes of the checksum (CRC-32C, little-endian).
const CHECKSUM: usize = 4;

/// Files of an index, none of which is believed without its checksum.
#[derive(Clone, Debug)]
pub(crate) struct CheckedDirectory(pub MmapDirectory);

fn damaged(path: &Path) -> OpenReadError {
    let what = io::Error::new(io::ErrorKind::InvalidData, "the checksum is wrong");
    OpenReadError::wrap_io_error(what, path.to_path_buf())
}

impl Directory for CheckedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let mut bytes = self.0.atomic_read(path)?;
        let content = bytes.len().checked_sub(CHECKSUM);
        let content = content.ok_or_else(|| damaged(path))?;
        let stored = bytes.split_off(content);
        match stored == crc32c::crc32c(&bytes).to_le_bytes() {
            true => Ok(bytes),
            false => Err(damaged(path)),
        }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut bytes = data.to_vec();
        bytes.extend(crc32c::crc32c(data).to_le_bytes());
        self.0.atomic_write(path, &bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.0.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}
