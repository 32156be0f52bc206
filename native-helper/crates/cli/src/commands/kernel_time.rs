//! The remark above figures that lack time in the kernel.

use std::io;

use capture::kernel_time::KernelTime;

use crate::terminal::print_line;

/// Prints it where it is so.
pub fn print_missing_kernel_time(kernel: Option<&KernelTime>) -> io::Result<()> {
    match kernel.and_then(KernelTime::heading) {
        Some(heading) => print_line(&heading),
        None => Ok(()),
    }
}
