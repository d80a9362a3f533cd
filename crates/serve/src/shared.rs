//! All that requests share.

use crate::access::Access;
use crate::embedded::Page;
use crate::library::Library;
use crate::live::Live;
use crate::pyramids::Pyramids;
use crate::work::Work;
use std::sync::Arc;

/// All that requests share.
pub(crate) struct Shared {
    pub(crate) access: Access,
    pub(crate) library: Library,
    /// Whether hosts are called by the folders of their recordings.
    pub(crate) hosts_from_folders: bool,
    pub(crate) live: Arc<Live>,
    pub(crate) work: Work,
    pub(crate) pyramids: Pyramids,
    pub(crate) page: Page,
    /// Says a line to the one who started the server.
    pub(crate) say: Box<dyn Fn(&str) + Send + Sync>,
}
