//! The explorer is proved on toys: correct ones are clean, each broken one is
//! caught. The mistakes are those of databases that made them.

#[path = "explorer/append_log.rs"]
mod append_log;
#[path = "explorer/gapped_array.rs"]
mod gapped_array;
#[path = "explorer/media.rs"]
mod media;
#[path = "explorer/twin.rs"]
mod twin;
