//! Recordings on disk: the open log, sealed Parquet segments, the manifest, import
