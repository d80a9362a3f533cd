//! Runs scenarios on this very host. tests/vm.rs runs the same tests in a guest, under cgroup v2.

#[path = "support/on_host.rs"]
mod on_host;
#[path = "support/run.rs"]
mod run;

macro_rules! tests {
    ($module:ident: $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $module::$test();
            }
        )*
    };
}

on_host::each_on_host!(tests);
