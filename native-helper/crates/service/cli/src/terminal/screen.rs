//! The whole terminal for a table that is drawn again and again, and keys as they are pressed.
//!
//! However the program ends, the terminal is as it was before: when the screen is dropped, and
//! before a panic is reported. Ctrl-C comes as a key.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use capture::visible::visible;
use rustix::termios::{
    OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

/// The other screen, without a cursor, on which long lines are cut.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// For a terminal that does not say.
const USUAL_SIZE: Size = Size {
    rows: 24,
    columns: 80,
};
/// More is no key but something pasted; the rest of it is read the next time.
const MAX_TYPED_BYTES: usize = 1024;

/// What a terminal has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: usize,
    /// Characters of a line.
    pub columns: usize,
}

/// Descriptors of the terminal that belong to this module alone: for the screen, and for restoring
/// it. None can be opened behind the lock.
#[derive(Debug)]
pub struct Terminal {
    input: File,
    output: File,
    to_restore: (File, File),
}

impl Terminal {
    /// The terminal that stdin and stdout are.
    pub fn open() -> io::Result<Self> {
        let input = rustix::io::dup(io::stdin().as_fd())?;
        let output = rustix::io::dup(io::stdout().as_fd())?;
        Self::of(input.into(), output.into())
    }

    fn of(input: File, output: File) -> io::Result<Self> {
        let to_restore = (input.try_clone()?, output.try_clone()?);
        Ok(Self {
            input,
            output,
            to_restore,
        })
    }
}

/// The screen, until it is dropped.
#[derive(Debug)]
pub struct Screen {
    input: File,
    output: File,
}

/// The terminal's state before, for restoring it.
struct Before {
    input: File,
    output: File,
    modes: Termios,
    /// Who draws: a panic of another thread does not end the program.
    thread: ThreadId,
}

static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

impl Screen {
    /// Whether stdin and stdout are a terminal that can be drawn on.
    pub fn is_there() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal() && super::takes_escapes()
    }

    /// Takes the terminal.
    pub fn enter(terminal: Terminal) -> io::Result<Self> {
        let modes = tcgetattr(&terminal.input)?;
        let Terminal {
            input,
            output,
            to_restore,
        } = terminal;
        let before = Before {
            input: to_restore.0,
            output: to_restore.1,
            modes: modes.clone(),
            thread: thread::current().id(),
        };
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        // From here on dropping it restores the terminal.
        let mut screen = Self { input, output };
        restore_at_panic();
        let mut raw = modes;
        raw.make_raw();
        // Reading returns the input typed until now, even if there is none.
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&screen.input, OptionalActions::Now, &raw)?;
        screen.output.write_all(ENTER.as_bytes())?;
        Ok(screen)
    }

    /// The input typed since the last time.
    pub fn typed(&mut self) -> io::Result<String> {
        let mut bytes = [0; MAX_TYPED_BYTES];
        let length = match self.input.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            read => read?,
        };
        Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }

    /// What there is room for now.
    pub fn size(&self) -> Size {
        match tcgetwinsize(&self.output) {
            Ok(size) if size.ws_row > 0 && size.ws_col > 0 => Size {
                rows: size.ws_row.into(),
                columns: size.ws_col.into(),
            },
            _ => USUAL_SIZE,
        }
    }

    /// Shows the lines in place of the previous ones.
    pub fn draw(&mut self, lines: &[String], size: Size) -> io::Result<()> {
        let mut text = String::from("\x1b[H");
        for (number, line) in lines.iter().take(size.rows).enumerate() {
            if number > 0 {
                text.push_str("\r\n");
            }
            text.extend(visible(line).chars().take(size.columns));
            text.push_str("\x1b[K");
        }
        text.push_str("\x1b[J");
        self.output.write_all(text.as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once.
fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut before) = before {
        // There is no reader left when the terminal is gone.
        let _ = before.output.write_all(LEAVE.as_bytes());
        let _ = tcsetattr(&before.input, OptionalActions::Now, &before.modes);
    }
}

/// The report of a panic is to be read on the usual screen.
fn restore_at_panic() {
    let then = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_drawing = |before: &Before| before.thread == thread::current().id();
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = before.as_ref().is_some_and(is_drawing);
        drop(before);
        if is_ours {
            restore();
        }
        then(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, Winsize, tcsetwinsize};

    /// Both ends of a terminal.
    fn terminal() -> (File, File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        (ours.into(), theirs.into())
    }

    fn shown(ours: &mut File) -> String {
        let mut bytes = [0; 4096];
        let length = ours.read(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    /// One test for all: the terminal to restore and the action at a panic are global to the
    /// program.
    #[test]
    fn the_terminal_is_as_before_after_an_end_and_after_a_panic() {
        let (mut ours, theirs) = terminal();
        let size = Winsize {
            ws_row: 3,
            ws_col: 10,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size).unwrap();
        let modes = || tcgetattr(&theirs).unwrap().local_modes;
        let before = modes();
        assert!(before.contains(LocalModes::ICANON | LocalModes::ECHO));
        let enter = || {
            let terminal = Terminal::of(theirs.try_clone().unwrap(), theirs.try_clone().unwrap());
            Screen::enter(terminal.unwrap()).unwrap()
        };

        let mut screen = enter();
        assert!(!modes().intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        assert_eq!(shown(&mut ours), ENTER);
        assert_eq!(screen.typed().unwrap(), "");
        ours.write_all(b"s\x03").unwrap();
        assert_eq!(screen.typed().unwrap(), "s\x03");
        let lines = ["a\x1b[2J".to_owned(), "0123456789ab".to_owned()];
        let size = screen.size();
        screen.draw(&lines, size).unwrap();
        assert_eq!(
            shown(&mut ours),
            "\x1b[Ha\\u{1b}[2J\x1b[K\r\n0123456789\x1b[K\x1b[J"
        );
        drop(screen);
        assert_eq!(shown(&mut ours), LEAVE);
        assert_eq!(modes(), before);

        // Rust's own words about the panic are for a reader of the failing test.
        std::panic::set_hook(Box::new(|_| {}));
        let screen = enter();
        let _ = shown(&mut ours);
        let ended = thread::scope(|scope| scope.spawn(|| panic!("of another thread")).join());
        assert!(ended.is_err());
        assert_ne!(modes(), before, "the screen is still in use");
        let ended = std::panic::catch_unwind(|| panic!("of the one that draws"));
        assert!(ended.is_err());
        assert_eq!(modes(), before, "before the screen is dropped");
        assert_eq!(shown(&mut ours), LEAVE);
        drop(screen);
        let _ = std::panic::take_hook();
    }
}
