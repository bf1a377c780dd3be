//! Numbers and strings as payloads and records hold them: read with every length
//! checked, before anything is made of it.

/// Why bytes cannot be read; where is known to the [`Reader`].
pub(crate) type Wrong = &'static str;

/// Seven bits a byte, the lowest first, the high bit set on all but the last.
pub(crate) fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A signed number, small ones of either sign short.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, value: i64) {
    put_varint(bytes, (value << 1 ^ value >> 63) as u64);
}

/// Bytes with their length.
pub(crate) fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put_varint(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

/// Takes numbers and strings off the front of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    len: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader {
            rest: bytes,
            len: bytes.len(),
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.len - self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        self.rest.split_off(..count).ok_or("it ends too early")
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let bytes = self.take(N)?;
        Ok(bytes.try_into().expect("as many as were taken"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Wrong> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Wrong> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Wrong> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Wrong> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Wrong> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number has more than 64 bits")
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, Wrong> {
        u32::try_from(self.varint()?).map_err(|_| "a number has more than 32 bits")
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Wrong> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(crate) fn signed_i32(&mut self) -> Result<i32, Wrong> {
        i32::try_from(self.signed()?).map_err(|_| "a number has more than 32 bits")
    }

    /// A number of things, of which each takes at least one byte of the rest: so
    /// it can be trusted for reserving memory.
    pub(crate) fn count(&mut self) -> Result<usize, Wrong> {
        let count = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        match count > self.rest.len() {
            true => Err("a count is larger than what follows"),
            false => Ok(count),
        }
    }

    /// Bytes with their length.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Wrong> {
        let len = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        self.take(len)
    }

    /// Text with its length.
    pub(crate) fn text(&mut self) -> Result<&'a str, Wrong> {
        std::str::from_utf8(self.bytes()?).map_err(|_| "a text is not UTF-8")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_back(value in any::<u64>(), shift in 0u32..64, signed in any::<i64>()) {
            let (value, signed) = (value >> shift, signed >> shift);
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            put_signed(&mut bytes, signed);
            put_bytes(&mut bytes, b"text");
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.varint(), Ok(value));
            prop_assert_eq!(reader.signed(), Ok(signed));
            prop_assert_eq!(reader.text(), Ok("text"));
            prop_assert!(reader.is_empty());
            prop_assert_eq!(reader.position(), bytes.len());
        }

        #[test]
        fn other_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let mut reader = Reader::new(&bytes);
            let _ = reader.clone().varint();
            let _ = reader.clone().signed();
            let _ = reader.clone().count();
            let _ = reader.clone().u64();
            let _ = reader.text();
        }
    }

    #[test]
    fn too_long_numbers_are_refused() {
        assert!(Reader::new(&[0xFF; 10]).varint().is_err());
        assert!(Reader::new(&[0x80; 9]).varint().is_err());
        let most = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1];
        assert_eq!(Reader::new(&most).varint(), Ok(u64::MAX));
    }
}
