//! The URL of a ledger on a server.

use std::env;
use std::net::IpAddr;
use std::path::PathBuf;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::error::{Error, ErrorKind};

/// The environment variable for a password that is not in the URL, as the programs of PostgreSQL
/// read it.
const PASSWORD: &str = "PGPASSWORD";

/// The URL of a database, which may hold a password.
#[derive(Clone)]
pub(crate) struct Url {
    text: String,
    config: Config,
}

impl PartialEq for Url {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Url {}

impl Url {
    /// The URL that a text is; `None` if it is none of PostgreSQL.
    pub(crate) fn of(text: &str) -> Option<Result<Self, Error>> {
        let scheme =
            ["postgres://", "postgresql://"].into_iter().find(|it| text.starts_with(it))?;
        Some(Self::parsed(text, scheme))
    }

    fn parsed(text: &str, scheme: &str) -> Result<Self, Error> {
        let refused = |what: &str| {
            // It is not known which part of the text is a password.
            Err(Error::new(ErrorKind::Io, format!("{scheme}…: {what}")))
        };
        let Ok(mut config) = text.parse::<Config>() else {
            return refused("is no URL of a database; write it as postgres://user@host/database");
        };
        if config.get_dbname().is_none() {
            return refused("names no database; write it as postgres://user@host/database");
        }
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        if config.get_password().is_none()
            && let Some(password) = env::var_os(PASSWORD).and_then(|it| it.into_string().ok())
        {
            config.password(password);
        }
        let url = Self { text: text.to_owned(), config };
        if url.config.get_ssl_mode() != SslMode::Disable && !url.is_local() {
            let what = format!(
                "{}: this kmedian does not encrypt connections; forward a port of this machine to the server \
                 (ssh -L), or, on a network that can be trusted, add ?sslmode=disable",
                url.shown().display()
            );
            return Err(Error::new(ErrorKind::Io, what));
        }
        Ok(url)
    }

    /// Whether all hosts are this machine.
    fn is_local(&self) -> bool {
        self.config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => {
                name == "localhost"
                    || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        })
    }

    /// How to connect.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    /// The URL without its password, for messages.
    pub(crate) fn shown(&self) -> PathBuf {
        let user = self.config.get_user().map_or(String::new(), |user| format!("{user}@"));
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(folder)) => folder.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().map_or(String::new(), |port| format!(":{port}"));
        let database = self.config.get_dbname().unwrap_or_default();
        format!("postgres://{user}{host}{port}/{database}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Result<Url, String> {
        Url::of(text).unwrap_or_else(|| panic!("{text}")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_password_is_never_shown() {
        let shown = |text: &str| url(text).map(|url| url.shown().display().to_string());
        let plain = "postgres://ann:secret@localhost:5433/books";
        assert_eq!(shown(plain).as_deref(), Ok("postgres://ann@localhost:5433/books"));
        for wrong in [
            "postgres://ann:secret@localhost:port/books",
            "postgres://ann:secret@localhost",
            "postgresql://ann:secret@example.org/books",
            "postgres://ann:secret@[::1/books",
        ] {
            let error = url(wrong).err().unwrap_or_else(|| panic!("{wrong}"));
            assert!(!error.contains("secret") && error.lines().count() == 1, "{error}");
        }
    }

    #[test]
    fn unencrypted_connections_over_a_network_are_asked_for() {
        for local in ["localhost", "127.0.0.1", "[::1]", "%2Fvar%2Frun%2Fpostgresql"] {
            assert!(url(&format!("postgres://{local}/books")).is_ok(), "{local}");
        }
        assert!(url("postgres://10.0.0.7/books").is_err_and(|error| error.contains("encrypt")));
        assert!(url("postgres://10.0.0.7/books?sslmode=disable").is_ok());
        assert!(Url::of("books/postgres.db").is_none());
    }
}
