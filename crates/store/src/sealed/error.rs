//! Why a sealed file cannot be read.

use crate::budget::Exceeded;
use parquet::errors::ParquetError;
use std::io;

/// Why a sealed file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SealedError {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its bytes are not those that were written.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A newer version.
    #[error("format version {0}")]
    Newer(u32),
}

impl From<ParquetError> for SealedError {
    fn from(error: ParquetError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<Exceeded> for SealedError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Io(exceeded.into())
    }
}
