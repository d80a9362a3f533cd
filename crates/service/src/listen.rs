//! The TCP address at which Prometheus connects.

use pagetide_core::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;

/// An address and a port, or a port of this host: `9815`, `127.0.0.1:9815`, `[::1]:9815`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(SocketAddr);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.parse().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).ok();
        port.or_else(|| text.parse().ok())
            .map(Self)
            .ok_or_else(|| "write a port, or an address and a port: 9815, 127.0.0.1:9815, [::1]:9815".to_owned())
    }
}

/// Listens for Prometheus.
#[derive(Debug)]
pub struct Listener {
    pub(crate) tcp: TcpListener,
    /// Whether those who connect are told the names of control groups.
    pub(crate) names: bool,
    /// Whether other hosts can connect, under names that this one does not know.
    pub(crate) exposed: bool,
    address: SocketAddr,
}

impl Listener {
    /// Listens at `address`, which only this host can reach unless `expose` is set. Every user of the host can connect, so the names
    /// of control groups are told only with `names`.
    pub fn bind(Address(address): Address, expose: bool, names: bool) -> Result<Self, Error> {
        if !expose && !is_loopback(address.ip()) {
            return Err(Error::input(
                format!("--listen {address} accepts connections from other hosts without a password"),
                format!("listen on 127.0.0.1:{}, or add --expose", address.port()),
            ));
        }
        let failed = |error: io::Error| {
            Error::system(
                format!("cannot listen on {address}: {error}"),
                "choose another port, or stop the program that uses it",
            )
        };
        let tcp = TcpListener::bind(address).map_err(failed)?;
        tcp.set_nonblocking(true).map_err(failed)?;
        let address = tcp.local_addr().map_err(failed)?;
        Ok(Self { tcp, names, exposed: !is_loopback(address.ip()), address })
    }

    /// Where it listens; the port is the real one when 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.is_loopback() || matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_means_this_host() {
        let address = |text: &str| text.parse::<Address>().map(|Address(address)| address.to_string());
        assert_eq!(address("9815").unwrap(), "127.0.0.1:9815");
        assert_eq!(address("[::1]:9815").unwrap(), "[::1]:9815");
        for wrong in ["", "x", "99999", "127.0.0.1", ":1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn other_hosts_can_connect_only_with_expose() {
        for open in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
            let error = Listener::bind(open.parse().unwrap(), false, false).unwrap_err();
            assert!(error.hint.contains("--expose"), "{error}");
        }
        assert!(Listener::bind("0".parse().unwrap(), false, false).unwrap().address().port() > 0);
    }
}
