//! Numbers that name what a machine has.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub(crate) $inner);

        )+
    };
}

ids! {
    /// A file, or a block device that is read and written as one.
    FileId(u32);
    /// An open file: it has its own readahead state.
    HandleId(u32);
    /// A range of a task's addresses: a mapped file or anonymous memory.
    AreaId(u32);
    /// A task.
    TaskId(u32);
    /// A control group.
    GroupId(u16);
    /// A block device.
    DeviceId(u16);
}

impl GroupId {
    /// The root group: what is charged to no other group.
    pub const ROOT: Self = Self(0);
}
