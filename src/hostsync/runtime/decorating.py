"""Context managers that are decorators as well."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Decorating:
    """Makes a context manager a decorator of functions, generators and their asynchronous kinds."""

    __slots__ = ()

    def _again(self) -> Any:
        """A context manager like this one, not entered."""
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        again = self._again
        if inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            async def async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
                running = function(*args, **kwargs)
                step: Awaitable[Any] = running.__anext__()
                while True:
                    try:
                        with again():
                            value = await step
                    except StopAsyncIteration:
                        return
                    try:
                        sent = yield value
                    except GeneratorExit:
                        await running.aclose()
                        raise
                    except BaseException as error:
                        step = running.athrow(error)
                    else:
                        step = running.asend(sent)

            return async_generator  # type: ignore[return-value]
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def coroutine(*args: Any, **kwargs: Any) -> Any:
                with again():
                    return await function(*args, **kwargs)

            return coroutine  # type: ignore[return-value]
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
                # The region is open while the generator runs, not while its consumer does.
                running = function(*args, **kwargs)
                step: Callable[[], Any] = functools.partial(next, running)
                while True:
                    try:
                        with again():
                            value = step()
                    except StopIteration as stop:
                        return stop.value
                    try:
                        sent = yield value
                    except GeneratorExit:
                        running.close()
                        raise
                    except BaseException as error:
                        step = functools.partial(running.throw, error)
                    else:
                        step = functools.partial(running.send, sent)

            return generator  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with again():
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]
