"""Uses the installed package as a program of its own does: `packages` runs it, and mypy checks its types."""

import asyncio
import importlib.metadata
from typing import List

import storykeep
from storykeep import AsyncStore, Event, Receipt, Request, Store, StoreError

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


async def live() -> None:
    async with await AsyncStore.temporary() as store:
        await store.append("order-1", {"type": "Placed", "data": {}})
        async with await store.events("order-1", from_=1) as events:
            async for event in events:
                assert event.type == "Placed", event
                break


asyncio.run(live())
print(f"the package for Python {version} works")
