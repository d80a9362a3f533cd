//! The guest's kernel: an image that the user names, or Debian's, downloaded as a package and unpacked into the cache. It is
//! never installed.

use crate::program::find_program;
use pagetide_core::Error;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A kernel that can be booted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kernel {
    /// The image.
    pub image: PathBuf,
    /// The folder of its modules, `lib/modules/<release>`. It need not exist.
    pub modules: PathBuf,
    /// Its release, as `uname -r` will print it.
    pub release: String,
}

/// The package that depends on Debian's newest kernel for virtual machines.
const META: &str = "linux-image-cloud-amd64";
const OTHER: &str = "or name a kernel image with --kernel";

impl Kernel {
    /// The image that the user names. Its modules are looked for beside it and in `/lib/modules`.
    ///
    /// # Errors
    /// It is not a kernel image for x86-64.
    pub(super) fn named(image: &Path) -> Result<Self, Error> {
        let hint =
            "give the path of an x86-64 bzImage, such as /boot/vmlinuz-6.1.0-56-cloud-amd64, or leave out --kernel";
        let refuse = |why: &str| Error::input(format!("--kernel {}: {why}", image.display()), hint);
        let release = release(image).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => refuse("not a Linux kernel image"),
            _ => refuse(&error.to_string()),
        })?;
        // A kernel unpacked from a package lies in DIR/boot, its modules in DIR/lib/modules.
        let beside = image.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("lib/modules").join(&release);
        let modules = if beside.is_dir() { beside } else { Path::new("/lib/modules").join(&release) };
        Ok(Self { image: image.to_owned(), modules, release })
    }

    /// The newest one in the cache.
    pub(super) fn cached(cache: &Path) -> Option<Self> {
        newest(&cache.join("kernel"))
    }

    /// Debian's, from the cache, or downloaded into it.
    ///
    /// # Errors
    /// The cache has none, and none can be downloaded.
    pub(super) fn distributed(cache: &Path, say: &mut dyn FnMut(&str)) -> Result<Self, Error> {
        let folder = cache.join("kernel");
        for part in [cache, &folder] {
            refuse_foreign(part)?;
        }
        if let Some(kernel) = Self::cached(cache) {
            return Ok(kernel);
        }
        let package = package()?;
        say(&format!("downloading {package} into {} (once; it is not installed)", folder.display()));
        fetch(&package, &folder)?;
        newest(&folder).ok_or_else(|| Error::system(format!("{package} holds no kernel image"), OTHER))
    }
}

/// Refuses a folder that another user owns: its kernels are run.
fn refuse_foreign(folder: &Path) -> Result<(), Error> {
    let user = rustix::process::geteuid().as_raw();
    match fs::metadata(folder).map(|meta| meta.uid()) {
        Ok(owner) if ![0, user].contains(&owner) => Err(Error::system(
            format!("{} belongs to another user (uid {owner})", folder.display()),
            "name a folder of yours by PAGETIDE_CACHE",
        )),
        _ => Ok(()),
    }
}

/// The release of a kernel image, from its own header (Documentation/arch/x86/boot.rst, `kernel_version`).
fn release(image: &Path) -> std::io::Result<String> {
    let bad = || std::io::Error::new(std::io::ErrorKind::InvalidData, "not a kernel image");
    let file = File::open(image)?;
    if !file.metadata()?.is_file() {
        return Err(bad());
    }
    let mut head = [0; 0x210];
    (&file).read_exact(&mut head).map_err(|_| bad())?;
    if &head[0x202..0x206] != b"HdrS" {
        return Err(bad());
    }
    let at = u64::from(u16::from_le_bytes([head[0x20e], head[0x20f]])) + 0x200;
    let mut text = [0; 256];
    let count = file.read_at(&mut text, at)?;
    let text: &str = text[..count]
        .split(|byte| *byte == 0)
        .next()
        .and_then(|text| std::str::from_utf8(text).ok())
        .ok_or_else(bad)?;
    text.split(' ').next().filter(|release| !release.is_empty()).map(str::to_owned).ok_or_else(bad)
}

/// The newest kernel that has been unpacked below `folder`.
fn newest(folder: &Path) -> Option<Kernel> {
    let images = |unpacked: PathBuf| fs::read_dir(unpacked.join("boot")).into_iter().flatten().flatten();
    let unpacked =
        fs::read_dir(folder).ok()?.flatten().filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    let kernels = unpacked.flat_map(|entry| images(entry.path())).filter_map(|entry| {
        entry.file_name().to_str()?.starts_with("vmlinuz-").then(|| Kernel::named(&entry.path()).ok()).flatten()
    });
    kernels.max_by_key(|kernel| numbers(&kernel.release))
}

/// The numbers in a release, for comparison: 6.1.0-9 comes before 6.1.0-56.
fn numbers(release: &str) -> Vec<u64> {
    release.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn run(command: &mut Command, hint: &str) -> Result<String, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::system(format!("cannot run {name}: {error}"), hint))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().find(|line| line.starts_with("E:")).or_else(|| complaint.lines().next_back());
    Err(Error::system(format!("{name} failed: {}", line.unwrap_or("no reason given")), hint))
}

/// The package that a run would download: the meta package, if there are package lists. It does not ask apt, which takes seconds on a slow
/// machine.
///
/// # Errors
/// There is no apt, or it has no lists.
pub(super) fn obtainable() -> Result<String, Error> {
    find_program(Path::new("apt-get"), "name a kernel image with --kernel")?;
    let lists = fs::read_dir("/var/lib/apt/lists").into_iter().flatten().flatten();
    if lists.into_iter().any(|list| list.file_name().to_string_lossy().contains("_Packages")) {
        return Ok(META.to_owned());
    }
    Err(Error::system("apt has no package lists", format!("apt-get update, {OTHER}")))
}

/// The package that the meta package depends on today, according to apt.
///
/// # Errors
/// There is no apt, or it knows none.
fn package() -> Result<String, Error> {
    let hint = format!("apt-get update, {OTHER}");
    let depends = run(Command::new("apt-cache").args(["depends", META]), &hint)?;
    let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    package
        .filter(|package| package.starts_with("linux-image-"))
        .map(str::to_owned)
        .ok_or_else(|| Error::system(format!("apt knows no package {META}"), hint))
}

/// Downloads a package and unpacks it as `folder/<package>`, whole or not at all.
fn fetch(package: &str, folder: &Path) -> Result<(), Error> {
    let cannot = |error: std::io::Error| {
        Error::system(format!("cannot write {}: {error}", folder.display()), "name another folder by PAGETIDE_CACHE")
    };
    let work = folder.join(format!(".{}", std::process::id()));
    let result = (|| {
        fs::create_dir_all(folder).map_err(cannot)?;
        // Fails if somebody else created the folder.
        fs::create_dir(&work).and_then(|()| fs::create_dir(work.join("root"))).map_err(cannot)?;
        let hint = format!("apt-get update, {OTHER}");
        run(Command::new("apt-get").args(["download", "--quiet", package]).current_dir(&work), &hint)?;
        let deb = fs::read_dir(&work).map_err(cannot)?.flatten().map(|entry| entry.path());
        let deb = deb.into_iter().find(|path| path.extension().is_some_and(|end| end == "deb"));
        let deb = deb.ok_or_else(|| Error::system(format!("apt-get left no file of {package}"), OTHER))?;
        run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(work.join("root")), OTHER)?;
        match fs::rename(work.join("root"), folder.join(package)) {
            // Another process was faster.
            Err(_) if folder.join(package).join("boot").is_dir() => Ok(()),
            renamed => renamed.map_err(cannot),
        }
    })();
    // If this fails, a hidden folder stays in the cache.
    let _ = fs::remove_dir_all(&work);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(path: &Path, release: &str) {
        let mut bytes = vec![0; 0x400];
        bytes[0x202..0x206].copy_from_slice(b"HdrS");
        bytes[0x20e..0x210].copy_from_slice(&0x100u16.to_le_bytes());
        bytes[0x300..0x300 + release.len()].copy_from_slice(release.as_bytes());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_cache_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        image(&folder.path().join("kernel/p/boot/vmlinuz-6.1.0-1-amd64"), "6.1.0-1-amd64 (x)");
        assert!(Kernel::distributed(folder.path(), &mut |_| ()).is_ok());
        if std::os::unix::fs::chown(folder.path().join("kernel"), Some(65_534), None).is_ok() {
            let error = Kernel::distributed(folder.path(), &mut |_| ()).unwrap_err();
            assert!(error.what.contains("belongs to another user"), "{error}");
        }
    }

    #[test]
    fn an_image_says_its_release_and_its_modules_lie_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boot/vmlinuz");
        image(&path, "6.1.0-56-cloud-amd64 (debian-kernel@lists.debian.org) #1 SMP");
        let beside = folder.path().join("lib/modules/6.1.0-56-cloud-amd64");
        assert_eq!(Kernel::named(&path).unwrap().modules, Path::new("/lib/modules/6.1.0-56-cloud-amd64"));
        fs::create_dir_all(&beside).unwrap();
        assert_eq!(Kernel::named(&path).unwrap().modules, beside);
    }

    #[test]
    fn the_newest_kernel_in_the_cache_is_used() {
        let cache = tempfile::tempdir().unwrap();
        for release in ["6.1.0-9-cloud-amd64", "6.1.0-56-cloud-amd64", "5.10.0-99-cloud-amd64"] {
            let boot = cache.path().join(format!("kernel/linux-image-{release}/boot"));
            image(&boot.join(format!("vmlinuz-{release}")), release);
        }
        let mut said = Vec::new();
        let kernel = Kernel::distributed(cache.path(), &mut |line| said.push(line.to_owned())).unwrap();
        assert_eq!(kernel.release, "6.1.0-56-cloud-amd64");
        assert!(said.is_empty(), "nothing is downloaded: {said:?}");
    }

    #[test]
    fn what_is_no_kernel_is_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), "hello").unwrap();
        for (path, word) in
            [("x", "not a Linux kernel image"), ("nowhere", "No such file"), ("", "not a Linux kernel image")]
        {
            let error = Kernel::named(&folder.path().join(path)).unwrap_err();
            assert!(error.what.contains(word) && error.hint.contains("bzImage"), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
