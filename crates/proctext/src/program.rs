//! The script that an interpreter runs, from `/proc/PID/cmdline`: it distinguishes a dozen processes called `python3`.
//!
//! Other arguments are not looked at: they may hold passwords.

/// An interpreter, as far as its command line goes.
struct Interpreter {
    /// What it is called without its version.
    names: &'static [&'static str],
    /// Options that take a word of their own.
    with_word: &'static [&'static str],
    /// Letters of an option behind which the program itself stands.
    code: &'static [char],
    /// The same in words.
    code_words: &'static [&'static str],
}

const INTERPRETERS: [Interpreter; 8] = [
    Interpreter {
        names: &["python", "pypy"],
        with_word: &["-W", "-X", "--check-hash-based-pycs"],
        code: &['c'],
        code_words: &[],
    },
    Interpreter {
        names: &["sh", "bash", "dash", "ash", "ksh", "zsh"],
        with_word: &["-o", "+o", "-O", "--rcfile", "--init-file"],
        code: &['c'],
        code_words: &[],
    },
    Interpreter { names: &["perl"], with_word: &["-I"], code: &['e', 'E'], code_words: &[] },
    Interpreter { names: &["ruby"], with_word: &["-I", "-r", "-C"], code: &['e'], code_words: &[] },
    Interpreter {
        names: &["node", "nodejs"],
        with_word: &["-r", "--require", "--import", "-C", "--conditions"],
        code: &['e', 'p'],
        code_words: &["--eval", "--print"],
    },
    Interpreter { names: &["php"], with_word: &["-c", "-d", "-z"], code: &['r'], code_words: &["--run"] },
    Interpreter { names: &["lua", "luajit", "tclsh", "Rscript"], with_word: &["-l"], code: &['e'], code_words: &[] },
    Interpreter {
        names: &["java"],
        with_word: &[
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--add-modules",
            "--add-opens",
            "--add-exports",
        ],
        code: &[],
        code_words: &[],
    },
];

/// Bytes of a script's name that are kept.
const MAX_NAME: usize = 64;

/// Whether a process of this name is an interpreter, so that its command line is worth reading.
pub fn is_interpreter(comm: &str) -> bool {
    interpreter(comm).is_some()
}

fn interpreter(comm: &str) -> Option<&'static Interpreter> {
    let name = comm.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|known| known.names.contains(&name))
}

/// The script, module or class that an interpreter runs, without its folder: `backup.py` of `python3 -u /opt/backup.py --all`. Absent
/// if the program is on the command line itself, and for other programs than interpreters.
pub fn script<'a>(comm: &str, cmdline: &'a str) -> Option<&'a str> {
    let Interpreter { with_word, code, code_words, .. } = interpreter(comm)?;
    let mut words = cmdline.split('\0').skip(1);
    loop {
        let word = words.next().filter(|word| !word.is_empty())?;
        let Some(letters) = word.strip_prefix('-') else {
            let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
            let end = name.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_NAME).last()?;
            return Some(&name[..end]);
        };
        if with_word.contains(&word) {
            words.next()?;
        } else if code_words.contains(&word)
            || letters.is_empty()
            || (!letters.starts_with('-') && letters.contains(*code))
        {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_script_is_the_first_word_that_is_no_option() {
        for (comm, words, found) in [
            ("python3", "python3 /opt/jobs/backup.py --password=x", Some("backup.py")),
            ("python3.11", "python3 -u -W ignore backup.py", Some("backup.py")),
            ("python3", "python3 -m http.server 80", Some("http.server")),
            ("python3", "python3 -c import~os", None),
            ("python3", "python3 -uc import~os", None),
            ("python3", "python3 -", None),
            ("bash", "bash -e /etc/cron.daily/rotate", Some("rotate")),
            ("sh", "sh -ec echo", None),
            ("java", "java -Xmx4g -cp lib/a.jar -Dkey=secret org.apache.Kafka secret", Some("org.apache.Kafka")),
            ("java", "java -jar /srv/app.jar", Some("app.jar")),
            ("node", "node --max-old-space-size=99 server.js", Some("server.js")),
            ("node", "node --eval 1", None),
            ("perl", "perl -ne print", None),
            ("postgres", "postgres -D /data", None),
            ("python3", "python3", None),
        ] {
            let cmdline = words.replace(' ', "\0") + "\0";
            assert_eq!(script(comm, &cmdline), found, "{words}");
        }
    }

    proptest! {
        #[test]
        fn any_command_line_gives_a_short_word_of_it_or_none(cmdline in "[-a-z/\0\u{e4}]{0,200}", comm in "python3|sh|java|x") {
            if let Some(script) = script(&comm, &cmdline) {
                prop_assert!(script.len() <= MAX_NAME && !script.is_empty() && cmdline.contains(script));
            }
        }
    }
}
