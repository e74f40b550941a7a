//! Where a ledger is kept: in a file, or on a server.

use std::fmt;
use std::path::{self, Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::server::Url;

/// The place of a ledger.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    File {
        /// The path as the caller gave it, for messages.
        path: PathBuf,
        /// The absolute path, for reservations, which must find the file again from any folder.
        absolute: PathBuf,
    },
    Server(Box<Url>),
}

impl Place {
    /// The place that a caller names: a URL of PostgreSQL, or else a path.
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        if let Some(url) = path.to_str().and_then(Url::of) {
            return url.map(|url| Self::Server(Box::new(url)));
        }
        let absolute = path::absolute(path)
            .map_err(|error| Error::at(ErrorKind::Io, path, format!("is no path: {error}")))?;
        Ok(Self::File { path: path.to_path_buf(), absolute })
    }

    /// The place for messages: the path, or the URL without its password.
    pub(crate) fn shown(&self) -> PathBuf {
        match self {
            Self::File { path, .. } => path.clone(),
            Self::Server(url) => url.shown(),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shown().display())
    }
}

/// Whether a place of a ledger is a database on a server, and no file.
#[must_use]
pub fn is_server(place: &Path) -> bool {
    place.to_str().is_some_and(|text| Url::of(text).is_some())
}

/// The place of a ledger as it may be printed: without the password of a URL.
#[must_use]
pub fn shown(place: &Path) -> String {
    match Place::of(place) {
        Ok(place) => place.shown().display().to_string(),
        Err(_) if is_server(place) => "postgres://…".to_owned(),
        Err(_) => place.display().to_string(),
    }
}
