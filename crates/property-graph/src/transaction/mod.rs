//! Transactions: a snapshot to read, an overlay to write, locks and validation.
