"""The caller's event loop: asyncio, which the connection shares, or trio, with the connection in a separate thread."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from inspect import isawaitable
from threading import Lock, Thread
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Caller(Protocol):
    """The event loop of the caller."""

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work on the connection's event loop, and wait for it in the caller's."""
        ...

    async def finish(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the work as `run` does, but to its end, even if the caller is cancelled meanwhile."""
        ...

    def do(self, work: Callable[[], T]) -> T:
        """Run the function on the connection's event loop, and return its result."""
        ...

    def post(self, function: Callable[..., object], *args: object) -> None:
        """Call the function on the caller's event loop."""
        ...

    async def ask(self, function: Callable[..., object], *args: object) -> object:
        """Call the user's function on the caller's event loop, and wait for its result on the connection's."""
        ...

    def end(self) -> None:
        """Release everything; the next call starts again."""
        ...


class AsyncioCaller:
    """A caller on asyncio, whose loop the connection shares."""

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Await the work."""
        return await work()

    async def finish(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Await the work; it is not cancelled."""
        await finish(work())

    def do(self, work: Callable[[], T]) -> T:
        """Call the function."""
        return work()

    def post(self, function: Callable[..., object], *args: object) -> None:
        """Call the function on the next turn of the loop, whose exception handler gets its exceptions."""
        asyncio.get_running_loop().call_soon(function, *args)

    async def ask(self, function: Callable[..., object], *args: object) -> object:
        """Call the function, and await its result if it is awaitable."""
        found = function(*args)
        return await found if isawaitable(found) else found

    def end(self) -> None:
        """Do nothing: the loop is the caller's."""


class _Mailbox:
    """Functions to call on the event loop of another thread; one wake-up runs all functions that are queued."""

    def __init__(self, wake: Callable[[Callable[[], object]], object]) -> None:
        """Start empty; `wake` makes the other thread call a function."""
        self._wake = wake
        self._lock = Lock()
        self._functions: list[Callable[[], object]] = []

    def put(self, function: Callable[[], object]) -> None:
        """Add a function, which must not raise."""
        with self._lock:
            self._functions.append(function)
            is_first = len(self._functions) == 1
        if is_first:
            self._wake(self._call_all)

    def _call_all(self) -> None:
        with self._lock:
            functions, self._functions = self._functions, []
        for function in functions:
            function()


class TrioCaller:
    """A caller on trio: the connection runs on asyncio in a separate thread."""

    def __init__(self) -> None:
        """Start the thread."""
        import trio  # noqa: PLC0415 - the caller uses it

        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()
        self._loop = asyncio.new_event_loop()
        # Waking a thread takes longer than everything else in a small request.
        self._to_connection = _Mailbox(self._loop.call_soon_threadsafe)
        self._to_caller = _Mailbox(self._post)
        self._thread = Thread(target=self._loop.run_forever, name="mcpi", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work in the thread; if the caller is cancelled, so is the work."""
        # A future of concurrent.futures would cost twice as much.
        done = self._trio.Event()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            tasks.append(self._loop.create_task(work()))
            tasks[0].add_done_callback(lambda _: self._to_caller.put(done.set))

        def cancel() -> None:
            tasks[0].cancel()

        self._to_connection.put(start)
        try:
            await done.wait()
        except BaseException:
            self._to_connection.put(cancel)
            with self._trio.CancelScope(shield=True):
                await done.wait()
            raise
        return tasks[0].result()

    async def finish(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the work in the thread; it is not cancelled."""
        with self._trio.CancelScope(shield=True):
            await self.run(work)

    def do(self, work: Callable[[], T]) -> T:
        """Call the function in the thread; it never waits for the caller."""

        async def call() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result()

    def post(self, function: Callable[..., object], *args: object) -> None:
        """Call the function on the caller's next turn; the connection's loop handles its exceptions."""
        self._post(partial(self._guarded, partial(function, *args)))

    def _guarded(self, function: Callable[[], object]) -> None:
        try:
            function()
        except Exception as error:  # noqa: BLE001 - trio would end the program
            context = {"message": f"a callback raised {type(error).__name__}", "exception": error}
            self._loop.call_soon_threadsafe(self._loop.call_exception_handler, context)

    def _post(self, function: Callable[[], object]) -> None:
        # Once trio has ended, no caller is waiting.
        with suppress(self._trio.RunFinishedError):
            self._token.run_sync_soon(function)

    async def ask(self, function: Callable[..., object], *args: object) -> object:
        """Call the function in a task of trio."""
        answered: asyncio.Future[object] = self._loop.create_future()
        scope = self._trio.CancelScope()

        def settle(result: object, error: Exception | None) -> None:
            if not answered.done():
                answered.set_result(result) if error is None else answered.set_exception(error)

        async def call() -> None:
            result, error = None, None
            try:
                with scope:
                    found = function(*args)
                    result = await found if isawaitable(found) else found
            except Exception as raised:  # noqa: BLE001 - the connection's task gets it
                error = raised
            self._loop.call_soon_threadsafe(settle, result, error)

        # Calls inside the function must know that the server waits for its result.
        self._post(partial(self._trio.lowlevel.spawn_system_task, call, context=copy_context()))
        try:
            return await answered
        finally:
            self._post(scope.cancel)

    def end(self) -> None:
        """Stop the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def finish(work: Coroutine[Any, Any, None]) -> None:
    """Wait until the work is done; if the caller is cancelled meanwhile, raise that only then."""
    task = asyncio.get_running_loop().create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            # A cancel scope of anyio may cancel again and again.
            cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()


def current_caller() -> Caller:
    """Return the caller for the running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return TrioCaller()
    return AsyncioCaller()


def make_waiter() -> tuple[Callable[[], Awaitable[object]], Callable[[], object]]:
    """Return a function that waits on the running event loop, and one that wakes it from any thread."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        import trio  # noqa: PLC0415 - the caller uses it

        event, token = trio.Event(), trio.lowlevel.current_trio_token()
        return event.wait, partial(_wake, partial(token.run_sync_soon, event.set))
    waiting = asyncio.Event()
    return waiting.wait, partial(_wake, partial(loop.call_soon_threadsafe, waiting.set))


def _wake(wake: Callable[[], object]) -> None:
    # An event loop that has ended has no listeners.
    with suppress(RuntimeError):
        wake()
