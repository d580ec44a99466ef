"""What only some systems have is used where it is known to be there."""

import ast
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mcpi"
MODULES = {str(path.relative_to(SOURCE)): path for path in sorted(SOURCE.rglob("*.py"))}

# What Python has on POSIX alone, or what does nothing of use on Windows with files and pipes.
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
    ("shell/law.py", "SIGALRM"): "only where signal has setitimer",
    ("shell/law.py", "ITIMER_REAL"): "only where signal has setitimer",
    ("shell/law.py", "setitimer"): "only where signal has setitimer",
    ("shell/process.py", "killpg"): "after POSIX was asked",
    ("shell/process.py", "fcntl"): "after POSIX was asked",
    ("shell/process.py", "termios"): "after POSIX was asked",
    ("shell/demo.py", "SIGPIPE"): "only where signal has it",
    ("shell/files.py", "geteuid"): "only where os has it",
    ("shell/keep.py", "fcntl"): "after sys.platform was asked",
    ("shell/signals.py", "add_signal_handler"): "NotImplementedError is met",
    ("shell/stream.py", "poll"): "only where select has it",
    ("shell/stream.py", "add_reader"): "only where select has poll",
    ("shell/stream.py", "add_writer"): "only where select has poll",
    ("shell/transports/pipes.py", "add_reader"): "the other systems have threads",
    ("shell/transports/pipes.py", "add_writer"): "the other systems have threads",
    ("shell/transports/pipes.py", "poll"): "the other systems have threads",
    ("shell/transports/pipes.py", "set_blocking"): "the other systems have threads",
}


@pytest.mark.parametrize("name", MODULES)
def test_what_only_some_systems_have_is_guarded(name: str) -> None:
    tree = ast.parse(MODULES[name].read_text("utf-8"))

    assert used(tree) - {what for module, what in GUARDED if module == name} == set()


def test_each_guard_is_still_needed() -> None:
    found = {(name, what) for name, path in MODULES.items() for what in used(ast.parse(path.read_text("utf-8")))}

    assert set(GUARDED) - found == set()


def used(tree: ast.Module) -> set[str]:
    """The names that are written in so many words; getattr with a default asks first."""
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
