//! Between this layout and the packed one.

use super::source::ListSource;
use crate::lengths::LengthPage;
use crate::section_format::{self, SectionImage};

/// The lists of a packed section, for [`super::Base::write`]. Verify it first.
pub struct Packed<'a> {
    base: &'a section_format::Base,
    lengths: LengthPage,
}

impl<'a> Packed<'a> {
    /// All merged lists of a section.
    pub fn new(base: &'a section_format::Base) -> Self {
        Packed {
            base,
            lengths: base.lengths(0),
        }
    }
}

impl ListSource for Packed<'_> {
    fn len(&self, list: usize) -> usize {
        self.lengths.len[list] as usize
    }

    fn tombstones(&self, list: usize) -> u32 {
        self.lengths.tombstones(list)
    }

    fn visit(&self, list: usize, visit: &mut dyn FnMut(&[u32], &[u32])) {
        let (start, len) = (self.base.starts[list] as usize, self.len(list));
        let weights = self.base.weights.as_ref();
        let weights = weights.map_or(&[][..], |weights| weights.range(start, len));
        visit(self.base.words.range(start, len), weights);
    }
}

/// A packed section with the lists of any source; a [`super::Base`] is one.
pub fn packed_image(source: &dyn ListSource, lists: usize) -> SectionImage {
    let mut image = SectionImage::new();
    for list in 0..lists {
        source.visit(list, &mut |words, weights| image.extend(words, weights));
        image.end_list(source.tombstones(list));
    }
    image
}
