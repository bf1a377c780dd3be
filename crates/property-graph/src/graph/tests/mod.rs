mod damage;
mod definitions;
mod limits;
