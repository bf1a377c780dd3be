//! Files of `LOAD CSV`: those that `COPY` reads, and what URLs of files name.

#[cfg(test)]
mod tests;

use std::io::BufReader;
use std::path::PathBuf;

use evergraph_functions::ReadError;
use evergraph_interpreter::CsvRecords;
use evergraph_io::interchange::csv::CsvReader;

use crate::formats::open_bytes;

/// Opens a file, compressed or not, by its path or its URL.
///
/// # Errors
/// A URL of something else; a file that cannot be opened.
pub(super) fn open(name: &str, terminator: u8) -> Result<CsvRecords, ReadError> {
    let path = path_of(name)?;
    let bytes = open_bytes(&path).map_err(|error| {
        // As it is written, no URL.
        let is_path = path.as_os_str() == name;
        let hint = match is_path {
            true if name.is_empty() || name.starts_with("file:") => {
                "write a path, or file:/// and a path from the root"
            }
            true => "check the path",
            false => {
                "behind file:/// stands a path from the root; write 'people.csv' for a file here"
            }
        };
        format!("{}; {hint}", crate::Error::from(error).summary())
    })?;
    let input = BufReader::with_capacity(1 << 18, bytes);
    let records = CsvReader::new(&path.display().to_string(), input, terminator);
    let absolute = std::path::absolute(&path).unwrap_or(path);
    Ok(CsvRecords {
        file: absolute.display().to_string().into(),
        records: Box::new(records.map(|record| record.map_err(ReadError::from))),
    })
}

/// The path that a name is, or that the URL of a file has.
fn path_of(name: &str) -> Result<PathBuf, ReadError> {
    let Some((scheme, rest)) = name.split_once(":/") else {
        return Ok(PathBuf::from(name));
    };
    if scheme.eq_ignore_ascii_case("file") {
        return of_url(name, rest);
    }
    match rest.starts_with('/') && is_scheme(scheme) {
        true => Err(format!("{name}: only files are read; fetch it, and name the file").into()),
        false => Ok(PathBuf::from(name)),
    }
}

/// The path of the URL of a file, of which `rest` stands behind its first slash.
fn of_url(name: &str, rest: &str) -> Result<PathBuf, ReadError> {
    let path = match rest.strip_prefix('/') {
        None => Some(rest),
        Some(rest) => rest
            .strip_prefix('/')
            .or_else(|| rest.strip_prefix("localhost/")),
    };
    let Some(path) = path else {
        let message =
            format!("{name} is a file of another machine; write file:/// and a path from the root");
        return Err(message.into());
    };
    match decoded(path) {
        Some(path) => Ok(PathBuf::from(format!("/{path}"))),
        None => {
            let message = format!(
                "{name}: two hexadecimal digits of UTF-8 follow a %; write one itself as %25"
            );
            Err(message.into())
        }
    }
}

fn is_scheme(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// A text with the characters for which `%20` and the like stand.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let code = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(code).ok()?);
    }
    String::from_utf8(bytes).ok()
}
