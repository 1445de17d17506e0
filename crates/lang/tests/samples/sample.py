"""Pools of connections."""
from __future__ import annotations

import asyncio
from .base import Base, Conn as C


@dataclass
class Pool(Base):
    size: int = 3

    def __init__(self, size: int, *names: str, **rest) -> None:
        super().__init__()
        self.items = [C(i) for i in range(size)]

    @property
    def first(self) -> C | None:
        return self.items[0] if self.items else None

    async def acquire(self, timeout=1.5):
        async with self.lock as held:
            try:
                item = await self.queue.get(lambda x: x.ok)
            except (IOError, ValueError) as error:
                raise PoolError(f"no item: {error!r}") from error
        match item:
            case C(id=1):
                return item
            case _:
                pass
        for index, value in enumerate(self.items):
            yield value


def test_pool():
    pool = Pool(2)
    assert pool.first.ping()
