//! Payload that the library commits with the files of an index, in one step.

use crate::IndexPosition;

/// Changes whenever older files cannot be read any more.
const FORMAT: u32 = 2;

/// Header of an index's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    pub(crate) mark: IndexPosition,
    /// Texts in it that no node has any more; about.
    pub(crate) superseded: u64,
}

impl Payload {
    pub(crate) fn encode(&self) -> String {
        format!("{FORMAT} {} {}", self.superseded, self.mark.encode())
    }

    /// `None` if it is none.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ' ');
        let format: u32 = parts.next()?.parse().ok()?;
        let superseded = parts.next()?.parse().ok()?;
        let mark = IndexPosition::decode(parts.next()?)?;
        (format == FORMAT).then_some(Payload { mark, superseded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_reads_as_it_was_written() {
        let payload = Payload {
            mark: IndexPosition {
                csn: 7,
                epoch: 2,
                uuid: [9; 16],
                identity: "4:Post3:a b5:words".to_string(),
            },
            superseded: 3,
        };
        let encoded = payload.encode();
        assert_eq!(Payload::decode(&encoded), Some(payload));
        assert_eq!(Payload::decode(&encoded.replacen('2', "3", 1)), None);
        assert_eq!(Payload::decode("2 3"), None);
    }
}
