//! Single CPUs: the lines `cpu0`, `cpu1`, … of `/proc/stat`.

metrics! {
    Cpu;
    "/proc/stat" {
        "cpu_user" Counter Ticks "CPU time of this CPU in state user"
        "cpu_nice" Counter Ticks "CPU time of this CPU in state nice"
        "cpu_system" Counter Ticks "CPU time of this CPU in state system"
        "cpu_idle" Counter Ticks "CPU time of this CPU in state idle"
        "cpu_iowait" Counter Ticks "CPU time of this CPU in state iowait"
        "cpu_irq" Counter Ticks "CPU time of this CPU in state irq"
        "cpu_softirq" Counter Ticks "CPU time of this CPU in state softirq"
        "cpu_steal" Counter Ticks "CPU time of this CPU in state steal"
        "cpu_guest" Counter Ticks "CPU time of this CPU in state guest"
        "cpu_guest_nice" Counter Ticks "CPU time of this CPU in state guest_nice"
    }
}
