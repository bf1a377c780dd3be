//! Indexes over property values: leaves on the medium, inner pages in DRAM.
