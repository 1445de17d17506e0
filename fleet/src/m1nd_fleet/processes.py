"""Programs that workers start: bounded in time, with the reason when they fail."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

#: Characters of a program's errors that are kept.
_MAX_REASON = 500
#: Seconds that a group of processes has to end before it is killed.
_GRACE = 5.0


class StepError(RuntimeError):
    """A step of a repository failed."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
        self.reason = reason


def run_step(
    step: str,
    command: Sequence[str],
    timeout: float,
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Runs a program in a process group of its own and returns its output."""
    try:
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise StepError(step, f"cannot start {command[0]}: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise StepError(step, f"took longer than {timeout:g} s") from error
    finally:
        _end_group(process)
    if process.returncode != 0:
        reason = " ".join(errors.split())[-_MAX_REASON:] or "no message"
        raise StepError(step, f"exit code {process.returncode}: {reason}")
    return output


def _end_group(process: subprocess.Popen[str]) -> None:
    """Ends what is left of the group of a process."""
    if process.poll() is not None:
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(_GRACE)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        return
