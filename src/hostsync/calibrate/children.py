"""Work in child processes, so that what breaks a process (a device-side assertion, a hang) costs one call only.

A child reads requests from its standard input, one line of JSON each, and answers each with lines of JSON, the last of
them `{"end": true}`. Before the first it says `{"ready": true}`. Where a child dies, the request goes to a new one with
the number of answers that came, and one more for the call that broke it, so that it can go on behind that call.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, NamedTuple

Record = dict[str, Any]

START_SECONDS = 180.0
"""How long a child may take to import torch and find its samples."""
RESTARTS = 12
"""How often one request is taken up again behind a call that broke its process."""


class ChildError(RuntimeError):
    """Children can't even start; the message has what the last of them said."""


class Outcome(NamedTuple):
    """What came of one request."""

    item: str
    records: tuple[Record, ...]
    breaks: tuple[str, ...]
    """How processes ended on it, one sentence each; empty for a smooth run."""


def serve(handle: Callable[[str, int, Callable[[Record], None]], None]) -> None:
    """Be a child: answers requests until there are no more.

    Args:
        handle: is given an item, the number of calls to skip, and what to write each record with.
    """
    # What the work prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)

    def write(record: Record) -> None:
        answers.write(json.dumps(record) + "\n")
        answers.flush()

    write({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        handle(request["item"], request["skip"], write)
        write({"end": True})


def work(items: Sequence[str], command: Sequence[str], *, jobs: int, limit: float) -> Iterator[Outcome]:
    """Has children work through `items`, and yields each outcome as it comes.

    Args:
        items: names that a child understands.
        command: starts a child.
        jobs: number of children at a time.
        limit: seconds that a request may take before its process is ended.

    Raises:
        ChildError: a child can't start.
    """
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for item in items:
        waiting.put(item)
    outcomes: queue.SimpleQueue[Outcome | BaseException | None] = queue.SimpleQueue()
    hands = [_Hand(command, waiting, outcomes, limit) for _ in range(max(1, min(jobs, len(items))))]
    for hand in hands:
        hand.start()
    try:
        left = len(hands)
        while left:
            outcome = outcomes.get()
            if isinstance(outcome, BaseException):
                raise outcome
            if outcome is None:
                left -= 1
            else:
                yield outcome
    finally:
        for hand in hands:
            hand.stop()


class _Hand(threading.Thread):
    """Keeps one child busy."""

    def __init__(
        self,
        command: Sequence[str],
        waiting: queue.SimpleQueue[str],
        outcomes: queue.SimpleQueue[Outcome | BaseException | None],
        limit: float,
    ) -> None:
        super().__init__(daemon=True)
        self._command = command
        self._waiting = waiting
        self._outcomes = outcomes
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._stopped = False

    def run(self) -> None:
        try:
            while not self._stopped:
                try:
                    item = self._waiting.get_nowait()
                except queue.Empty:
                    break
                self._outcomes.put(self._do(item))
            self._end()
        except BaseException as error:
            self._outcomes.put(error)
        else:
            self._outcomes.put(None)

    def stop(self) -> None:
        """Ends the child, whatever it is at."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def _do(self, item: str) -> Outcome:
        records: list[Record] = []
        breaks: list[str] = []
        while True:
            process = self._process or self._begin()
            # Each process that broke took one call with it, which left no record.
            broke = self._ask(process, {"item": item, "skip": len(records) + len(breaks)}, records)
            if not broke:
                return Outcome(item, tuple(records), tuple(breaks))
            breaks.append(broke)
            self._end()
            if self._stopped or len(breaks) > RESTARTS or broke.startswith("took"):
                return Outcome(item, tuple(records), tuple(breaks))

    def _begin(self) -> subprocess.Popen[str]:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- outlives this function, as the process does
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            # Ctrl-C is for the parent, which ends its children itself.
            start_new_session=True,
        )
        self._process = process
        found: list[Record] = []
        broke = self._read(process, found, START_SECONDS, "ready")
        if broke:
            said = self._said()
            self._end()
            raise ChildError(f"a child process can't start: it {broke}{': ' if said else ''}{said}")
        return process

    def _ask(self, process: subprocess.Popen[str], request: Record, records: list[Record]) -> str:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except OSError:
            return f"ended with exit code {process.wait()}"
        return self._read(process, records, self._limit, "end")

    def _read(self, process: subprocess.Popen[str], records: list[Record], limit: float, until: str) -> str:
        """Reads answers up to the one named `until`. Returns how the process broke, or nothing."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limit, kill)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if until in record:
                    return ""
                records.append(record)
        finally:
            timer.cancel()
        if late.is_set():
            return f"took longer than {limit:g} s"
        code = process.wait()
        said = self._said()
        return f"ended with exit code {code}{': ' if said else ''}{said}"

    def _said(self) -> str:
        """The last line of what the child said of its trouble."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else ""

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
