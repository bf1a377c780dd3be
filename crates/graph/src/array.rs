//! Immutable arrays, owned here or elsewhere.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Items that belong to a graph: in a vector of its own, or of another owner, as those of
/// a graph that lies on a medium and is read in place.
///
/// Getting at the slice of the latter is a call behind a pointer, so a reader asks
/// once for all that it reads.
#[derive(Clone)]
pub struct Array<T>(Owner<T>);

#[derive(Clone)]
enum Owner<T> {
    Own(Vec<T>),
    Other(Arc<dyn AsRef<[T]> + Send + Sync>),
}

impl<T> Array<T> {
    /// The items of `owner`, which must be the same whenever it is asked.
    pub fn shared(owner: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        Self(Owner::Other(owner))
    }

    /// DRAM that the items take here; none if they have another owner.
    pub(crate) fn size_bytes(&self) -> usize {
        match &self.0 {
            Owner::Own(items) => size_of_val(&items[..]),
            Owner::Other(_) => 0,
        }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Owner::Own(items))
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Owner::Own(items) => items,
            Owner::Other(owner) => (**owner).as_ref(),
        }
    }
}

impl<T: PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
