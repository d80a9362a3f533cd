//! Access control: the token in the printed address is exchanged for a cookie, and only requests of that page are answered.
//!
//! Every local user can connect to a loopback port, so loopback alone protects nothing. The token is exchanged for a cookie that
//! scripts cannot read, because event streams cannot send headers. `Host` and `Origin` are checked against names that resolve to this
//! machine (DNS rebinding).

use axum::http::{HeaderMap, header};
use pagetide_core::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

/// Random bytes of a token and of a session.
const SECRET: usize = 32;
/// Characters of a token that a file gives, at least.
const MIN_TOKEN: usize = 16;

/// What a request must show.
#[derive(Debug)]
pub(crate) struct Access {
    address: SocketAddr,
    /// Whether connections are encrypted.
    encrypted: bool,
    names: Vec<String>,
    cookie: String,
    session: String,
    token: Token,
}

#[derive(Debug)]
enum Token {
    /// Valid once, then replaced.
    Once(Mutex<String>),
    /// From a file: valid any number of times.
    Kept(String),
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It used a name that is not this server's.
    Host,
    /// Another page sent it.
    Origin,
    /// It has no cookie, or one of another session.
    Cookie,
}

impl Access {
    /// For a server at an address that may also be reached by these names. `token` is that of a file.
    ///
    /// # Errors
    /// The system has no random numbers, or the file's token can be guessed.
    pub(crate) fn new(
        address: SocketAddr,
        encrypted: bool,
        names: Vec<String>,
        token: Option<String>,
    ) -> Result<Self, Error> {
        let token = match token {
            Some(token) if token.len() < MIN_TOKEN || !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                return Err(Error::input(
                    format!("the token must be {MIN_TOKEN} or more letters and digits"),
                    "make one: head -c 32 /dev/urandom | sha256sum | cut -c1-64",
                ));
            }
            Some(token) => Token::Kept(token),
            None => Token::Once(Mutex::new(random()?)),
        };
        // Cookies do not know ports: two servers on one host would take each other's.
        let cookie = format!("pagetide_{}", address.port());
        Ok(Self { address, encrypted, names, cookie, session: random()?, token })
    }

    /// The address to open in a browser, with the token.
    pub(crate) fn url(&self) -> String {
        match &self.token {
            Token::Once(token) => {
                let token = token.lock().unwrap_or_else(PoisonError::into_inner);
                format!("{}{}/?token={token}", self.scheme(), self.authority())
            }
            Token::Kept(_) => format!("{}{}/?token=(the token of the file)", self.scheme(), self.authority()),
        }
    }

    /// The start of this server's addresses.
    const fn scheme(&self) -> &'static str {
        if self.encrypted { "https://" } else { "http://" }
    }

    fn authority(&self) -> String {
        match self.names.first() {
            Some(name) => format!("{name}:{}", self.address.port()),
            None => self.address.to_string(),
        }
    }

    /// Whether `Host` and `Origin` are this server's. An attacker's name may resolve to this machine; an IP address cannot.
    pub(crate) fn is_addressed(&self, headers: &HeaderMap, is_page: bool) -> Result<(), Rejection> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).ok_or(Rejection::Host)?;
        if headers.get_all(header::HOST).iter().count() != 1 || !self.is_own(host) {
            return Err(Rejection::Host);
        }
        for origin in headers.get_all(header::ORIGIN) {
            let own = origin.to_str().is_ok_and(|origin| origin.strip_prefix(self.scheme()) == Some(host));
            if !own {
                return Err(Rejection::Origin);
            }
        }
        // A link in another page may open the page itself; only the page may ask for anything else.
        let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
        if !is_page && site.is_some_and(|site| site != b"same-origin" && site != b"none") {
            return Err(Rejection::Origin);
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
            _ => (host, if self.encrypted { "443" } else { "80" }),
        };
        if port.parse() != Ok(self.address.port()) {
            return false;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        bare.parse::<IpAddr>().is_ok()
            || (self.address.ip().is_loopback() && name.eq_ignore_ascii_case("localhost"))
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether a request shows the cookie.
    pub(crate) fn has_cookie(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let shown = pairs.any(|(name, value)| name == self.cookie && is_same(value, &self.session));
        if shown { Ok(()) } else { Err(Rejection::Cookie) }
    }

    /// Exchanges a token: the cookie to set, and whether the token has been replaced. Absent when it is another token.
    pub(crate) fn exchange(&self, shown: &str) -> Option<(String, bool)> {
        let replaced = match &self.token {
            Token::Kept(token) => is_same(shown, token).then_some(false)?,
            Token::Once(token) => {
                let mut token = token.lock().unwrap_or_else(PoisonError::into_inner);
                if !is_same(shown, &token) {
                    return None;
                }
                // If the system gives no new token, this one stays; it gave one when the server started.
                random().is_ok_and(|next| {
                    *token = next;
                    true
                })
            }
        };
        let secure = if self.encrypted { "; Secure" } else { "" };
        Some((format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie, self.session), replaced))
    }
}

/// Compares two secrets in a time that does not depend on where they differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Random bytes of the kernel as hexadecimal digits.
fn random() -> Result<String, Error> {
    let mut bytes = [0_u8; SECRET];
    let read = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if read != Ok(SECRET) {
        return Err(Error::system("the kernel gives no random numbers", "run it where getrandom(2) is allowed"));
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn access(names: &[&str]) -> Access {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Access::new("127.0.0.1:8123".parse().unwrap(), false, names, None).unwrap()
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_token_is_good_once_and_gives_a_cookie() {
        let access = access(&[]);
        let token = access.url().split_once("token=").unwrap().1.to_owned();
        assert_eq!(token.len(), 2 * SECRET);
        assert_eq!(access.exchange("0"), None);
        let (cookie, replaced) = access.exchange(&token).unwrap();
        assert!(replaced && access.exchange(&token).is_none(), "it was good once");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
        let shown = cookie.split(';').next().unwrap();
        assert_eq!(access.has_cookie(&headers(&[("cookie", &format!("a=b; {shown}"))])), Ok(()));
        for other in ["", "a=b", "pagetide_8123=", "pagetide_8124=x", &shown[..shown.len() - 1]] {
            assert_eq!(access.has_cookie(&headers(&[("cookie", other)])), Err(Rejection::Cookie), "{other}");
        }
        let next = access.url().split_once("token=").unwrap().1.to_owned();
        assert!(next != token && access.exchange(&next).is_some());
    }

    #[test]
    fn an_encrypted_page_and_its_cookie_stay_encrypted() {
        let access = Access::new("10.0.0.7:443".parse().unwrap(), true, Vec::new(), None).unwrap();
        let url = access.url();
        assert!(url.starts_with("https://10.0.0.7:443/?token="), "{url}");
        assert!(access.exchange(url.split_once("token=").unwrap().1).unwrap().0.ends_with("; Secure"));
        let sent =
            |host: &str, origin: &str| access.is_addressed(&headers(&[("host", host), ("origin", origin)]), false);
        assert_eq!(sent("10.0.0.7", "https://10.0.0.7"), Ok(()), "443 is the port of https");
        assert_eq!(sent("10.0.0.7", "http://10.0.0.7"), Err(Rejection::Origin));
    }

    #[test]
    fn a_token_of_a_file_stays() {
        let address = "127.0.0.1:8123".parse().unwrap();
        let access = Access::new(address, false, Vec::new(), Some("0123456789abcdef".into())).unwrap();
        assert!(!access.url().contains("0123456789abcdef"), "it is in the file and nowhere else");
        assert!((0..3).all(|_| access.exchange("0123456789abcdef").is_some()));
        for guessed in ["", "short", "with a space in it", "../../etc/passwd"] {
            assert!(Access::new(address, false, Vec::new(), Some(guessed.into())).is_err(), "{guessed}");
        }
    }

    #[test]
    fn names_that_resolve_to_this_machine_are_refused() {
        let access = access(&["db1.example"]);
        for own in
            ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123", "db1.example:8123", "10.0.0.7:8123"]
        {
            assert_eq!(access.is_addressed(&headers(&[("host", own)]), false), Ok(()), "{own}");
        }
        for other in ["evil.example:8123", "127.0.0.1:8124", "127.0.0.1", "localhost.evil.example:8123", "", ":8123"] {
            assert_eq!(access.is_addressed(&headers(&[("host", other)]), true), Err(Rejection::Host), "{other}");
        }
        assert_eq!(access.is_addressed(&headers(&[]), true), Err(Rejection::Host));
        let twice = headers(&[("host", "127.0.0.1:8123"), ("host", "evil.example:8123")]);
        assert!(access.is_addressed(&twice, true).is_err());
    }

    #[test]
    fn other_pages_are_refused() {
        let access = access(&[]);
        let sent = |name: &str, value: &str, is_page| {
            access.is_addressed(&headers(&[("host", "127.0.0.1:8123"), (name, value)]), is_page)
        };
        assert_eq!(sent("origin", "http://127.0.0.1:8123", false), Ok(()));
        for other in
            ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:80", "http://localhost:8123"]
        {
            assert_eq!(sent("origin", other, false), Err(Rejection::Origin), "{other}");
        }
        assert_eq!(sent("sec-fetch-site", "same-origin", false), Ok(()));
        assert_eq!(sent("sec-fetch-site", "none", false), Ok(()));
        assert_eq!(sent("sec-fetch-site", "cross-site", false), Err(Rejection::Origin));
        assert_eq!(sent("sec-fetch-site", "same-site", false), Err(Rejection::Origin), "another port of this host");
        assert_eq!(sent("sec-fetch-site", "cross-site", true), Ok(()), "a link opens the page");
    }
}
