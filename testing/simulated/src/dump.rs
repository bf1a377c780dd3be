//! The stored bytes of an image as a text, so that a change of the format is read as a
//! difference of lines.

use std::fmt::Write;

use crate::Image;

const ROW_BYTES: usize = 16;

impl Image {
    /// Each file with its length, and its bytes in rows of 16 with their offset. Rows of
    /// zeros are left out.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (name, bytes) in &self.files {
            let _ = writeln!(text, "{name}: {} bytes", bytes.len());
            for (number, row) in bytes.chunks(ROW_BYTES).enumerate() {
                if row.iter().any(|&byte| byte != 0) {
                    let _ = writeln!(text, "{:06x} {}", number * ROW_BYTES, dump_row(row));
                }
            }
        }
        text
    }
}

fn dump_row(row: &[u8]) -> String {
    let words = row.chunks(4).map(|word| {
        let bytes = word.iter().map(|byte| format!("{byte:02x}"));
        bytes.collect::<String>()
    });
    let words: Vec<String> = words.collect();
    let signs = row.iter().map(|&byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    });
    format!("{:35} {}", words.join(" "), signs.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_zeros_are_left_out() {
        let mut image = Image::default();
        let mut bytes = vec![0; 40];
        bytes[..4].copy_from_slice(b"ab \xff");
        bytes[39] = 7;
        image.files.insert("log".to_string(), bytes);
        assert_eq!(
            image.dump(),
            "log: 40 bytes\n\
             000000 616220ff 00000000 00000000 00000000 ab .............\n\
             000020 00000000 00000007                   ........\n"
        );
    }
}
