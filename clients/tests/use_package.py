"""Uses the installed package as a program of its own does: `packages` runs it, and mypy checks its types."""

import asyncio
import importlib.metadata
from typing import List, Optional

import storykeep
from storykeep import (
    AsyncStore, Decided, Erasure, Event, NewEvent, Query, Receipt, Request, Store, StoreError)

reserved: Query = {"any": [{"tags": ["seat:1"], "types": ["Reserved"]}, {"stream": "hall-*"}]}


def reserve(events: List[Event]) -> Optional[NewEvent]:
    return None if events else {"stream": "order-2", "type": "Reserved", "data": 1, "tags": ["seat:1"]}


async def reserve_two(events: List[Event]) -> Decided:
    return [{"stream": "order-2", "version": 0}, {"stream": "hall-1", "type": "Filled", "data": len(events)}]


with Store.temporary() as store:
    version = importlib.metadata.version("storykeep")
    server = store.connect().server
    assert storykeep.__version__ == version and server == f"stored/{version}", (storykeep.__version__, version, server)
    receipt: Receipt = store.append("order-1", {"type": "Placed", "data": {"item": "kettle"}}, version=0)
    assert receipt.position == 1
    store.pipeline([Request.append("order-1", {"type": "Paid", "data": {"by": "card"}})])
    events: List[Event] = list(store.read_all("order-1"))
    assert [event.type for event in events] == ["Placed", "Paid"], events
    try:
        store.append("order-1", {"type": "Placed", "data": {}}, version=0)
    except StoreError as error:
        assert error.code == "conflict" and error.actual == 2, error
    else:
        raise AssertionError("the conflict was not refused")
    assert [receipt.version for receipt in store.decide(reserved, reserve, key="seat-1")] == [1]
    assert store.decide(reserved, reserve) == [] and store.count_events(query=reserved) == 1
    try:
        seen = receipt.position
        store.append("order-3", {"type": "Reserved", "data": 3}, unless=[{"tags": ["seat:1"], "after": seen}])
    except StoreError as error:
        assert (error.unless, error.after, error.stream, error.type) == (0, 1, "order-2", "Reserved"), error
    else:
        raise AssertionError("the event that came was not seen")
    erasure: Erasure = store.erase("order-1", reason="the package is tried", expect=2)
    assert (erasure.id, erasure.events) == ("1", 2), erasure
    assert [(event.data, event.erased) for event in store.read_all("order-1")] == [(None, 4), (None, 4)]
    assert [each.done for each in store.erasures_all()] == [erasure.position]


async def live() -> None:
    async with await AsyncStore.temporary() as store:
        await store.append("order-1", {"type": "Placed", "data": {}})
        assert [receipt.stream for receipt in await store.decide(reserved, reserve_two)] == ["hall-1"]
        async with await store.events("order-1", from_=1) as events:
            async for event in events:
                assert event.type == "Placed", event
                break


asyncio.run(live())
print(f"the package for Python {version} works")
