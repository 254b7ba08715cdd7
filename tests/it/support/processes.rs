//! Processes started by tests, which wait for none of them without a limit.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest that a process may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// Like [`Command::output`], without input: the output of a process until it ends. A process that
/// does not end in time is killed, and the test fails.
#[track_caller]
pub fn output_of(command: &mut Command) -> Output {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ended(command.spawn().expect("the process starts"))
}

/// Like [`Child::wait_with_output`].
#[track_caller]
pub fn ended(mut child: Child) -> Output {
    drop(child.stdin.take());
    let stdout = read(child.stdout.take());
    let stderr = read(child.stderr.take());
    let status = status_of(&mut child);
    // A child of the process may still hold its pipes.
    let read = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(LIMIT).expect("its pipes are closed in time");
    Output {
        status,
        stdout: read(stdout),
        stderr: read(stderr),
    }
}

/// Like [`Child::wait`].
#[track_caller]
pub fn status_of(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            return status;
        }
        if start.elapsed() > LIMIT {
            let _ = child.kill();
            panic!("the process {} has not ended in {LIMIT:?}", child.id());
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// All bytes from a pipe, after it is closed.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

#[cfg(unix)]
#[test]
fn all_output_of_a_process_is_read() {
    // Including the output of processes it leaves running.
    let mut shell = Command::new("sh");
    shell.args(["-c", "(sleep 0.2; echo later) & echo now; exit 3"]);
    let output = output_of(&mut shell);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"now\nlater\n");
}
