//! Where pages are: what they belong to, the zones they take, and the lists that reclaim walks.

pub(crate) mod generations;
pub(crate) mod kind;
pub(crate) mod lruvec;
pub(crate) mod mapping;
pub(crate) mod objects;
pub(crate) mod ring;
pub(crate) mod slots;
pub(crate) mod zone;
