//! What people call the containers and pods whose control groups a host has: `shop/checkout-7c9/app` of Kubernetes, `web` of Docker.
//!
//! A control group's path has a container's id or a pod's uid. The name is in a state file of the runtime or in the name of a folder of
//! logs. Users choose these names, and images bring annotations, so a name that the runtime itself would not accept is ignored.

use pagetide_dir::Dir;
use pagetide_kernel::Root;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest state file that is read.
const MAX_STATE_BYTES: u64 = 8 << 20;
/// A name of Kubernetes is a DNS name (RFC 1123), and those of other runtimes are shorter.
const MAX_NAME: usize = 253;

/// Bundles of containerd, by namespace and container: `config.json` is the container's OCI specification.
const CONTAINERD: &str = "run/containerd/io.containerd.runtime.v2.task";
/// Bundles of CRI-O and Podman.
const CONTAINERS: &str = "run/containers/storage/overlay-containers";
/// What Podman keeps of all containers.
const PODMAN: &str = "var/lib/containers/storage/overlay-containers";
/// What Docker keeps of each container.
const DOCKER: &str = "var/lib/docker/containers";
/// A folder for each pod: `NAMESPACE_NAME_UID` (`pkg/kubelet/kuberuntime/kuberuntime_manager.go: BuildPodLogsDirectory`).
const PODS: &str = "var/log/pods";

/// The container or pod of a control group.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    id: Id<'a>,
    /// The path below the container's or pod's group; empty for that group itself.
    below: &'a str,
}

#[derive(Debug, PartialEq, Eq)]
enum Id<'a> {
    /// A container, by 64 hexadecimal digits.
    Container(&'a str),
    /// A pod, by its uid.
    Pod(String),
}

/// The container, or else the pod, that the path of a control group names.
fn place(path: &str) -> Option<Place<'_>> {
    let mut end = 0;
    let mut pod = None;
    for part in path.split('/') {
        end += part.len() + 1;
        let below = path.get(end..).unwrap_or_default();
        let name = part.strip_suffix(".scope").or_else(|| part.strip_suffix(".slice")).unwrap_or(part);
        if let Some((runtime, id)) = name.split_at_checked(name.len().wrapping_sub(64))
            && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        {
            // conmon is the process that watches a container.
            return (!runtime.contains("conmon")).then_some(Place { id: Id::Container(id), below });
        }
        // `kubepods-burstable-podUID.slice`, in which `_` stands for `-`, or `podUID`.
        if let Some(uid) =
            name.strip_prefix("pod").or_else(|| Some(name.strip_prefix("kubepods")?.split_once("-pod")?.1))
            && path.contains("kubepods")
            && valid(uid)
        {
            pod = Some(Place { id: Id::Pod(uid.replace('_', "-")), below });
        }
    }
    pod
}

/// Whether it is what Docker, Podman and Kubernetes accept as a name.
fn valid(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain)
}

/// The parts of a name with slashes between them; absent when one of them is no name.
fn joined(parts: &[&str]) -> Option<String> {
    parts.iter().all(|part| valid(part)).then(|| parts.join("/"))
}

/// The part of an OCI specification that has names.
#[derive(Deserialize)]
struct Specification {
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

impl Specification {
    fn name(&self) -> Option<String> {
        let get = |key: &str| self.annotations.get(key).map(String::as_str);
        let pod_of = |namespace: &str, pod: &str, container: &str| {
            // The container that holds the pod's namespaces has no name of its own.
            joined(&[get(namespace)?, get(pod)?, get(container).filter(|name| *name != "POD").unwrap_or("pause")])
        };
        let cri = "io.kubernetes.cri";
        pod_of(&format!("{cri}.sandbox-namespace"), &format!("{cri}.sandbox-name"), &format!("{cri}.container-name"))
            .or_else(|| pod_of("io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name"))
            .or_else(|| joined(&[get("nerdctl/name")?]))
    }
}

#[derive(Deserialize)]
struct DockerContainer {
    #[serde(rename = "Name")]
    name: String,
}

#[derive(Deserialize)]
struct PodmanContainer {
    id: String,
    #[serde(default)]
    names: Vec<String>,
}

/// The names of containers and pods on one host.
#[derive(Debug, Clone)]
pub(crate) struct Containers {
    root: Root,
}

impl Containers {
    /// Those of the host whose files are below `root`.
    pub(crate) fn new(root: Root) -> Self {
        Self { root }
    }

    /// The name of the container or pod of a control group; absent if it has none or its name is unknown.
    pub(crate) fn name(&self, path: &str) -> Option<String> {
        let Place { id, below } = place(path)?;
        let mut name = match id {
            Id::Container(id) => self.container(id)?,
            Id::Pod(uid) => self.pod(&uid)?,
        };
        if !below.is_empty() {
            name.push('/');
            name.push_str(below);
        }
        Some(name)
    }

    fn container(&self, id: &str) -> Option<String> {
        let specification = Path::new(id).join("config.json");
        let containerd = || {
            let namespaces = self.folder(CONTAINERD)?.names(Path::new("")).ok()?;
            namespaces.into_iter().find_map(|namespace| {
                self.read::<Specification>(CONTAINERD, &Path::new(&namespace).join(&specification))?.name()
            })
        };
        let crio = || {
            let place: PathBuf = [id, "userdata", "config.json"].iter().collect();
            self.read::<Specification>(CONTAINERS, &place)?.name()
        };
        let docker = || {
            let container: DockerContainer = self.read(DOCKER, &Path::new(id).join("config.v2.json"))?;
            joined(&[container.name.trim_start_matches('/')])
        };
        let podman = || {
            let all: Vec<PodmanContainer> = self.read(PODMAN, Path::new("containers.json"))?;
            let container = all.into_iter().find(|container| container.id == id)?;
            joined(&[container.names.first()?])
        };
        containerd().or_else(crio).or_else(docker).or_else(podman)
    }

    fn pod(&self, uid: &str) -> Option<String> {
        let folders = self.folder(PODS)?.names(Path::new("")).ok()?;
        let found = folders.iter().find_map(|folder| folder.strip_suffix(uid)?.strip_suffix('_'))?;
        let (namespace, pod) = found.split_once('_')?;
        joined(&[namespace, pod])
    }

    fn folder(&self, folder: &str) -> Option<Dir> {
        Dir::open(&self.root.join(folder)).ok()
    }

    fn read<T: DeserializeOwned>(&self, folder: &str, file: &Path) -> Option<T> {
        serde_json::from_slice(&self.folder(folder)?.read(file, MAX_STATE_BYTES).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const UID: &str = "6f1d2c3b-0000-4a4a-9b9b-123456789abc";

    fn host(files: &[(&str, &str)]) -> (tempfile::TempDir, Containers) {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file.replace("UID", UID).replace("ID", ID));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.replace("ID", ID)).unwrap();
        }
        let containers = Containers::new(Root::new(folder.path()));
        (folder, containers)
    }

    #[test]
    fn ids_are_found_in_the_paths_of_every_runtime() {
        let pod = format!("kubepods-burstable-pod{}.slice", UID.replace('-', "_"));
        for (path, below) in [
            (format!("/sys/fs/cgroup/system.slice/docker-{ID}.scope"), ""),
            (format!("/sys/fs/cgroup/memory/docker/{ID}"), ""),
            (format!("/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/{pod}/cri-containerd-{ID}.scope"), ""),
            (format!("/sys/fs/cgroup/memory/kubepods/besteffort/pod{UID}/{ID}"), ""),
            (format!("/sys/fs/cgroup/kubepods.slice/{pod}/crio-{ID}.scope"), ""),
            (format!("/sys/fs/cgroup/machine.slice/libpod-{ID}.scope/container"), "container"),
            (format!("/x/docker-{ID}.scope/system.slice/nginx.service"), "system.slice/nginx.service"),
        ] {
            assert_eq!(place(&path), Some(Place { id: Id::Container(ID), below }), "{path}");
        }
        for path in [
            format!("/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/{pod}"),
            format!("/sys/fs/cgroup/memory/kubepods/burstable/pod{UID}"),
        ] {
            assert_eq!(place(&path), Some(Place { id: Id::Pod(UID.into()), below: "" }), "{path}");
        }
        let conmon = format!("/machine.slice/libpod-conmon-{ID}.scope");
        let wide = format!("/docker/{}é{ID}", &ID[..63]);
        for path in ["/", "", "/system.slice/podman.service", "/user.slice/pod1", &ID[1..], &ID.to_uppercase(), &conmon]
        {
            assert_eq!(place(path), None, "{path}");
        }
        assert!(place(&wide).is_some(), "what is before an id is of no account");
    }

    #[test]
    fn every_runtime_tells_a_name() {
        let group = format!("/sys/fs/cgroup/x-{ID}.scope");
        let cri = r#"{"annotations": {"io.kubernetes.cri.sandbox-namespace": "shop", "io.kubernetes.cri.sandbox-name": "web-7c9",
                      "io.kubernetes.cri.container-name": "app"}, "process": {"args": ["x"]}}"#;
        let sandbox = cri.replace(
            r#""io.kubernetes.cri.container-name": "app""#,
            r#""io.kubernetes.cri.container-type": "sandbox""#,
        );
        let crio = r#"{"annotations": {"io.kubernetes.pod.namespace": "shop", "io.kubernetes.pod.name": "web-7c9",
                       "io.kubernetes.container.name": "POD"}}"#;
        let containerd = "run/containerd/io.containerd.runtime.v2.task/k8s.io/ID/config.json";
        for (file, text, name) in [
            (containerd, cri, "shop/web-7c9/app"),
            (containerd, sandbox.as_str(), "shop/web-7c9/pause"),
            (&containerd.replace("k8s.io", "default"), r#"{"annotations": {"nerdctl/name": "db"}}"#, "db"),
            ("run/containers/storage/overlay-containers/ID/userdata/config.json", crio, "shop/web-7c9/pause"),
            ("var/lib/docker/containers/ID/config.v2.json", r#"{"Name": "/web", "State": {}}"#, "web"),
            (
                "var/lib/containers/storage/overlay-containers/containers.json",
                r#"[{"id": "other"}, {"id": "ID", "names": ["backup", "x"], "image": "y"}]"#,
                "backup",
            ),
        ] {
            let (_folder, containers) = host(&[(file, text)]);
            assert_eq!(containers.name(&group).as_deref(), Some(name), "{file}");
        }
        let (_folder, containers) = host(&[("var/log/pods/shop_web-7c9_UID/app/0.log", "")]);
        let pod = format!("/kubepods/burstable/pod{UID}");
        assert_eq!(containers.name(&pod).as_deref(), Some("shop/web-7c9"));
        assert_eq!(containers.name(&group), None, "no state file is there");
    }

    #[test]
    fn a_name_that_no_system_accepts_and_a_file_that_is_none_give_nothing() {
        let group = format!("/docker/{ID}");
        let file = "var/lib/docker/containers/ID/config.v2.json";
        let long = format!(r#"{{"Name": "/{}"}}"#, "x".repeat(254));
        for text in [
            r#"{"Name": "/a\u001b[2Jb"}"#,
            r#"{"Name": "/../etc"}"#,
            r#"{"Name": ""}"#,
            r#"{"Name": 1}"#,
            "[",
            "",
            &long,
        ] {
            let (_folder, containers) = host(&[(file, text)]);
            assert_eq!(containers.name(&group), None, "{text}");
        }
        let (folder, containers) = host(&[("elsewhere", r#"{"Name": "/web"}"#)]);
        let place = folder.path().join(file.replace("ID", ID));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &place).unwrap();
        assert_eq!(containers.name(&group), None, "no link is followed");
    }
}
