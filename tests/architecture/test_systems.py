"""Platform-specific functions are used only where they are known to exist."""

import ast
import signal
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mcpi"
MODULES = {str(path.relative_to(SOURCE)): path for path in sorted(SOURCE.rglob("*.py"))}

# Functions that exist only on POSIX, or do not work with files and pipes on Windows.
OS = {
    *("chown", "fchmod", "fchown", "fork", "forkpty", "get_blocking", "getegid", "geteuid", "getgid", "getpgid"),
    *("getpgrp", "getuid", "killpg", "mkfifo", "nice", "openpty", "set_blocking", "setpgid", "setpgrp", "setsid"),
    *("setuid", "uname", "wait3", "wait4", "waitid", "WNOHANG"),
}
ONLY_POSIX = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
LOOP = {"add_reader", "add_signal_handler", "add_writer", "connect_read_pipe", "connect_write_pipe"}
SIGNALS = {one.name for one in signal.Signals} - {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM"} | {
    *("ITIMER_PROF", "ITIMER_REAL", "ITIMER_VIRTUAL", "alarm", "pause", "pthread_sigmask", "setitimer", "siginterrupt"),
}

GUARDED = {
    ("shell/process/time_limit.py", "SIGALRM"): "only where signal has setitimer",
    ("shell/process/time_limit.py", "ITIMER_REAL"): "only where signal has setitimer",
    ("shell/process/time_limit.py", "setitimer"): "only where signal has setitimer",
    ("shell/process/child.py", "killpg"): "after POSIX was asked",
    ("shell/process/child.py", "fcntl"): "after POSIX was asked",
    ("shell/process/child.py", "termios"): "after POSIX was asked",
    ("shell/debugger/inspector_ports.py", "SIGUSR1"): "only where /proc names the program",
    ("shell/demo/demo_server.py", "SIGPIPE"): "only where signal has it",
    ("shell/process/descendants.py", "WNOHANG"): "only after orphans were adopted, on Linux",
    ("shell/io/opening.py", "geteuid"): "only where os has it",
    ("shell/io/opening.py", "set_blocking"): "only where os has O_NONBLOCK",
    ("shell/io/opening.py", "poll"): "only where select has it",
    ("shell/io/buffered_line_writer.py", "poll"): "only where select has it",
    ("shell/auth/token_file.py", "fcntl"): "after sys.platform was asked",
    ("shell/process/signals.py", "add_signal_handler"): "NotImplementedError is met",
    ("shell/io/stdout_stream.py", "poll"): "only where select has it",
    ("shell/io/stdout_stream.py", "add_reader"): "only where select has poll",
    ("shell/io/stdout_stream.py", "add_writer"): "only where select has poll",
    ("shell/process/pipes.py", "add_reader"): "the other systems have threads",
    ("shell/process/pipes.py", "add_writer"): "the other systems have threads",
    ("shell/process/pipes.py", "poll"): "the other systems have threads",
    ("shell/process/pipes.py", "fcntl"): "ImportError is caught",
    ("shell/process/pipes.py", "set_blocking"): "the other systems have threads",
}


def test_platform_specific_names_are_guarded_and_every_guard_is_needed() -> None:
    found = {(name, what) for name, path in MODULES.items() for what in used(ast.parse(path.read_text("utf-8")))}

    assert found ^ set(GUARDED) == set()


def used(tree: ast.Module) -> set[str]:
    """The names accessed directly; getattr with a default is excluded."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                found |= {alias.name for alias in names} & ONLY_POSIX
            case ast.ImportFrom(module=str(module)):
                found |= {module} & ONLY_POSIX
            case ast.Attribute(ast.Name("os"), attribute):
                found |= {attribute} & OS
            case ast.Attribute(ast.Name("signal"), attribute):
                found |= {attribute} & SIGNALS
            case ast.Attribute(ast.Name("select"), "poll" | "epoll" | "kqueue" as attribute):
                found.add(attribute)
            case ast.Attribute(_, attribute):
                found |= {attribute} & LOOP
            case _:
                pass
    return found
