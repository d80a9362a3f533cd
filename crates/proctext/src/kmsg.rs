//! A record of `/dev/kmsg`, the kernel log (`kernel/printk/printk.c`: `info_print_ext_header`, Documentation/ABI/testing/dev-kmsg).

use crate::text::number;
use pagetide_core::KernelMessage;

/// The message of a record that tells who did something to memory, or which device failed. Others are none, and so are those that a
/// program wrote: `<level and facility>,<sequence>,<microseconds>,<flags>;<message>`.
pub fn parse_kmsg(record: &str) -> Option<KernelMessage> {
    let (header, rest) = record.split_once(';')?;
    let priority = number(header.split(',').next()?)?;
    // Lines behind the first are keys and values of the device.
    let message = rest.lines().next()?;
    if priority >> 3 != 0 {
        return None;
    }
    [caches_dropped, oom_kill, io_error, blocked].iter().find_map(|parse| parse(message))
}

/// `sh (417): drop_caches: 3`
fn caches_dropped(message: &str) -> Option<KernelMessage> {
    let (who, value) = message.rsplit_once("): drop_caches: ")?;
    let (command, pid) = who.rsplit_once(" (")?;
    Some(KernelMessage::CachesDropped {
        command: command.to_owned(),
        pid: pid.parse().ok()?,
        value: value.parse().ok()?,
    })
}

/// `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/app,task_memcg=/app,task=python3,pid=417,uid=0`
fn oom_kill(message: &str) -> Option<KernelMessage> {
    let (rest, _) = message.strip_prefix("oom-kill:")?.rsplit_once(",uid=")?;
    let (rest, pid) = rest.rsplit_once(",pid=")?;
    let (rest, command) = rest.rsplit_once(",task=")?;
    let group = rest
        .split_once(",oom_memcg=/")
        .map(|(_, rest)| rest.split_once(",task_memcg=").map_or(rest, |(group, _)| group));
    Some(KernelMessage::OomKill {
        command: command.to_owned(),
        pid: pid.parse().ok()?,
        group: group.map(str::to_owned),
    })
}

/// `I/O error, dev vdb, sector 2048 op 0x0:(READ) …`, before Linux 5.17 behind `blk_update_request: `
fn io_error(message: &str) -> Option<KernelMessage> {
    let (kind, rest) = message.split_once(" error, dev ")?;
    let (disk, rest) = rest.split_once(',')?;
    // What a device does not know (discard, write zeroes) is no failure.
    let failed = rest.starts_with(" sector ") && !kind.ends_with("operation not supported");
    failed.then(|| KernelMessage::IoErrors { disk: disk.to_owned(), times: 1 })
}

/// `INFO: task jbd2/vdb-8:417 blocked for more than 120 seconds.`
fn blocked(message: &str) -> Option<KernelMessage> {
    let (who, rest) = message.strip_prefix("INFO: task ")?.rsplit_once(" blocked for more than ")?;
    let (command, pid) = who.rsplit_once(':')?;
    let seconds = number(rest.split(' ').next()?)?;
    Some(KernelMessage::TaskBlocked { command: command.to_owned(), pid: pid.parse().ok()?, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_kernel_name_who_and_what() {
        let of = |record: &str| parse_kmsg(record).map(|message| message.to_string());
        assert_eq!(of("6,512,9000,-;sh (417): drop_caches: 3").unwrap(), "sh (pid 417) wrote 3 to drop_caches");
        assert_eq!(
            of("6,1,1,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/pod,task_memcg=/pod/app,task=a,pid=1,pid=417,uid=0\n SUBSYSTEM=x").unwrap(),
            "OOM kill of a,pid=1 (pid 417) at the limit of pod"
        );
        assert_eq!(
            of("6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/,task=java,pid=9,uid=1000").unwrap(),
            "OOM kill of java (pid 9)"
        );
        let error = "I/O error, dev vdb, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2";
        assert_eq!(of(&format!("3,1,1,-;{error}")).unwrap(), "1 I/O error of vdb");
        assert_eq!(
            of("3,1,1,-;blk_update_request: critical medium error, dev sda, sector 7 op").unwrap(),
            "1 I/O error of sda"
        );
        assert_eq!(
            of("3,1,1,-;INFO: task jbd2/vdb-8:417 blocked for more than 120 seconds.").unwrap(),
            "jbd2/vdb-8 (pid 417) was blocked for 120 s"
        );
    }

    #[test]
    fn what_a_program_writes_to_the_log_is_no_message_of_the_kernel() {
        for record in [
            "14,1,1,-;sh (417): drop_caches: 3",
            "6,1,1,-;hello",
            "6,1,1,-;operation not supported error, dev vdb, sector 1 op",
            "6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE",
            "no record",
            "",
        ] {
            assert_eq!(parse_kmsg(record), None, "{record}");
        }
    }
}
