mod changes;
mod damage;
mod definitions;
mod limits;
mod lookups;
mod names;
mod orders;
mod populating;
