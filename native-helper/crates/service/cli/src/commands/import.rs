//! `import`: a profile of another tool as a capture file.

use capture::counted::counted;
use capture::file::{CaptureFile, IfExists};
use capture::reader::Capture;
use capture::writer::file_of;

use super::open_profile::{self, Profile};
use crate::arguments::Import;
use crate::failure::{Exit, Failure};
use crate::terminal::{next_step, print_line};

/// Runs `import`.
pub fn run(arguments: &Import) -> Result<(), Failure> {
    let path = &arguments.file;
    let imported = match open_profile::read(path, &arguments.of_perf)? {
        Profile::Foreign(imported) => imported,
        Profile::Pprof(bytes) => {
            Capture::from_bytes(&bytes)?;
            return Err(Failure::new(
                Exit::Usage,
                format!("{} is a pprof profile already", path.display()),
                "every command opens it as it is",
                format!("extrospect top {}", path.display()),
            ));
        }
    };
    open_profile::print_notes(path, &imported);
    let if_exists = match arguments.force {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    let capture = Capture::from_bytes(&imported.message)?;
    let mut file = CaptureFile::create(&arguments.output, if_exists)?;
    file.append_as_is(&file_of(&imported.message))?;
    let written = arguments.output.display();
    print_line(&format!(
        "{written}: {} of {}, from {}",
        counted(capture.total_samples(), "sample"),
        counted(capture.stack_count() as u64, "stack"),
        imported.format
    ))?;
    print_line(&next_step(&written.to_string()))?;
    Ok(())
}
