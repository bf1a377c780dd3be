mod damage;
mod limits;
