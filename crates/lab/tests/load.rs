//! Runs the lab's own loads on this very host. tests/vm.rs runs the same tests in a guest, under cgroup v2.

#[path = "support/loads.rs"]
mod loads;
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

loads::each_load!(tests);
