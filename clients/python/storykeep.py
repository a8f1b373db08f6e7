"""A client for Storykeep, an event store that is talked to over a Unix socket, or over TLS from other machines.

    from storykeep import Store

    with Store() as store:
        store.append("note-1", {"type": "Wrote", "data": {"text": "Hello"}})
        for event in store.read_all("note-1"):
            print(event.position, event.data)

`Store` blocks, `AsyncStore` is for asyncio; both have the same methods. The requests and replies are described in
docs/protocol.md. JSON is read and written by the json module, so whole numbers are int and others float.

Both connect again by themselves and send again what had no answer. A write carries a random key, so that the store
does it once however often it is sent. What cannot be sent again safely raises instead: see `ConnectionLost`.

A connection belongs to one process: after `fork` the child makes its own, and the parent's is not disturbed.
`Store.temporary()` starts a store of its own in a temporary folder, for tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import uuid
import weakref
from collections import deque
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import (
    TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Deque, Dict, Generator, Generic, Iterator, List, Literal,
    Mapping, Optional, Sequence, Set, Tuple, Type, TypedDict, TypeVar, Union, cast,
)

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")
Row = Dict[str, Any]
"""A user, story, message, photo, or a row of a declared model as it is now: its fields by their names."""
Kind = str
"""users, stories, messages, photos, or the name of a declared model."""
Order = Literal["asc", "desc"]
Point = Union[int, str, datetime]
"""A position (or a version, where one stream is read), or a time: a datetime with a zone, or RFC 3339 text."""
Option = Union[str, int, datetime, Sequence[str], Mapping[str, Any], Sequence[Mapping[str, Any]], None]
Minimum = Union[int, Literal["now"], None]
File = Union[str, "os.PathLike[str]"]
"""A path, as text or as a `pathlib.Path`."""
Paths = Union[File, Sequence[File], None]
"""The place of a store: the path of its socket, tls://HOST:PORT, or several of both; None has `default_path` say."""
Key = Union[str, None, Literal[False]]
"""The key of a write: None has a random one made, False sends none."""
Retry = Literal["never", "same", "refetch", "later"]
Media = Literal["overwritten", "copyOnWrite"]
"""How the bytes of an erasure went: overwritten, or freed by a file system that writes elsewhere."""
Scope = Literal["profile", "own", "all"]
"""What goes with a user: nothing, all that the user sent or owns, or also all that came to the user."""
Labels = Literal["keep", "drop"]
"""The fate of the keys and the tags of erased events."""
Rule = Literal[
    "missing", "empty", "tooLong", "notSelected", "outOfRange", "malformed", "noSuch", "unknownField", "wrongType",
    "repeated",
]
Code = Literal[
    "syntax", "unknown", "invalid", "notFound", "gone", "exists", "conflict", "keyReused", "denied", "tooLarge", "full",
    "held", "lost", "diverged", "behind", "notLeader", "unavailable", "busy", "draining", "internal",
]


# Errors


@dataclass(frozen=True)
class FieldError:
    """One wrong field or option of an `invalid` request."""

    field: str
    rule: Rule
    message: str


class StoreError(Exception):
    """The store refused a request. What an error does not have is None; `fields` is then empty."""

    code: Code
    message: str
    retry: Retry
    fields: Tuple[FieldError, ...]
    expected: Optional[int]
    actual: Optional[int]
    erased: Optional[int]
    """The position of the event that erased all that an erasure would take."""
    stream: Optional[str]
    unless: Optional[int]
    """The number, from 0, of the precondition of a write that the event at `position` breaks."""
    after: Optional[int]
    type: Optional[str]
    position: Optional[int]
    limit: Optional[int]
    column: Optional[int]
    field: Optional[str]
    name: Optional[str]
    nearest: Optional[str]
    log: Optional[str]
    address: Optional[str]
    cursor: Optional[str]
    at: Optional[int]
    """The place of the cursor: all of its events up to there are done."""
    holder: Optional[Mapping[str, Any]]
    """The process that holds the cursor."""
    damaged: bool
    members: Mapping[str, Any]
    """The error as it came, with members that this version does not know."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        super().__init__(members)
        self.members = members
        for name in ("code", "message", "retry", "expected", "actual", "erased", "stream", "unless", "after", "type",
                     "position", "limit", "column", "field", "name", "nearest", "log", "address", "cursor", "at",
                     "holder"):
            setattr(self, name, members.get(name))
        self.fields = tuple(_pick(FieldError, wrong) for wrong in members.get("fields") or ())
        self.damaged = bool(members.get("damaged"))

    def __str__(self) -> str:
        if not self.fields:
            return f"{self.code}: {self.message}"
        name, reason = self.fields[0].field, self.fields[0].message
        return f"{self.code}: {self.message} ({reason if reason.startswith((f'{name} ', f'{name}=')) else f'{name}: {reason}'})"


class ConnectionLost(ConnectionError):
    """The connection broke. A write without a key that was sent may have been done, or may not."""


class ProtocolError(Exception):
    """What answered is not a store that speaks version 1 of the protocol."""


# Answers


@dataclass(frozen=True)
class Greeting:
    """What the store says first on each connection."""

    server: str
    protocol: int
    position: int
    log: str
    limits: Mapping[str, int]
    you: Mapping[str, Any]
    durable: str = ""


@dataclass(frozen=True)
class Receipt:
    """A write was done. `changed` is False where nothing had to be, `repeated` True where it was done before.

    Of a repeated write whose content is erased, `erased` is the position of the event that erased it. `cursor` is the
    place of the cursor that the write of a job moved: its `share`, and `at`, up to which its events are done.
    """

    stream: str
    version: int
    position: int
    time: Optional[str] = None
    id: Optional[str] = None
    changed: bool = True
    repeated: bool = False
    erased: Optional[int] = None
    cursor: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True)
class Event:
    """An event of the log. `data` and `meta` are None where the event at `erased` erased them.

    `cursor` tells which cursor its write moved, and to where, as in billing/1@1042.
    """

    position: int
    stream: str
    version: int
    type: str
    time: str
    by: int
    data: Any
    key: Optional[str] = None
    tags: Sequence[str] = ()
    meta: Optional[Mapping[str, Any]] = None
    erased: Optional[int] = None
    cursor: Optional[str] = None


class _NewEvent(TypedDict):
    type: str
    data: Any


class NewEvent(_NewEvent, total=False):
    """An event to append. `stream` and `version` are for `append_together` only."""

    meta: Optional[Mapping[str, Any]]
    tags: Optional[Sequence[str]]
    stream: str
    version: Optional[int]


class Check(TypedDict):
    """An element of `append_together` that appends nothing: its stream must have this version now."""

    stream: str
    version: int


class QueryItem(TypedDict, total=False):
    """The events that have all of the tags, are of one of the types, and of the stream or category (order-*)."""

    tags: Sequence[str]
    types: Sequence[str]
    stream: str


class Query(QueryItem, total=False):
    """An item, or the events of `any` of several items."""

    any: Sequence[QueryItem]


class Unless(Query, total=False):
    """A precondition of a write: no event of the query has a position above `after`, which is 0 if left out."""

    after: int


Preconditions = Union[Unless, Sequence[Unless], None]
"""One precondition or several, all of which must hold."""
Decided = Union[NewEvent, Sequence[Union[NewEvent, Check]], None]
"""The elements for `append_together` that a decision is; none of them, or None: nothing is written."""


@dataclass(frozen=True)
class StreamInfo:
    """A stream, its version, and the position of its last event."""

    stream: str
    version: int
    position: int


@dataclass(frozen=True)
class TypeInfo:
    """A type of events, the number of its events, and the positions of the first and the last of them."""

    type: str
    count: int
    first: int
    last: int


@dataclass(frozen=True)
class ErasedStream:
    """The events of a stream that an erasure would take, `labelled` of which keep a key or tags."""

    stream: str
    events: int
    bytes: int
    labelled: int


@dataclass(frozen=True)
class Erasure:
    """The events that an erasure took, whose content has `bytes` bytes, and `labelled` of which keep a key or tags.

    Of a dry run it is what would be taken, of each stream in `items`, and the members from `id` to `media` are None.
    """

    position: int
    events: int
    streams: int
    bytes: int
    labelled: int
    id: Optional[str] = None
    stream: Optional[str] = None
    version: Optional[int] = None
    time: Optional[str] = None
    media: Optional[Media] = None
    items: Sequence[ErasedStream] = ()


@dataclass(frozen=True)
class ErasureInfo:
    """An erasure as a store lists it; `done` and `media` are None while it is under way in that store's directory.

    At a node `waiting` names the other nodes, and `etcd`, that may have the content yet.
    """

    id: str
    position: int
    target: str
    labels: Labels
    reason: str
    by: int
    events: int
    streams: int
    bytes: int
    labelled: int
    scope: Optional[Scope] = None
    done: Optional[int] = None
    media: Optional[Media] = None
    waiting: Sequence[str] = ()


@dataclass(frozen=True)
class CursorInfo:
    """A share of a cursor: its events up to `at` are done, and the log has `lag` positions after the last looked at.

    `holder` is the process that works, `outstanding` the number of events that it has and that are not done, and
    `oldest` the first of them, with its attempt. So many connections are `waiting` for the share.
    """

    cursor: str
    share: int
    shares: int
    on: str
    at: int
    lag: int
    state: str
    parked: int
    window: int
    lease: int
    attempts: int
    holder: Optional[Mapping[str, Any]] = None
    outstanding: Optional[int] = None
    oldest: Optional[Mapping[str, Any]] = None
    waiting: int = 0


@dataclass(frozen=True)
class ParkedEvent:
    """The position of an event that a cursor set aside after so many attempts, and whether it comes again."""

    event: int
    share: int
    stream: str
    type: str
    attempts: int
    since: str
    retrying: bool
    error: Optional[str] = None


@dataclass(frozen=True)
class SortKey:
    """What a kind can be sorted by; `order` is taken where none is told."""

    sort: str
    title: str
    order: Order


@dataclass(frozen=True)
class Page(Generic[T]):
    """A part of an answer. It may be short, even empty, and still have a `next`."""

    items: List[T]
    position: int
    next: Union[str, int, None] = None
    following: Optional[Request[Page[T]]] = field(default=None, repr=False, compare=False)
    """The request for the next page, for `call`."""


@dataclass(frozen=True)
class Answer:
    """The answer to a request made by `Request.of`, as it came."""

    rows: List[Dict[str, Any]]
    done: Dict[str, Any]


# What a subscription gives


@dataclass(frozen=True)
class Change:
    """A row as it is after the event at `position`; None where there is none, or no more."""

    position: int
    row: Optional[Row]


@dataclass(frozen=True)
class Removed:
    """The row with this ID left the list."""

    position: int
    id: str


@dataclass(frozen=True)
class Restarted:
    """The rows come again, after a lost connection or to a reader far behind: forget those known, some may be gone."""


@dataclass(frozen=True)
class CaughtUp:
    """Everything up to `position` was given; what comes next is live."""

    position: int


@dataclass(frozen=True)
class Behind:
    """The reader was too slow for live: `count` events wait, which follow."""

    count: int


@dataclass(frozen=True)
class Ended:
    """The store ended the subscription, which goes on by itself at `resume`."""

    reason: str
    resume: int


Marker = Union[CaughtUp, Behind, Ended]
ListItem = Union[Change, Removed, Restarted]
RowItem = Union[Change, Restarted]


def _pick(cls: Type[T], members: Mapping[str, Any]) -> T:
    """Make a dataclass of the members that it knows; later versions of the protocol may have more."""
    given = {}
    for each in fields(cls):  # type: ignore[arg-type]
        if each.name in members:
            given[each.name] = members[each.name]
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ProtocolError(f"this is no {cls.__name__}: {members!r:.200}")
    return cls(**given)


def _pages(cls: Type[T], following: Callable[[Any], Request[Page[T]]]) -> Callable[
        [List[Any], Dict[str, Any], Greeting], Page[T]]:
    """Make the decoder of a page; `following` makes the request of the next one from its `next`."""
    def decode(rows: List[Any], done: Dict[str, Any], _: Greeting) -> Page[T]:
        more = done.get("next")
        return Page([_pick(cls, row) for row in rows], _whole(done, "position"), more,
                    None if more is None else following(more))
    return decode


def _event(members: Mapping[str, Any]) -> Event:
    """Read an event. One that was erased has no data."""
    return _pick(Event, {"data": None, **members} if "erased" in members else members)


# Requests


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)


def _plain(value: Any) -> Dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _word(value: Option) -> str:
    """Write a target or the value of an option: as it is, or as JSON where it has other characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    is_list = isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value)
    if is_list or isinstance(value, Mapping):
        # Outside the body a line has no control characters, not even in a string.
        return re.sub("[\x7f-\x9f]", lambda control: f"\\u{ord(control[0]):04x}", _json(value))
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs a zone")
        value = value.isoformat()
    text = ",".join(cast(Sequence[str], value)) if isinstance(value, (list, tuple)) else str(value)
    if re.search(r"[\x00-\x1f\x7f-\x9f]", text):
        raise ValueError(f"a target or an option has no control characters: {text!r}")
    return text if re.fullmatch(r"[A-Za-z0-9._~:/*,@+-]+", text) else _json(text)


Decode = Callable[[List[Any], Dict[str, Any], Greeting], T]
"""Reads the rows and the members of the last line of an answer."""


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request, and how its answer is read. The static methods make them; `call` and `pipeline` send them."""

    line: str
    decode: Decode[T] = field(repr=False)
    write: bool = False
    repeatable: bool = True
    """Whether it may be sent again when the connection was lost before the answer."""

    def __post_init__(self) -> None:
        if "\n" in self.line or "\r" in self.line:
            raise ValueError("a request is one line")
        if re.search("[\ud800-\udfff]", self.line):
            raise ValueError("a request has half of a surrogate pair, which UTF-8 cannot write")

    @staticmethod
    def _make(
        decode: Decode[T], verb: str, target: Optional[str] = None,
        options: Mapping[str, Option] = {}, body: Any = None, write: bool = False, repeatable: bool = True,
    ) -> Request[T]:
        words = [verb] if target is None else [verb, _word(target)]
        words += [f"{name}={_word(value)}" for name, value in options.items() if value is not None]
        if not all(re.fullmatch("[A-Za-z]+", name) for name in (verb, *options)):
            raise ValueError("a verb and the name of an option have letters only")
        words += [] if body is None else [_json(body)]
        return Request(" ".join(words), decode, write, repeatable)

    @staticmethod
    def of(verb: str, target: Optional[str] = None, options: Mapping[str, Option] = {}, body: Any = None,
           *, repeatable: bool = False) -> Request[Answer]:
        """Make a request of any verb but SUBSCRIBE, such as one that this version does not know."""
        if verb.upper() == "SUBSCRIBE":
            raise ValueError("subscriptions have methods of their own")
        return Request._make(lambda rows, done, _: Answer(rows, done), verb, target, options, body, True, repeatable)

    # Queries: with `min` the store answers once it has that event, with "now" all that was acknowledged before.

    @staticmethod
    def get(target: str, *, at: Optional[Point] = None, min: Minimum = None) -> Request[Row]:
        """Get a row such as stories/12345, now or as it was `at` a position or a time."""
        return Request._make(lambda _, row, __: row, "GET", target, {"at": at, "min": min})

    @staticmethod
    def list(kind: Kind, filters: Mapping[str, Option] = {}, *, sort: Optional[str] = None,
             order: Optional[Order] = None, limit: Optional[int] = None,
             after: Optional[str] = None, min: Minimum = None) -> Request[Page[Row]]:
        """List a page of a kind's rows, filtered and sorted. `after` is the `next` of the page before."""
        def decode(rows: List[Row], done: Dict[str, Any], _: Greeting) -> Page[Row]:
            more = done.get("next")
            return Page(rows, _whole(done, "position"), more, None if more is None else Request.list(
                kind, filters, sort=sort, order=order, limit=limit, after=more, min=min))
        return Request._make(
            decode, "LIST", kind,
            {**filters, "sort": sort, "order": order, "limit": limit, "after": after, "min": min})

    @staticmethod
    def count(kind: Kind, filters: Mapping[str, Option] = {}, *, min: Minimum = None) -> Request[int]:
        """Count the rows that `list` would give."""
        return Request._make(lambda _, done, __: _whole(done, "count"), "COUNT", kind, {**filters, "min": min})

    @staticmethod
    def sorts(kind: Kind) -> Request[List[SortKey]]:
        """Tell what a kind can be sorted by."""
        return Request._make(lambda rows, _, __: [_pick(SortKey, row) for row in rows], "SORTS", kind)

    @staticmethod
    def read(stream: Optional[str] = None, *, from_: Optional[Point] = None, to: Optional[Point] = None,
             order: Optional[Order] = None, limit: Optional[int] = None, types: Optional[Sequence[str]] = None,
             tags: Optional[Sequence[str]] = None, query: Optional[Query] = None, log: Optional[str] = None,
             min: Minimum = None) -> Request[Page[Event]]:
        """Read a page of events: of one stream, of a category (note-*), or of the whole log.

        `from_` and `to` are versions where one stream is read. `types` and `tags` select events that are of one of the
        types and have all of the tags, in whose names there is no comma; `query` selects those of a query among them.
        `log` is the history that they are of: another one raises `diverged`.
        """
        def decode(rows: List[Any], done: Dict[str, Any], greeting: Greeting) -> Page[Event]:
            more = done.get("next")
            return Page([_event(row) for row in rows], _whole(done, "position"), more, None if more is None else
                        Request.read(stream, from_=more, to=to, order=order, limit=limit, types=types,
                                     tags=tags, query=query, log=greeting.log, min=min))
        return Request._make(decode, "READ", _events(stream), {
            "from": from_, "to": to, "order": order, "limit": limit, "types": types, "tags": tags, "query": query,
            "log": log, "min": min})

    @staticmethod
    def find(words: str, stream: Optional[str] = None, *, from_: Optional[Point] = None, to: Optional[Point] = None,
             order: Optional[Order] = None, limit: Optional[int] = None, types: Optional[Sequence[str]] = None,
             tags: Optional[Sequence[str]] = None, query: Optional[Query] = None, log: Optional[str] = None,
             min: Minimum = None) -> Request[Page[Event]]:
        """Find a page of your own events with words in their data, newest first: of one stream, of a category, or all.

        All words must be in an event: `spring -cancelled "two words" wor*`. The other arguments are those of `read`; a page
        may be short, or empty, and have a `next` all the same. While the store makes its index of words it raises `busy`,
        which a client with `retry_for` waits for.
        """
        def decode(rows: List[Any], done: Dict[str, Any], greeting: Greeting) -> Page[Event]:
            more = done.get("next")
            return Page([_event(row) for row in rows], _whole(done, "position"), more, None if more is None else
                        Request.find(words, stream, from_=more, to=to, order=order, limit=limit, types=types,
                                     tags=tags, query=query, log=greeting.log, min=min))
        return Request._make(decode, "FIND", _events(stream), {
            "words": words, "from": from_, "to": to, "order": order, "limit": limit, "types": types, "tags": tags,
            "query": query, "log": log, "min": min})

    @staticmethod
    def find_rows(kind: Kind, words: str, filters: Mapping[str, Option] = {}, *, at: Optional[Point] = None,
                  rank: bool = False, limit: Optional[int] = None, after: Optional[str] = None,
                  min: Minimum = None) -> Request[Page[Row]]:
        """Find a page of stories or messages by their words, the newest words first.

        `at` finds what was found then, and gives the rows as they were; `rank` gives the best of the newest first, in one
        page. The words are those of `find`. A page may be short, or empty, and have a `next` all the same.
        """
        def decode(rows: List[Row], done: Dict[str, Any], _: Greeting) -> Page[Row]:
            more = done.get("next")
            return Page(rows, _whole(done, "position"), more, None if more is None else Request.find_rows(
                kind, words, filters, at=at, limit=limit, after=more, min=min))
        return Request._make(decode, "FIND", kind, {
            **filters, "words": words, "at": at, "sort": "rank" if rank else None, "limit": limit, "after": after,
            "min": min})

    @staticmethod
    def count_events(stream: Optional[str] = None, *, from_: Optional[Point] = None, to: Optional[Point] = None,
                     types: Optional[Sequence[str]] = None, tags: Optional[Sequence[str]] = None,
                     query: Optional[Query] = None, log: Optional[str] = None, min: Minimum = None) -> Request[int]:
        """Count the events that `read` would give without a limit."""
        return Request._make(lambda _, done, __: _whole(done, "count"), "COUNT", _events(stream), {
            "from": from_, "to": to, "types": types, "tags": tags, "query": query, "log": log, "min": min})

    @staticmethod
    def types(category: Optional[str] = None, *, after: Optional[str] = None,
              limit: Optional[int] = None, min: Minimum = None) -> Request[Page[TypeInfo]]:
        """List a page of the types of events: of all, or of those of a category (note-*)."""
        decode = _pages(TypeInfo, lambda more: Request.types(category, after=more, limit=limit, min=min))
        return Request._make(decode, "TYPES", category, {"after": after, "limit": limit, "min": min})

    @staticmethod
    def streams(stream: Optional[str] = None, *, after: Optional[str] = None,
                limit: Optional[int] = None, min: Minimum = None) -> Request[Page[StreamInfo]]:
        """List a page of streams: all, those of a category (note-*), or one."""
        decode = _pages(StreamInfo, lambda more: Request.streams(stream, after=more, limit=limit, min=min))
        return Request._make(decode, "STREAMS", stream, {"after": after, "limit": limit, "min": min})

    @staticmethod
    def models(name: Optional[str] = None) -> Request[List[Dict[str, Any]]]:
        """Tell of the declared models; or of one, or of a built-in kind: its fields, filters, sorts and writes as well."""
        return Request._make(lambda rows, _, __: rows, "MODELS", name)

    @staticmethod
    def misfits(name: str, *, from_: Optional[int] = None, order: Optional[Order] = None,
                limit: Optional[int] = None) -> Request[Page[Dict[str, Any]]]:
        """Read a page of the events that did not fit a declared model, each with its line and the rule."""
        def decode(rows: List[Any], done: Dict[str, Any], _: Greeting) -> Page[Dict[str, Any]]:
            more = done.get("next")
            return Page(rows, _whole(done, "position"), more, None if more is None else
                        Request.misfits(name, from_=more, order=order, limit=limit))
        return Request._make(decode, "READ", f"misfits/{name}", {"from": from_, "order": order, "limit": limit})

    @staticmethod
    def define(name: str, text: str, *, key: Key = None) -> Request[Dict[str, Any]]:
        """Declare a read model over your own events, or another definition of it.

        Faults raise `invalid`, each with the field LINE:COLUMN. The model is built beside the store's other work;
        `models` tells how far it is. `hints` of the receipt, each a `line` and a `message`, are there where the
        definition takes something away from the one that answers, or may do otherwise than it seems.
        """
        return Request._make(
            lambda _, done, __: done, "DEFINE", name, {"key": _key(key)}, text, True, key is not False)

    @staticmethod
    def check(name: str, text: str, *, limit: Optional[int] = None) -> Request[Dict[str, Any]]:
        """Try a definition without declaring it: the rows that would differ, up to `limit` of them, are `differences`.

        The other members are the numbers of rows, the misfits, the names that no event ever had, and `hints`: what the
        definition takes away from the one that answers, and what may do otherwise than it seems.
        """
        return Request._make(
            lambda rows, done, __: {**done, "differences": rows}, "DEFINE", name, {"check": True, "limit": limit}, text)

    @staticmethod
    def undefine(name: str) -> Request[Dict[str, Any]]:
        """Remove a declared model; its events stay."""
        return Request._make(lambda _, done, __: done, "UNDEFINE", name, write=True, repeatable=False)

    @staticmethod
    def ping() -> Request[int]:
        """Ask for an answer, which is the log's last position."""
        return Request._make(_position, "PING")

    @staticmethod
    def help(topic: Optional[str] = None) -> Request[List[Dict[str, Any]]]:
        """Explain the verbs, or one verb or error code."""
        return Request._make(lambda rows, _, __: rows, "HELP", topic)

    @staticmethod
    def stats() -> Request[Dict[str, Any]]:
        """Tell counts, sizes in bytes, rates and latencies."""
        return Request._make(lambda _, done, __: done, "STATS")

    @staticmethod
    def metrics() -> Request[str]:
        """Tell the same figures as the text of OpenMetrics 1.0, for programs that collect them."""
        return Request._make(lambda rows, _, __: "".join([_text(row, "text") for row in rows] + ["# EOF\n"]), "METRICS")

    @staticmethod
    def clients(number: Optional[int] = None) -> Request[List[Dict[str, Any]]]:
        """Tell of the store's connections, or of the one with a number, and how far their subscriptions are."""
        return Request._make(lambda rows, _, __: rows, "CLIENTS", None if number is None else str(number))

    @staticmethod
    def end_client(number: int) -> Request[None]:
        """End the connection with a number, for the role admin; its client may connect again."""
        return Request(f"CLIENTS end {int(number)}", lambda _, __, ___: None, False, False)

    @staticmethod
    def checkpoint() -> Request[int]:
        """Write the read models to the disk now; the answer is the position that they are at."""
        return Request._make(_position, "CHECKPOINT")

    @staticmethod
    def verify() -> Request[int]:
        """Check every record of the log while serving, up to the position that is the answer."""
        return Request._make(_position, "VERIFY")

    @staticmethod
    def seal(*, at: Optional[Point] = None) -> Request[str]:
        """Check every record of the log; the answer is the seal `at` a position or a time, or at the last event."""
        return Request._make(lambda _, done, __: _text(done, "seal"), "VERIFY", None, {"at": at})

    @staticmethod
    def backup(directory: File) -> Request[int]:
        """Copy the log, up to the position that is the answer, into a new directory of the store's machine."""
        return Request._make(_position, "BACKUP", os.fspath(directory), write=True, repeatable=False)

    # Writes: one with `unless` is a `conflict` where an event of a query came after a position. `log` is the history of
    # the positions: another one raises `diverged`.

    @staticmethod
    def _write(verb: str, target: str, key: Key, version: Optional[int], meta: Optional[Mapping[str, Any]],
               unless: Preconditions, log: Optional[str], body: Any = None) -> Request[Receipt]:
        return Request._make(lambda _, done, __: _pick(Receipt, done), verb, target, {
            "key": _key(key), "version": version, "meta": meta, "unless": unless, "log": log,
        }, body, True, key is not False)

    @staticmethod
    def post(kind: Kind, form: Mapping[str, Any], *, key: Key = None, version: Optional[int] = None,
             meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
             log: Optional[str] = None) -> Request[Receipt]:
        """Add a user, story, message or photo."""
        return Request._write("POST", kind, key, version, meta, unless, log, form)

    @staticmethod
    def edit(target: str, form: Mapping[str, Any], *, key: Key = None, version: Optional[int] = None,
             meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
             log: Optional[str] = None) -> Request[Receipt]:
        """Revise the fields that are given. `version` is the one that the stream must have now."""
        return Request._write("EDIT", target, key, version, meta, unless, log, form)

    @staticmethod
    def like(target: str, user: str, *, key: Key = None, version: Optional[int] = None,
             meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
             log: Optional[str] = None) -> Request[Receipt]:
        """Have a user like a story."""
        return Request._write("LIKE", target, key, version, meta, unless, log, {"user": user})

    @staticmethod
    def unlike(target: str, user: str, *, key: Key = None, version: Optional[int] = None,
               meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
               log: Optional[str] = None) -> Request[Receipt]:
        """Have a user like a story no longer."""
        return Request._write("UNLIKE", target, key, version, meta, unless, log, {"user": user})

    @staticmethod
    def see(target: str, *, key: Key = None, version: Optional[int] = None,
            meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
            log: Optional[str] = None) -> Request[Receipt]:
        """Note that the recipient has seen a message."""
        return Request._write("SEE", target, key, version, meta, unless, log)

    @staticmethod
    def delete(target: str, *, key: Key = None, version: Optional[int] = None,
               meta: Optional[Mapping[str, Any]] = None, unless: Preconditions = None,
               log: Optional[str] = None) -> Request[Receipt]:
        """Take a story, message or photo away; its history stays readable."""
        return Request._write("DELETE", target, key, version, meta, unless, log)

    @staticmethod
    def append(stream: str, events: Union[NewEvent, Sequence[NewEvent]], *, key: Key = None,
               version: Optional[int] = None, unless: Preconditions = None,
               log: Optional[str] = None) -> Request[Receipt]:
        """Append one event or several, all or none. `version` 0 says that the stream must not exist yet.

        `unless` says that no event of a query has come after a position; `log` is the history of that position.
        """
        return Request._write("APPEND", stream, key, version, None, unless, log, events)

    @staticmethod
    def append_together(events: Sequence[Union[NewEvent, Check]], *, key: Key = None, unless: Preconditions = None,
                        log: Optional[str] = None) -> Request[List[Receipt]]:
        """Append events of several streams, all or none; each names its stream. There is a receipt for each stream.

        A stream and a version alone are a check of a stream that nothing is appended to. `unless` and `log` are as for
        `append`.
        """
        def decode(rows: List[Any], done: Dict[str, Any], _: Greeting) -> List[Receipt]:
            return [_pick(Receipt, {**row, "cursor": done.get("cursor")}) for row in rows]
        return Request._make(decode, "APPEND", "*", {"key": _key(key), "unless": unless, "log": log}, events, True,
                             key is not False)

    # Erasures

    @staticmethod
    def erase(stream: Optional[str] = None, *, reason: Optional[str] = None, from_: Optional[Point] = None,
              to: Optional[Point] = None, types: Optional[Sequence[str]] = None, tags: Optional[Sequence[str]] = None,
              query: Optional[Query] = None, log: Optional[str] = None, labels: Optional[Labels] = None,
              expect: Optional[int] = None, dry: bool = False, key: Key = None) -> Request[Erasure]:
        """Erase the content of your own events for ever, for the role admin. The answer comes once its bytes are gone.

        It takes the events that `read` gives for the same parameters: of a stream, of a category (note-*), or of all,
        with tags. Their `data` and `meta` go, and with `labels="drop"` their keys and tags. All else of them stays, as
        does the `reason`, and must not name the person. It is a `conflict` unless `expect` events are taken, and `gone`
        where all are erased already. A `key` that was used waits for the same erasure.

        With `dry` nothing is erased, and no `reason` is needed: the answer is what would be taken.
        """
        options = {"from": from_, "to": to, "types": types, "tags": tags, "query": query, "log": log}
        return Request._erase(_events(stream), options, labels, reason, expect, dry, key)

    @staticmethod
    def erase_row(target: str, *, reason: Optional[str] = None, scope: Optional[Scope] = None,
                  labels: Optional[Labels] = None, expect: Optional[int] = None, dry: bool = False,
                  key: Key = None) -> Request[Erasure]:
        """Erase the whole history of a row (stories/12345), which may be deleted; as `erase` does.

        Of a user (users/007) the `scope` says what goes too: nothing with "profile"; all that the user sent or owns
        with "own", which is meant where it is left out; and all that came to the user with "all".
        """
        return Request._erase(target, {"scope": scope}, labels, reason, expect, dry, key)

    @staticmethod
    def _erase(target: str, options: Dict[str, Any], labels: Optional[str], reason: Optional[str],
               expect: Optional[int], dry: bool, key: Key) -> Request[Erasure]:
        def decode(rows: List[Any], done: Dict[str, Any], _: Greeting) -> Erasure:
            return _pick(Erasure, {**done, "items": [_pick(ErasedStream, row) for row in rows]})
        return Request._make(decode, "ERASE", target, {
            **options, "labels": labels, "reason": reason, "expect": expect, "dry": dry or None,
            "key": (key or None) if dry else _key(key)}, None, not dry, dry or key is not False)

    @staticmethod
    def erasures(*, after: Union[int, str, None] = None, limit: Optional[int] = None,
                 min: Minimum = None) -> Request[Page[ErasureInfo]]:
        """List a page of the erasures, in their order. `after` is the `next` of the page before, or an ID."""
        decode = _pages(ErasureInfo, lambda more: Request.erasures(after=more, limit=limit, min=min))
        return Request._make(decode, "ERASURES", None, {"after": after, "limit": limit, "min": min})

    # Cursors: a worker does the events of one, each once.

    @staticmethod
    def cursor(name: str, *, on: Optional[str] = None, tags: Optional[Sequence[str]] = None,
               types: Optional[Sequence[str]] = None, query: Optional[Query] = None,
               from_: Union[int, Literal["end"], None] = None, shares: Optional[int] = None,
               window: Optional[int] = None, lease: Optional[int] = None, attempts: Optional[int] = None,
               key: Key = None) -> Request[Receipt]:
        """Make a cursor over the events of a stream, of a category (order-*), or of the whole log; or change one.

        `tags`, `types` and `query` select among them. It begins at the position `from_`, or at the "end" of the log.
        So many workers as it has `shares` do events at once, each those of some streams. At most `window` events of a
        share are delivered and not done; the `lease` has milliseconds; an event that failed in so many `attempts` is
        parked. Those three can be changed; another value of the rest raises `exists`.
        """
        settings = {"on": None if on is None else _events(on), "tags": tags, "types": types, "query": query,
                    "from": from_, "shares": shares, "window": window, "lease": lease, "attempts": attempts}
        given = {member: value for member, value in settings.items() if value is not None}
        return Request._make(lambda _, done, __: _pick(Receipt, done), "CURSOR", name, {"key": _key(key)},
                             given or None, True, key is not False)

    @staticmethod
    def cursors(name: Optional[str] = None, *, min: Minimum = None) -> Request[List[CursorInfo]]:
        """Tell of the shares of cursors, or of one: how far they are behind, who holds them, why they do not move."""
        return Request._make(
            lambda rows, _, __: [_pick(CursorInfo, row) for row in rows], "CURSORS", name, {"min": min})

    @staticmethod
    def parked(name: str, *, after: Union[int, str, None] = None, limit: Optional[int] = None,
               min: Minimum = None) -> Request[Page[ParkedEvent]]:
        """List a page of the events that a cursor set aside. `after` is the `next` of the page before."""
        decode = _pages(ParkedEvent, lambda more: Request.parked(name, after=more, limit=limit, min=min))
        return Request._make(decode, "PARKED", name, {"after": after, "limit": limit, "min": min})

    @staticmethod
    def retry(name: str, event: Optional[int] = None) -> Request[int]:
        """Have a parked event of a cursor, or all of them, delivered once more; the answer is their number."""
        return Request._make(lambda _, done, __: _whole(done, "retrying"), "RETRY",
                             name if event is None else f"{name}@{event}", write=True, repeatable=False)

    @staticmethod
    def discard(name: str, event: int, reason: Optional[str] = None) -> Request[None]:
        """Give up a parked event of a cursor, for the role admin. The `reason` stays, and must not name the person."""
        return Request._make(lambda _, __, ___: None, "DISCARD", f"{name}@{event}", {"reason": reason}, write=True,
                             repeatable=False)

    @staticmethod
    def reset(name: str, to: Union[int, Literal["start", "end"]]) -> Request[Receipt]:
        """Have all shares of a cursor begin again behind a position, for the role admin. None of them may be held."""
        return Request._make(lambda _, done, __: _pick(Receipt, done), "RESET", name, {"to": to}, write=True,
                             repeatable=False)

    @staticmethod
    def drop(name: str) -> Request[Receipt]:
        """Remove a cursor, whose name is never used again, for the role admin. None of its shares may be held."""
        return Request._make(lambda _, done, __: _pick(Receipt, done), "DROP", name, write=True, repeatable=False)

    def _moving(self, name: str, position: int) -> Request[T]:
        """Give the same request, which also says that an event of a cursor is done."""
        if not self.write:
            raise ValueError("a job ends with a write, which this request is not")
        head = cast("re.Match[str]", re.match(r'\S+( "(?:[^"\\]|\\.)*"| (?![A-Za-z]+=)[^\s{\["]+)?', self.line))[0]
        return Request(f"{head} cursor={_word(f'{name}@{position}')}{self.line[len(head):]}", self.decode, True, False)

    def _greeted(self) -> Request[Tuple[T, Greeting]]:
        """Give the same request, whose answer comes with the greeting of the connection that it came over."""
        def decode(rows: List[Any], done: Dict[str, Any], greeting: Greeting) -> Tuple[T, Greeting]:
            return self.decode(rows, done, greeting), greeting
        return Request(self.line, decode, self.write, self.repeatable)


def _position(_: List[Any], done: Dict[str, Any], __: Greeting) -> int:
    return _whole(done, "position")


def _whole(members: Mapping[str, Any], name: str) -> int:
    number = members.get(name)
    if not isinstance(number, int):
        raise ProtocolError(f"this answer has no {name}: {members!r:.200}")
    return number


def _text(members: Mapping[str, Any], name: str) -> str:
    text = members.get(name)
    if not isinstance(text, str):
        raise ProtocolError(f"this answer has no {name}: {members!r:.200}")
    return text


def _key(key: Key) -> Optional[str]:
    return uuid.uuid4().hex if key is None else None if key is False else key


def _events(stream: Optional[str]) -> str:
    return "events" if stream is None else f"events/{stream}"


# The wire: nothing here does input or output


def default_path() -> str:
    """Tell where the store is when nobody says: STORED_SOCKET, else a socket in the user's runtime directory."""
    directory, user = os.environ.get("XDG_RUNTIME_DIR", ""), os.getuid()
    if os.environ.get("STORED_SOCKET"):
        return os.environ["STORED_SOCKET"]
    if directory.startswith("/"):
        return f"{directory}/storykeep/stored.sock"
    if os.path.isdir(f"/run/user/{user}"):
        return f"/run/user/{user}/storykeep/stored.sock"
    folder = f"/tmp/storykeep-{user}"
    if os.path.exists(folder) and os.stat(folder).st_uid not in (user, 0):
        raise PermissionError(f"{folder} belongs to another user; name the socket with STORED_SOCKET if that is meant")
    return f"{folder}/stored.sock"


_CHUNK = 1 << 16
_AGAIN = (ConnectionError, FileNotFoundError, BlockingIOError)


def _is_passing(error: BaseException) -> bool:
    """Whether the same may work a little later: the store restarts, is busy, or the connection broke."""
    return isinstance(error, _AGAIN) or isinstance(error, StoreError) and error.retry in ("same", "later")


def _is_foreign(error: BaseException) -> bool:
    """Whether the handler of a signal raised an error, which may run between any two steps here.

    Such an error goes to the caller as it is, also one of a class that this client looks at. A handler is a function that
    was given the frame it interrupts, which is the one before its own, or is one that is set now.
    """
    handlers: List[Any] = [getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()]
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        interrupted, trace = trace.tb_frame, trace.tb_next
        given: List[Any] = []
        for value in trace.tb_frame.f_locals.values():
            given += value if isinstance(value, tuple) else [value]
        if trace.tb_frame.f_code in handlers or any(value is interrupted for value in given):
            return True
    return False


class _Suppressed(contextlib.suppress):
    """Passes over errors of these classes, but for those of a handler."""

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> bool:
        return error is not None and not _is_foreign(error) and bool(super().__exit__(kind, error, trace))


# Where a store is


@dataclass(frozen=True)
class _Identity:
    """The files by which a client and a store on another machine know each other."""

    certificate: Optional[File]
    certificate_key: Optional[File]
    authority: Optional[File]

    @staticmethod
    def named(certificate: Optional[File], certificate_key: Optional[File], authority: Optional[File]) -> _Identity:
        """Make one of the files named, else of STORED_CERTIFICATE, STORED_CERTIFICATE_KEY and STORED_AUTHORITY."""
        def either(path: Optional[File], name: str) -> Optional[File]:
            return path or os.environ.get(name) or None
        return _Identity(either(certificate, "STORED_CERTIFICATE"), either(certificate_key, "STORED_CERTIFICATE_KEY"),
                         either(authority, "STORED_AUTHORITY"))

    def context(self) -> ssl.SSLContext:
        """Read the files. They are read for each connection, so that new ones are used at once."""
        if self.authority is None:
            raise ValueError("tls:// needs the authority that signs the store's certificate: name STORED_AUTHORITY")
        if (self.certificate is None) != (self.certificate_key is None):
            raise ValueError("a certificate and its key belong together: STORED_CERTIFICATE, STORED_CERTIFICATE_KEY")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.hostname_checks_common_name = False  # It is the name of a client, and of no host.
        for file in (self.authority, self.certificate, self.certificate_key):
            if file is not None:
                open(file, "rb").close()  # An error of it names the file, which those of OpenSSL do not.
        try:
            context.load_verify_locations(self.authority)
        except ssl.SSLError as error:
            raise ValueError(f"{self.authority} has no certificate of an authority; it is to be in PEM") from error
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.certificate_key, self._refuse_passphrase)
            except ssl.SSLError as error:
                raise ValueError(f"{self.certificate} and {self.certificate_key} are to be a certificate and its key, in PEM"
                                 ) from error
        return context

    def _refuse_passphrase(self) -> str:
        """Stand in for OpenSSL's own function, which asks the terminal."""
        raise ValueError(f"the key in {self.certificate_key} has a passphrase, and nobody is asked for it: write it without "
                         f"one by openssl pkey -in {self.certificate_key} -out FILE, for its user alone")


@dataclass(frozen=True)
class _Place:
    """A socket's path, or a host and a port."""

    path: str
    host: Optional[str] = None
    port: int = 0

    @staticmethod
    def named(text: str) -> _Place:
        if not re.match("[A-Za-z]+://", text):
            return _Place(text)
        found = re.fullmatch(r"tls://(?:\[([0-9A-Za-z:.%]+)\]|([0-9A-Za-z._-]+)):([0-9]{1,5})", text)
        if found is None or not 0 < int(found[3]) < 65536:
            raise ValueError(f"another machine's store is named as tls://HOST:PORT, not {text!r}")
        return _Place(text, found[1] or found[2], int(found[3]))


class _Places:
    """The places where a store is looked for, each in its turn, and the highest position that was seen.

    The first is taken that greets; the next one is tried where a connection ends. A store that is behind what was seen
    is asked to wait, so that time does not go back. Each connection that exists beside others has `_Places` of its own,
    which share what was seen.
    """

    def __init__(self, paths: Sequence[_Place], identity: _Identity, seen: List[Tuple[str, int]]) -> None:
        self._paths, self.identity, self._seen, self._at = paths, identity, seen, 0
        self.current = 0
        """The number of the place of the newest connection."""

    @staticmethod
    def named(paths: Paths, identity: _Identity) -> _Places:
        if paths is None or isinstance(paths, str):
            # A comma is one of a path, unless a path or a URL follows.
            paths = re.split(r",(?=/|tls://)", paths or default_path())
        elif isinstance(paths, os.PathLike):
            paths = [paths]
        if not paths:
            raise ValueError("there has to be one place of a store at least")
        return _Places([_Place.named(os.fspath(path)) for path in paths], identity, [])

    def beside(self) -> _Places:
        return _Places(self._paths, self.identity, self._seen)

    @property
    def count(self) -> int:
        return len(self._paths)

    def __str__(self) -> str:
        return ",".join(place.path for place in self._paths)

    def next(self) -> _Place:
        """Give the place for the next connection."""
        self.current, self._at = self._at, (self._at + 1) % self.count
        return self._paths[self.current]

    def prefer(self, address: Optional[str]) -> None:
        """Have `next` give the place with this address, where it is one of the list."""
        for number, place in enumerate(self._paths):
            if place.path in (address, f"tls://{address}"):
                self._at = number

    def saw(self, members: Mapping[str, Any], log: str) -> None:
        """Note the position in a reply or a push of this history."""
        position = members.get("position", members.get("caughtUp"))
        if self.count > 1 and isinstance(position, int):
            known, highest = self._seen[0] if self._seen else (log, 0)
            self._seen[:] = [(log, max(highest, position) if known == log else position)]

    def minimum(self, greeting: Greeting) -> Optional[int]:
        """Give the position that this store has to wait for; None where it has seen as much."""
        known, highest = self._seen[0] if self._seen else ("", 0)
        return highest if known == greeting.log and greeting.position < highest else None


_WAITS = ("GET", "LIST", "COUNT", "SORTS", "READ", "MODELS", "STREAMS", "TYPES", "ERASURES", "SUBSCRIBE", "PING",
          "CURSORS", "PARKED")
"""The verbs that wait for the position in min=."""


_ALERTS = {
    "CERTIFICATE_EXPIRED": "the certificate shown to it has expired; show a new one",
    "CERTIFICATE_REQUIRED": "it demands a certificate; name STORED_CERTIFICATE and STORED_CERTIFICATE_KEY",
    "UNKNOWN_CA": "its authority has not signed the certificate shown to it; show one that it has signed",
}
"""What to do about a refusal, by the name that TLS gives it."""


def _broken(error: ssl.SSLError) -> Exception:
    """Give the error for one of an open connection: an alert is a refusal, as of a certificate, and will not pass."""
    if _is_foreign(error):
        return error
    alert = re.search("ALERT_([A-Z_]+)", error.reason or "")
    if alert is None:
        return ConnectionLost(f"the connection broke: {error}")
    advice = _ALERTS.get(alert[1], "see the certificate shown to it, and its log")
    name = alert[1].lower().replace("_", " ")
    return ssl.SSLError(error.errno, f"the store refused the connection ({name}): {advice}")


def _unreachable(error: OSError, place: _Place) -> OSError:
    """Give the error of a connection that could not be made, of the same class, with the place."""
    is_host = place.host is None and re.fullmatch(r"[^/]+:[0-9]{1,5}", place.path)
    advice = f"a store on another machine is named as tls://{place.path}" if is_host else \
        "is stored running, is that its address, and may you use it?"
    text = f"cannot connect to {place.path}: {error.strerror or error}; {advice}"
    return type(error)(text) if error.errno is None else type(error)(error.errno, text)


def _prepare(opened: socket.socket) -> None:
    """Have small writes leave at once, and a machine that is gone noticed after a minute, as the daemon does."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # Other systems have other names.
            opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


_SILENCE = 30.0
"""The seconds of silence after which a subscription sends PING, and then those after which the connection is lost."""


class _TLSSocket:
    """A socket in TLS, which does what the link needs. Data that has arrived is never left in TLS, where `poll` cannot
    see it."""

    def __init__(self, inner: socket.socket, context: ssl.SSLContext, host: str) -> None:
        self._socket, self._in, self._out = inner, ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname=host)
        self._unsent = memoryview(b"")
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._flush()
                self._receive()
            except ssl.SSLError:
                with _Suppressed(OSError):
                    self._flush()  # The store is told the reason.
                raise
        self._flush()

    def fileno(self) -> int:
        return self._socket.fileno()

    def settimeout(self, timeout: Optional[float]) -> None:
        self._socket.settimeout(timeout)

    def recv(self, count: int) -> bytes:
        """Give what has arrived, at least a byte; nothing at the end."""
        while True:
            parts: List[bytes] = []
            try:
                while part := self._tls.read(count):
                    parts.append(part)
            except ssl.SSLWantReadError:
                if not parts:
                    self._exchange()
                    continue
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                pass
            except ssl.SSLError as error:
                raise _broken(error) from error
            return b"".join(parts)

    def send(self, data: memoryview, _: int = 0) -> int:
        """Send what the system takes now; the rest goes with the next bytes, or while an answer is waited for."""
        self._push()
        if self._unsent:
            return 0
        self._tls.write(data)
        self._unsent = memoryview(self._out.read())
        self._push()
        return len(data)

    def sendall(self, data: bytes) -> None:
        self._tls.write(data)
        self._flush()

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()

    def _push(self) -> None:
        with _Suppressed(BlockingIOError):
            while self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent, socket.MSG_DONTWAIT):]

    def _exchange(self) -> None:
        """Send what is left, and read once there is something."""
        poll = select.poll()
        while self._unsent:
            poll.register(self._socket, select.POLLIN | select.POLLOUT)
            timeout = self._socket.gettimeout()
            events = poll.poll(None if timeout is None else 1000 * timeout)
            if not events:
                raise socket.timeout
            if events[0][1] & ~select.POLLOUT:
                break
            self._push()
        self._receive()

    def _receive(self) -> None:
        data = self._socket.recv(_CHUNK)
        self._in.write(data) if data else self._in.write_eof()

    def _flush(self) -> None:
        self._socket.sendall(bytes(self._unsent) + self._out.read())
        self._unsent = memoryview(b"")


# A connection belongs to one process


class _Owned:
    """What belongs to the process that made it, and is made ready in a child that comes of `fork`.

    Its initializer is called last: another thread may fork at any time, and what is not whole cannot be made ready.
    """

    def __init__(self) -> None:
        _owned.add(self)

    def _forked(self) -> None:
        raise NotImplementedError


_owned: weakref.WeakSet[_Owned] = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_owned):
        each._forked()


os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True)
class _Incoming:
    """A whole reply (mark + or -), or a push (>) or notice (*)."""

    mark: str
    members: Dict[str, Any]
    rows: List[Any]
    subscription: Optional[int] = None
    """Whose push it is."""


class _Wire:
    """Bytes of the store in, replies, pushes and notices out. No request has a tag, so no line has one."""

    _head = re.compile(rb"[=+*-]|>[0-9]+")

    def __init__(self) -> None:
        self._parts: List[bytes] = []
        self._rows: List[Any] = []
        self.ready: Deque[_Incoming] = deque()

    def feed(self, data: bytes) -> None:
        if not data:
            raise ConnectionLost("the store closed the connection")
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take(b"".join([*self._parts, line]))
            self._parts = []
        self._parts.append(rest)

    @property
    def has_rows(self) -> bool:
        """Whether an answer has begun."""
        return bool(self._rows)

    def _take(self, line: bytes) -> None:
        head, _, text = line.partition(b" ")
        members = None
        with _Suppressed(ValueError, RecursionError):
            members = json.loads(text.decode())
        if not isinstance(members, dict) or not self._head.fullmatch(head):
            raise ProtocolError(f"this is no line of the protocol: {line[:100]!r}")
        mark = chr(head[0])
        rows: List[Any] = []
        if mark == "=":
            return self._rows.append(members)
        if mark in "+-":
            rows, self._rows = self._rows, rows
        self.ready.append(_Incoming(mark, members, rows, int(head[1:]) if mark == ">" else None))


def _refusal(members: Dict[str, Any]) -> StoreError:
    if not isinstance(members.get("code"), str):
        raise ProtocolError(f"this is no error of the protocol: {members!r:.200}")
    return StoreError(members)


def _greet(first: _Incoming) -> Greeting:
    """Read the first line of a connection; in place of the greeting there may be an error, such as busy."""
    if first.mark == "-":
        raise _refusal(first.members)
    if first.mark != "*" or first.members.get("protocol") != 1:
        raise ProtocolError(f"only version 1 of the protocol is spoken here, not {first.members.get('protocol')}")
    greeting = _pick(Greeting, first.members)
    if not isinstance(greeting.limits, dict) or not isinstance(greeting.limits.get("line"), int):
        raise ProtocolError("the greeting does not say how long a line may be")
    return greeting


_OPEN: Any = object()


class _Call:
    """A request on its way, which may be sent more than once. Its outcome is a value or an exception."""

    def __init__(self, request: Request[Any]) -> None:
        self.request = request
        self.outcome = _OPEN
        self.failure: Exception = ConnectionLost("the client was closed")
        """Why it is still open after an attempt."""
        self._log: Optional[str] = None
        self._followers: Set[int] = set()
        """The numbers of the places that take no writes."""

    @property
    def is_due(self) -> bool:
        """Whether it was sent and has no reply."""
        return self._log is not None

    def line(self, greeting: Greeting, places: _Places) -> Optional[bytes]:
        """Give the line to send now; None where it may not be sent, which is then the outcome."""
        text, minimum = self.request.line, places.minimum(greeting)
        if minimum is not None and text.split(" ", 1)[0].upper() in _WAITS and " min=" not in text:
            text += f" min={minimum}"
        line, limit = text.encode(), greeting.limits["line"]
        if self._log is not None and not self.request.repeatable:
            self.outcome = ConnectionLost("the connection was lost before the answer: it was done, or was not")
        elif self._log not in (None, greeting.log) and self.request.write:
            self.outcome = StoreError({"code": "diverged", "retry": "never", "log": greeting.log, "message":
                                       "this was sent to another history, which gave no answer"})
        elif len(line) > limit:
            self.outcome = StoreError({"code": "tooLarge", "retry": "never", "limit": limit,
                                       "message": f"the request has {len(line)} bytes, a line at most {limit}"})
        else:
            self._log = greeting.log
            return line + b"\n"
        return None

    def answer(self, reply: _Incoming, greeting: Greeting, places: _Places) -> None:
        """Take the reply. After an error that passes the call stays open, to be sent again later."""
        self._log = None
        if reply.mark == "+" and self.request.line.split(" ", 1)[0] not in ("GET", "MODELS"):
            places.saw(reply.members, greeting.log)  # A row may have a field of that name.
        try:
            if reply.mark == "+":
                self.outcome = self.request.decode(reply.rows, reply.members, greeting)
                return
            error: Exception = _refusal(reply.members)
        except ProtocolError as wrong:
            error = wrong
        except Exception as wrong:
            if getattr(self.request.decode, "__module__", None) == __name__:
                raise
            error = wrong  # The application's decoder is trouble of this call alone.
        if _is_passing(error) or self._has_leader(error, places):
            self.failure = error
        else:
            self.outcome = error

    def _has_leader(self, error: Exception, places: _Places) -> bool:
        """Whether a store that takes no writes refused this one, and a place of the list may be of the store that does."""
        if not isinstance(error, StoreError) or error.code != "notLeader":
            return False
        self._followers.add(places.current)
        places.prefer(error.address)
        return len(self._followers) < places.count


def _moves_on(call: _Call, places: _Places) -> bool:
    """Whether the store said `unavailable` or `notLeader`, and another one may not."""
    failure = call.failure
    return (places.count > 1 and call.outcome is _OPEN and isinstance(failure, StoreError)
            and str(failure.code) in ("unavailable", "notLeader"))


class _Backoff:
    """How long to wait before the next attempt, for so many seconds since the last success."""

    def __init__(self, limit: float, places: int = 1) -> None:
        self._limit, self._places = limit, places
        self.reset()

    def reset(self) -> None:
        self._step, self._tried = 0.01, 0
        self._until: Optional[float] = None

    def wait(self, error: BaseException) -> float:
        """Give the seconds to wait after this error, or raise it: it will not pass, or the time is over."""
        pause = self.pause(error)
        if pause is None:
            raise error
        return pause

    def pause(self, error: BaseException) -> Optional[float]:
        """Give the seconds to wait after this error; None where it will not pass, or the time is over."""
        now = time.monotonic()
        if self._until is None:
            self._until = now + self._limit
        self._tried += 1
        if not self._may_pass(error) or now >= self._until:
            return None
        if self._tried % self._places:
            return 0
        step, self._step = self._step, min(2 * self._step, 1.0)
        return min(random.uniform(step / 2, step), self._until - now)

    def _may_pass(self, error: BaseException) -> bool:
        if _is_foreign(error):
            return False
        if _is_passing(error) or self._places == 1:
            return _is_passing(error)
        # Of several places, another one may do.
        if isinstance(error, StoreError):
            return error.code == "notLeader" or error.code == "denied" and self._tried < self._places
        return isinstance(error, (OSError, ProtocolError))


class _Cursor(Generic[T]):
    """Where a subscription stands: what to ask for to go on, and what each push says."""

    def __init__(self, target: str, options: Mapping[str, Option], of_events: bool) -> None:
        self._target, self._options, self._of_events = target, dict(options), of_events
        self._began = False
        self._number: Optional[int] = None
        self.ended = False

    @staticmethod
    def events(stream: Optional[str], from_: Optional[Point], types: Optional[Sequence[str]],
               tags: Optional[Sequence[str]], query: Optional[Query], log: Optional[str]) -> _Cursor[Event]:
        return _Cursor(_events(stream), {
            "from": from_, "types": types, "tags": tags, "query": query, "log": log}, True)

    @property
    def resume(self) -> Optional[Point]:
        return cast(Optional[Point], self._options.get("from"))

    @property
    def log(self) -> Optional[str]:
        return cast(Optional[str], self._options.get("log"))

    def go_back(self, resume: Optional[Point]) -> None:
        """Stand where it stood before an item that nobody got."""
        if self._of_events and resume is not None:
            self._options["from"] = resume

    def line(self, greeting: Greeting, places: _Places) -> bytes:
        """Give the SUBSCRIBE that goes on from here."""
        call = _Call(Request._make(lambda _, __, ___: None, "SUBSCRIBE", self._target, self._options))
        line = call.line(greeting, places)
        if line is None:
            raise call.outcome
        return line

    def begin(self, reply: _Incoming, greeting: Greeting) -> Optional[Restarted]:
        """Take the reply; what is given back is for the application."""
        if reply.mark == "-":
            raise _refusal(reply.members)
        number, position = reply.members.get("subscription"), reply.members.get("position")
        if reply.mark != "+" or not isinstance(number, int) or not isinstance(position, int):
            raise ProtocolError(f"this is no answer to SUBSCRIBE: {reply.members!r:.200}")
        again, self._began, self.ended, self._number = self._began, True, False, number
        if self._of_events:
            self._options["log"] = greeting.log
            if self._options["from"] is None:
                self._options["from"] = position + 1
        return Restarted() if again and not self._of_events else None

    def take(self, push: _Incoming) -> Union[T, Marker, None]:
        """Read a push and go past it; None is a notice, which says nothing of the subscription."""
        if push.mark == "*":
            return None
        if push.mark == "-":
            raise _refusal(push.members)
        if push.subscription != self._number:
            raise ProtocolError(f"this is nothing of subscription {self._number}: {push.members!r:.200}")
        try:
            item, resume = self._read(push.members)
        except (KeyError, TypeError) as error:
            if _is_foreign(error):
                raise
            raise ProtocolError(f"this is no push of the protocol: {push.members!r:.200}") from error
        if self._of_events and resume is not None:
            self._options["from"] = resume
        return cast(Union[T, Marker], item)

    def _read(self, members: Dict[str, Any]) -> Tuple[Any, Optional[int]]:
        """Give what a push says, and where to go on after it."""
        if "caughtUp" in members:
            return CaughtUp(members["caughtUp"]), members["caughtUp"] + 1
        if "behind" in members:
            return Behind(members["behind"]), None
        if "again" in members:
            return Restarted(), None
        if "end" in members:
            if members.get("damaged"):
                raise StoreError({"code": "internal", "message": members["end"], "retry": "never", "damaged": True,
                                  "position": members["resume"]})
            self.ended = True
            return Ended(members["end"], members["resume"]), members["resume"]
        if "removed" in members:
            return Removed(members["position"], members["removed"]), None
        if "row" in members:
            return Change(members["position"], members["row"]), None
        return _event(members), members["position"] + 1


class _Build:
    """A definition that is being built, for a caller that waits until it answers."""

    def __init__(self, name: str, receipt: Dict[str, Any], limit: float) -> None:
        self._name, self._receipt, self._limit = name, receipt, limit
        self._until, self._step = time.monotonic() + limit, 0.01

    def look(self, rows: List[Dict[str, Any]]) -> Optional[float]:
        """Take an answer of MODELS, and give the seconds until the next; None once the receipt says that it is ready."""
        model, number = rows[0] if rows else {}, self._receipt.get("definition", 0)
        reason, left = model.get("reason"), self._until - time.monotonic()
        if model.get("state") == "ready" and model.get("definition", 0) >= number:
            self._receipt.update({name: model[name] for name in ("state", "rows", "misfits") if name in model})
            return None
        if reason is not None and "building" not in model:
            raise StoreError({"code": "internal", "retry": "never", "message": f"{self._name} was not built: {reason}"})
        if left <= 0:
            build = model.get("building") or {}
            told = reason or f"{build.get('position', 0)} of {build.get('of', 'its')} events are folded"
            raise TimeoutError(f"{self._name} does not answer after {self._limit} s: {told}")
        step, self._step = self._step, min(2 * self._step, 0.25)
        return min(step, left)


class _Decision:
    """A decision on the events of a query, which is made again where a conflict shows that there are more of them."""

    _most = 10
    """The number of tries."""

    def __init__(self, query: Query, key: Key) -> None:
        self._query, self._key = query, key
        self._events: List[Event] = []
        self._after, self._log = 0, cast(Optional[str], None)
        self._minimum: Optional[int] = None
        self._tries, self._step = 0, 0.005

    @property
    def events(self) -> List[Event]:
        """The events that were read: a list for the decider to keep."""
        return list(self._events)

    def more(self) -> Request[Tuple[Page[Event], Greeting]]:
        """Give the request for the events after those that were read."""
        return Request.read(query=self._query, from_=self._after + 1, log=self._log, min=self._minimum)._greeted()

    def take(self, answer: Tuple[Page[Event], Greeting]) -> Optional[Request[Tuple[Page[Event], Greeting]]]:
        """Keep the events of a page, and give the request for the next one."""
        page, greeting = answer
        self._events += page.items
        self._after, self._log = page.position, greeting.log
        return None if page.following is None else page.following._greeted()

    def write(self, decided: Decided) -> Optional[Request[List[Receipt]]]:
        """Give the write of a decision; None where it is to write nothing.

        A key that was not given is another one for each try: nothing was written with the one before, and a line that
        was lost on its way is never taken for the decision that came after it.
        """
        elements = cast(Sequence[NewEvent], [decided] if isinstance(decided, Mapping) else list(decided or ()))
        if not elements:
            return None
        unless = cast(Unless, {**self._query, "after": self._after})
        return Request.append_together(elements, key=self._key, unless=unless, log=self._log)

    def pause(self, error: BaseException) -> float:
        """Give the seconds to wait before the next try, or raise the error: it is no conflict, or there were enough.

        Deciders that conflict with one another wait for random times, since all but one of those that go on at the
        same time conflict again.
        """
        self._tries += 1
        if not isinstance(error, StoreError) or error.code != "conflict" or self._tries == self._most:
            raise error
        self._minimum = error.position
        step, self._step = self._step, min(2 * self._step, 0.25)
        return random.uniform(0, step)


class _Subscribed(_Owned, Generic[T]):
    """What both kinds of subscription share."""

    def __init__(self, places: _Places, cursor: _Cursor[T], retry_for: float) -> None:
        self._places, self._cursor, self._backoff = places, cursor, _Backoff(retry_for, places.count)
        super().__init__()

    def _take(self, push: _Incoming, greeting: Greeting) -> Union[T, Marker, None]:
        """Read a push, and note how far it is."""
        if push.mark == ">":
            self._places.saw(push.members, greeting.log)
        return self._cursor.take(push)

    @property
    def resume(self) -> Optional[Point]:
        """The `from_` of a subscription to events that goes on after what was given."""
        return self._cursor.resume

    @property
    def log(self) -> Optional[str]:
        """The history that `resume` is of."""
        return self._cursor.log


# Workers: nothing here does input or output. It asks for that by steps, which each kind of client takes in its own way.


_Steps = Generator[Tuple[Any, ...], Any, T]
"""Gives the steps open, send BYTES, wait SECONDS CLOSABLE and sleep SECONDS, and returns a result."""
_COLLECTED = 0.1
"""The seconds for which jobs that are done wait for others, to be told to the store together."""


def _defined(name: str, **settings: Any) -> Optional[Request[Receipt]]:
    """Give the request that makes a cursor; None where no setting of it is given."""
    if all(value is None for value in settings.values()):
        return None
    return Request.cursor(name, **settings, key=False)


def _cause(error: Union[str, BaseException, None]) -> Optional[str]:
    """Give the text for the store of an error."""
    text = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error or ""
    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", " ", text)[:1000].strip() or None


class _Job:
    """The parts that both kinds of job share."""

    event: Event
    attempt: int
    """1 where the event is delivered for the first time; it is counted since the store was started."""
    is_parked: bool
    """Whether the event was set aside, and `retry` has it come again; its `fail` sets it aside at once."""

    def __init__(self, worker: Any, event: Event, attempt: int, is_parked: bool, is_alone: bool, round: int) -> None:
        self.event, self.attempt, self.is_parked = event, attempt, is_parked
        self._worker, self._is_alone, self._round, self._is_ended = worker, is_alone, round, False
        self._share: int = worker._share

    def __repr__(self) -> str:
        return f"{type(self).__name__}(event={self.event!r}, attempt={self.attempt}, is_parked={self.is_parked})"


J = TypeVar("J", bound=_Job)


class _Working(_Owned, Generic[J]):
    """The parts that both kinds of worker share.

    Each hold of the cursor is a round, and so is the time after each failure: a job of an earlier round is looked for
    among the events that come again.
    """

    def __init__(self, make: Type[J], places: _Places, name: str, define: Optional[Request[Receipt]],
                 window: Optional[int], confirm: bool, retry_for: float, timeout: Optional[float]) -> None:
        self._make, self._places, self._backoff = make, places, _Backoff(retry_for, places.count)
        self._name, self._define, self._window, self._confirm = name, define, window, confirm
        self._timeout, self._is_over = timeout, False
        self._link: Any = None
        self._log: Optional[str] = None
        self._round = self._declared = 0
        self._share = 1
        self._forget()
        super().__init__()

    @property
    def name(self) -> str:
        """The name of the cursor."""
        return self._name

    def _forget(self) -> None:
        """Be without a connection. The jobs that were said to be done stay so: they are passed over where they come."""
        self._link, self._number, self._is_whole = None, cast(Optional[int], None), True
        self._pushes: Deque[_Incoming] = deque()
        self._kept: Deque[J] = deque()
        self._last: Optional[J] = None
        self._announced: Mapping[str, Any] = {}
        self._granted: Optional[Mapping[str, Any]] = None
        """What said which share the connection has; None while it waits for one."""
        self._at = self._delivered = 0
        """The place of the share as this round began, and the last event that was delivered in it."""
        self._ready = self._count = self._pings = 0
        """The last event that is done and not told to the store, how many there are, and PINGs without an answer."""
        self._since = 0.0

    def _drop(self) -> None:
        link = self._link
        self._forget()
        if link is not None:
            link.close()

    @property
    def _is_holding(self) -> bool:
        return self._link is not None and self._is_whole and self._number is not None

    def _check_open(self) -> None:
        if self._is_over:
            raise ConnectionLost("the worker was closed")

    def _moves_on(self, error: BaseException) -> bool:
        """Whether another one of several places may do."""
        return (isinstance(error, StoreError) and self._places.count > 1
                and str(error.code) in ("notLeader", "unavailable"))

    def _again(self, error: Exception) -> _Steps[None]:
        """Drop the connection and wait before the next one; or raise the error, which will not pass."""
        self._drop()
        if isinstance(error, StoreError) and error.code == "notLeader":
            self._places.prefer(error.address)
        yield "sleep", self._backoff.wait(error)

    # Requests

    def _ask(self, request: Request[T], timeout: Optional[float] = None) -> _Steps[T]:
        """Send a request and give its answer; pushes that come before it are kept."""
        greeting: Greeting = self._link.greeting
        timeout = self._timeout if timeout is None else timeout
        call = _Call(request)
        line = call.line(greeting, self._places)
        if line is None:
            raise call.outcome
        self._is_whole = False
        yield "send", line
        while True:
            incoming: Optional[_Incoming] = yield "wait", timeout, False
            if incoming is None:
                raise TimeoutError(f"the store said nothing for {timeout} s")
            if incoming.mark == ">":
                self._pushes.append(incoming)
            elif incoming.mark in "+-":
                if not self._pings:
                    break
                self._pings -= 1
        self._is_whole = True
        if incoming.mark == "-":
            raise _refusal(incoming.members)
        self._places.saw(incoming.members, greeting.log)
        return request.decode(incoming.rows, incoming.members, greeting)

    def _patiently(self, request: Request[T]) -> _Steps[T]:
        """Send a request until the store has room for it: a connection that is dropped would blame an event."""
        while True:
            self._check_open()
            try:
                answer = yield from self._ask(request)
            except StoreError as error:
                if not _is_passing(error) or self._moves_on(error):
                    raise
                yield "sleep", self._backoff.wait(error)
            else:
                self._backoff.reset()
                return answer

    def _of_event(self, verb: str, position: int, options: Mapping[str, Option] = {}) -> Request[Dict[str, Any]]:
        return Request._make(
            lambda _, done, __: done, verb, f"{self._name}@{position}", options, write=True, repeatable=False)

    # Holding the cursor

    def _connect(self) -> _Steps[None]:
        if self._link is not None and self._is_whole:
            return
        self._drop()
        self._is_whole = False
        yield ("open",)
        self._is_whole = True
        if self._define is not None:
            yield from self._ask(self._define)
            self._define = None
        if self._window is None:
            with _Suppressed(StoreError):  # WORK says what is wrong.
                for info in (yield from self._ask(Request.cursors(self._name))):
                    self._window = info.window

    def _start(self) -> _Steps[None]:
        while not self._is_over:
            try:
                return (yield from self._connect())
            except Exception as error:
                yield from self._again(error)

    def _hold(self, only: Optional[int] = None) -> _Steps[None]:
        """Hold a share of the cursor, once there is one that no other worker holds; or `only` this one."""
        yield from self._connect()
        log: str = self._link.greeting.log
        request = Request._make(lambda _, done, __: (_whole(done, "subscription"), done), "WORK", self._name,
                                {"share": only, "wait": "true", "log": log if self._confirm else None})
        while True:
            self._check_open()
            try:
                self._number, answer = yield from self._ask(request)
                break
            except StoreError as error:
                if error.code != "held" or _is_foreign(error):
                    raise
                self._backoff.reset()
            yield "sleep", 0.5
        self._granted = answer if "at" in answer else None
        while self._granted is None:
            self._check_open()
            push = yield from self._push()
            if push is not None:
                yield from self._read(push)
            if self._number is None:
                raise ConnectionLost("the store ended the wait for a share")
        self._at, share = _whole(self._granted, "at"), self._granted.get("share", 1)
        self._delivered, self._round = self._at, self._round + 1
        if (self._log, self._share) != (log, share):
            self._log, self._share, self._declared = log, share, 0

    def _end(self) -> _Steps[None]:
        """Tell which jobs are done, and give the cursor back, so that no event is blamed."""
        limit = self._timeout or 5.0
        try:
            if self._is_holding:
                with _Suppressed(OSError, ProtocolError, StoreError):
                    if self._ready:
                        yield from self._ask(self._of_event("ACK", self._ready), limit)
                    yield from self._ask(Request.of("UNSUBSCRIBE", str(self._number)), limit)
        finally:
            self._drop()

    # Deliveries

    def _next(self) -> _Steps[Optional[J]]:
        """Give the next job; None where the worker was closed."""
        while not self._is_over:
            try:
                if not self._is_holding:
                    yield from self._hold()
                if self._count >= max(1, (self._window or 100) // 2) or self._is_late:
                    yield from self._flush()
                if self._kept:
                    job: Optional[J] = self._kept.popleft()
                else:
                    push = yield from self._push()
                    job = None if push is None else (yield from self._read(push))
            except Exception as error:
                if isinstance(error, StoreError) and error.code == "lost" and not _is_foreign(error):
                    self._drop()
                elif self._is_over and not _is_foreign(error):
                    self._drop()
                else:
                    yield from self._again(error)
            else:
                if job is not None:
                    self._last = job
                    return job
        return None

    @property
    def _is_late(self) -> bool:
        return bool(self._ready) and time.monotonic() >= self._since + _COLLECTED

    def _push(self) -> _Steps[Optional[_Incoming]]:
        """Give the next push; None where there was none for a while."""
        if self._pushes:
            return self._pushes.popleft()
        pause = max(0.0, self._since + _COLLECTED - time.monotonic()) if self._ready else _SILENCE
        incoming: Optional[_Incoming] = yield "wait", pause, True
        if incoming is None:
            if self._is_late:
                yield from self._flush()
            elif not self._ready and not self._is_over:
                yield from self._look()
            return None
        if incoming.mark in "+-":
            if not self._pings:
                raise _refusal(incoming.members) if incoming.mark == "-" else ProtocolError("nothing was asked")
            self._pings -= 1
        return incoming if incoming.mark == ">" else None

    def _look(self) -> _Steps[None]:
        """Send PING after a silence. The lease of a job that was left undone is not renewed."""
        if self._last is None or self._last._is_ended or self._last._round != self._round:
            if self._pings:
                raise ConnectionLost(f"the store said nothing for {_SILENCE} s, nor to PING")
            self._pings += 1
            yield "send", b"PING\n"

    def _read(self, push: _Incoming) -> _Steps[Optional[J]]:
        """Give the job that a push is; None where it is none, or one that is done."""
        members = push.members
        if self._number != push.subscription:
            raise ProtocolError(f"this is nothing of subscription {self._number}: {members!r:.200}")
        self._places.saw(members, self._link.greeting.log)
        if "end" in members:
            self._drop()
            if members.get("damaged"):
                raise StoreError({"code": "internal", "message": members["end"], "retry": "never", "damaged": True,
                                  "position": members.get("resume")})
            return None
        if "again" in members:
            self._announced = members
            return None
        if "shares" in members:
            self._granted = members
            return None
        if "caughtUp" in members:
            self._backoff.reset()
        if "position" not in members:
            return None
        event, again, self._announced = _event(members), self._announced, {}
        is_alone = again.get("again") == event.position
        again = again if is_alone else {}
        self._backoff.reset()
        job = self._make(self, event, again.get("attempt", 1), bool(again.get("parked")), is_alone, self._round)
        if not job.is_parked:
            self._delivered = event.position
            if event.position <= self._declared:
                yield from self._pass_over(job)
                return None
        return job

    def _pass_over(self, job: J) -> _Steps[None]:
        """Say again that an event is done which came again. Nothing follows one that is alone before that."""
        self._collect(job.event.position)
        if job._is_alone:
            yield from self._flush()

    def _collect(self, position: int) -> None:
        if position > self._ready:
            self._since = self._since if self._ready else time.monotonic()
            self._ready, self._count = position, self._count + 1

    def _flush(self) -> _Steps[None]:
        """Tell the store which jobs are done."""
        if self._ready:
            yield from self._patiently(self._of_event("ACK", self._ready))
            self._ready = self._count = 0

    # The ends of jobs

    def _find(self, job: _Job) -> _Steps[Literal["here", "done", "gone"]]:
        """Look for a job; after a lost connection hold the cursor again, and wait until its event comes again."""
        position = job.event.position
        if not self._is_holding and not job.is_parked:
            yield from self._hold(job._share)
        if self._is_holding and job._round == self._round:
            return "here"
        if job.is_parked or job._share != self._share:
            return "gone"
        if position <= self._at:
            return "gone" if (yield from self._is_set_aside(position)) else "done"
        while self._delivered < position:
            self._check_open()
            push = yield from self._push()
            other = None if push is None else (yield from self._read(push))
            if not self._is_holding:
                raise ConnectionLost("the cursor was lost while an event was waited for")
            if other is None or other.event.position == position and not other.is_parked:
                continue
            if other.is_parked or other.event.position > position:
                self._kept.append(other)
                return "gone"
            if other._is_alone:  # It was left for the end of this job, which does not come before it is done.
                self._declared = max(self._declared, other.event.position)
                yield from self._pass_over(other)
        return "here"

    def _is_set_aside(self, position: int) -> _Steps[bool]:
        """Whether an event is parked, as after a connection was lost too often."""
        request: Optional[Request[Page[ParkedEvent]]] = Request.parked(self._name)
        while request is not None:
            page = yield from self._patiently(request)
            if any(each.event == position for each in page.items):
                return True
            request = page.following
        return False

    def _finish(self, job: _Job, request: Request[T], fails: bool = False, again: bool = True) -> _Steps[Optional[T]]:
        """End a job by a request, which is sent `again` after a lost connection; None where it was done already."""
        self._check_undone(job)
        position = job.event.position
        answer: Optional[T] = None
        while True:
            self._check_open()
            is_asked = False
            try:
                is_here = self._is_holding and job._round == self._round
                found = (yield from self._find(job)) if again or is_here else "done"
                if found == "here":
                    if fails or self._ready > position:
                        yield from self._flush()
                    is_asked = True
                    answer = yield from self._patiently(request)
                break
            except Exception as error:
                if _is_foreign(error):
                    raise
                is_lost = isinstance(error, StoreError) and error.code == "lost"
                if is_lost or is_asked and isinstance(error, StoreError) and not self._moves_on(error):
                    if is_lost:
                        self._drop()
                    raise
                yield from self._again(error)
        if found == "gone":
            raise ConnectionLost(f"the connection was lost, and the event {position} is not delivered again by now")
        job._is_ended = True
        if found == "here" and not fails and not job.is_parked:
            self._declared = max(self._declared, position)
            if self._ready <= position:
                self._ready = self._count = 0
        return answer

    @staticmethod
    def _check_undone(job: _Job) -> None:
        if job._is_ended:
            raise RuntimeError(f"the job of the event {job.event.position} has ended already")

    def _write(self, job: _Job, request: Request[T]) -> _Steps[Optional[T]]:
        answer = yield from self._finish(job, request._moving(self._name, job.event.position))
        return answer

    def _done(self, job: _Job) -> _Steps[None]:
        position = job.event.position
        if job.is_parked:
            yield from self._finish(job, self._of_event("ACK", position))
            return
        self._check_undone(job)
        self._check_open()
        job._is_ended, self._declared = True, max(self._declared, position)
        if self._is_holding and (job._round == self._round or position <= self._delivered):
            self._collect(position)

    def _fail(self, job: _Job, error: Union[str, BaseException, None], delay: Optional[int],
              park: bool) -> _Steps[None]:
        position = job.event.position
        request = self._of_event("FAIL", position, {"delay": delay, "park": park or None, "error": _cause(error)})
        # Without `park` a lost connection is a failure like this one: the event comes again.
        answer = yield from self._finish(job, request, True, park and not job.is_parked)
        if answer is not None:
            self._pushes.clear()
            self._kept.clear()
            self._announced = {}
            if not job.is_parked:
                self._round += 1
                self._at = self._delivered = position if answer.get("parked") else position - 1

    def _renew(self) -> _Steps[None]:
        if self._is_holding:
            try:
                if self._ready:
                    yield from self._flush()
                else:
                    yield from self._ask(Request.ping())
            except (OSError, ProtocolError, StoreError) as error:
                if _is_foreign(error) or isinstance(error, TimeoutError):
                    raise
                self._drop()  # The next request holds the cursor again.


# The blocking client


class _Link(_Owned):
    """One blocking connection."""

    greeting: Greeting

    def __init__(self, places: _Places, timeout: Optional[float] = None) -> None:
        self._wire = _Wire()
        self._timeout = timeout
        self._follows = self._has_asked = False
        self.is_whole = True
        """Whether each request has its reply; False also where an error came in between."""
        self._socket: Any = None
        super().__init__()
        place = places.next()
        context = None if place.host is None else places.identity.context()
        try:
            self._socket = self._opened(place)
            if place.host is not None and context is not None:
                self._socket = _TLSSocket(self._socket, context, place.host)
        except BaseException as error:
            self.close()
            if isinstance(error, socket.timeout) and not _is_foreign(error):
                raise self._silence() from None
            raise

    def _opened(self, place: _Place) -> socket.socket:
        try:
            if place.host is not None:
                opened = socket.create_connection((place.host, place.port), self._timeout)
                _prepare(opened)
                return opened
            self._socket = opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            opened.settimeout(self._timeout)
            opened.connect(place.path)
            return opened
        except OSError as error:
            if _is_foreign(error) or isinstance(error, socket.timeout):
                raise
            raise _unreachable(error, place) from None

    def follow(self) -> None:
        """Have `next` wait for pushes as long as the store is there: where it is silent, it is asked."""
        self._follows, self._timeout = True, _SILENCE
        self._socket.settimeout(_SILENCE)

    def greet(self) -> Greeting:
        self.greeting = _greet(self.next())
        return self.greeting

    def next(self) -> _Incoming:
        while True:
            while not self._wire.ready:
                try:
                    data = self._socket.recv(_CHUNK)
                except socket.timeout as error:
                    if _is_foreign(error):
                        raise
                    self._ask()
                else:
                    self._wire.feed(data)
            incoming = self._wire.ready.popleft()
            if not self._has_asked or incoming.mark != "+":
                return incoming
            self._has_asked = False

    def wait(self, timeout: Optional[float], wake: Optional[socket.socket] = None) -> Optional[_Incoming]:
        """Give what comes next; None where nothing came for so many seconds, or the other end of `wake` was closed."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if wake is not None:
            poll.register(wake, select.POLLIN)
        until = None if timeout is None else time.monotonic() + timeout
        while not self._wire.ready:
            ready = poll.poll(None if until is None else max(0, 1000 * (until - time.monotonic())))
            if not any(number == self._socket.fileno() for number, _ in ready):
                return None
            self._wire.feed(self._socket.recv(_CHUNK))
        return self._wire.ready.popleft()

    def send(self, line: bytes) -> None:
        self._socket.sendall(line)

    def _ask(self) -> None:
        """Send PING after a silence; raise where nothing is followed, or PING had no answer either."""
        if not self._follows:
            raise self._silence() from None
        if self._has_asked:
            raise ConnectionLost(f"the store said nothing for {self._timeout} s, nor to PING") from None
        self._has_asked = True
        self._socket.sendall(b"PING\n")

    def _silence(self) -> TimeoutError:
        return TimeoutError(f"the store said nothing for {self._timeout} s")

    def is_usable(self) -> bool:
        """Read what came since the last answer: False where it is the end, or anything but a notice."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        try:
            while poll.poll(0):
                self._wire.feed(self._socket.recv(_CHUNK))
        except (OSError, ProtocolError) as error:
            if _is_foreign(error):
                raise
            return False
        incoming = [self._wire.ready.popleft() for _ in range(len(self._wire.ready))]
        return all(each.mark not in "+-" for each in incoming) and not self._wire.has_rows

    def exchange(self, lines: Sequence[bytes]) -> Iterator[_Incoming]:
        """Send lines and give a reply for each, reading while there is more to send."""
        self.is_whole = False
        unsent, missing = memoryview(b"".join(lines)), len(lines)
        poll = select.poll()
        while missing:
            if unsent and not self._wire.ready:
                poll.register(self._socket, select.POLLIN | select.POLLOUT)
                events = poll.poll(None if self._timeout is None else 1000 * self._timeout)
                if not events:
                    raise self._silence()
                ready = events[0][1]
                if ready & select.POLLOUT:
                    unsent = unsent[self._socket.send(unsent[:_CHUNK], socket.MSG_DONTWAIT):]
                if not ready & ~select.POLLOUT:
                    continue
            incoming = self.next()
            if incoming.mark in "+-":
                missing -= 1
                if unsent and not missing:
                    raise ProtocolError("there are more answers than requests")
                yield incoming
        self.is_whole = True

    def reply(self, line: bytes) -> _Incoming:
        """Send a SUBSCRIBE and give its reply, before which there may be notices."""
        self._socket.sendall(line)
        while (incoming := self.next()).mark == "*":
            pass
        return incoming

    def shut(self) -> None:
        """Wake the reader."""
        with _Suppressed(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def _forked(self) -> None:
        self.close()


class _Closing:
    """Whether a client was closed. A wait for that may be broken off by a signal's handler at any point."""

    def __init__(self, is_set: bool = False) -> None:
        self._is_set = is_set
        self._gate = threading.Lock()  # A lock of C, which a thread that is broken off does not keep.
        self._gate.acquire()

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        if not self._is_set:
            self._is_set = True
            self._gate.release()

    def wait(self, seconds: float) -> None:
        if not self._is_set and seconds > 0 and self._gate.acquire(timeout=seconds):
            self._gate.release()


def _signature(verb: Callable[..., Any], make: Callable[..., Any]) -> None:
    """Show a verb of a client with the parameters and the description of the request that it sends."""
    functools.update_wrapper(verb, make)
    own = inspect.signature(make)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    verb.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[first, *own.parameters.values()], return_annotation=inspect.Signature.empty)


def _verb(make: Callable[P, Request[T]]) -> Callable[Concatenate[Store, P], T]:
    def verb(self: Store, /, *args: P.args, **options: P.kwargs) -> T:
        return self.call(make(*args, **options))
    _signature(verb, make)
    return verb


def _every(make: Callable[P, Request[Page[T]]]) -> Callable[Concatenate[Store, P], Iterator[T]]:
    def verb(self: Store, /, *args: P.args, **options: P.kwargs) -> Iterator[T]:
        request: Optional[Request[Page[T]]] = make(*args, **options)
        while request is not None:
            page = self.call(request)
            yield from page.items
            request = page.following
    _signature(verb, make)
    return verb


class Store(_Owned):
    """A blocking client. Threads may share it; their requests take turns, but none waits for another's pause.

    `path` is the store's socket, tls://HOST:PORT, or several of both in a list or with commas between them: the first
    is taken that greets, and the next where it ends. `certificate` and `certificate_key` are shown to other machines,
    whose certificates `authority` signs; without them STORED_CERTIFICATE, STORED_CERTIFICATE_KEY and STORED_AUTHORITY
    name these files. `retry_for` says for how many seconds without success it goes on trying: to connect,
    and to send again what the store was too busy for. `timeout` says for how many seconds a call waits while the store
    says nothing; then it raises TimeoutError. A write may have been done; with the same key it can be sent again.
    """

    greeting: Optional[Greeting] = None
    """The greeting of the newest connection."""

    def __init__(self, path: Paths = None, *, retry_for: float = 10.0, timeout: Optional[float] = None,
                 certificate: Optional[File] = None, certificate_key: Optional[File] = None,
                 authority: Optional[File] = None) -> None:
        self._places = _Places.named(path, _Identity.named(certificate, certificate_key, authority))
        self.path = str(self._places)
        self._retry_for = retry_for
        self._timeout = timeout
        self._lock = threading.Lock()
        self._link: Optional[_Link] = None
        self._closed = _Closing()
        self._daemon: Optional[_TemporaryDaemon] = None
        self._subscriptions: weakref.WeakSet[Union[Subscription[Any], Worker]] = weakref.WeakSet()
        super().__init__()

    @staticmethod
    def temporary(program: Optional[File] = None, *, retry_for: float = 10.0,
                  timeout: Optional[float] = None) -> Store:
        """Start a store in a temporary folder, and connect. Both are gone with `close`, or with this process.

        Its subscriptions end with `close`, too.
        `program` is the path of stored; without it that is in the folder STORYKEEP_BIN, or found by PATH.
        """
        daemon = _TemporaryDaemon(program)
        try:
            daemon.wait()
            store = Store(daemon.path, retry_for=retry_for, timeout=timeout)
            store.connect()
        except BaseException:
            daemon.stop()
            raise
        store._daemon = daemon
        return store

    def connect(self) -> Greeting:
        """Connect now, and give the greeting. Every other method connects where it has to."""
        self.ping()
        assert self.greeting is not None
        return self.greeting

    def close(self) -> None:
        """Close the client. Calls that have no answer yet, and later ones, raise ConnectionLost."""
        self._closed.set()
        link = self._link
        if link is not None:
            link.shut()
        with self._lock:
            self._drop()
        if self._daemon is not None:
            for each in list(self._subscriptions):
                each.close()
            self._daemon.stop()

    def __enter__(self) -> Store:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    def _forked(self) -> None:
        self._lock, self._link, self._closed = threading.Lock(), None, _Closing(self._closed.is_set())

    def call(self, request: Request[T]) -> T:
        """Send a request and give its answer."""
        result = self.pipeline([request])[0]
        if isinstance(result, BaseException):
            raise result
        return cast(T, result)

    def pipeline(self, requests: Sequence[Request[Any]]) -> List[Any]:
        """Send many requests before reading, and give their results in the same order.

        They are carried out in this order, but one that the store was too busy for comes after the others. In the
        place of a request that failed is its exception, which is not raised.
        """
        calls = [_Call(request) for request in requests]
        backoff = _Backoff(self._retry_for, self._places.count)
        while open := [call for call in calls if call.outcome is _OPEN]:
            with self._lock:
                self._attempt(open, backoff)
            open = [call for call in open if call.outcome is _OPEN]
            pause = backoff.pause(open[0].failure) if open else 0
            if pause is None:
                for call in open:
                    call.outcome = call.failure
            else:
                self._closed.wait(pause)
        return [call.outcome for call in calls]

    def _attempt(self, calls: Sequence[_Call], backoff: _Backoff) -> None:
        """Send what is open, and take the replies. What stays open has its failure."""
        whole = False
        try:
            link = self._connected()
            lines = [(call, line) for call in calls if (line := call.line(link.greeting, self._places)) is not None]
            for reply, (call, _) in zip(link.exchange([line for _, line in lines]), lines):
                call.answer(reply, link.greeting, self._places)
                if call.outcome is not _OPEN:
                    backoff.reset()
            whole = not any(_moves_on(call, self._places) for call in calls)
        except (OSError, ProtocolError, StoreError) as error:
            if _is_foreign(error):
                raise
            for call in calls:
                call.failure = error
                if self._closed.is_set() and call.outcome is _OPEN:
                    call.outcome = ConnectionLost("the client was closed")
        finally:
            if not whole:
                self._drop()

    def _connected(self) -> _Link:
        if self._link is not None and self._link.is_whole and self._link.is_usable():
            return self._link
        self._drop()
        self._check_open()
        link = self._link = _Link(self._places, self._timeout)
        self._check_open()  # A close from here on ends the wait for the greeting.
        self.greeting = link.greet()
        return link

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise ConnectionLost("the client was closed")

    get = _verb(Request.get)
    list = _verb(Request.list)
    list_all = _every(Request.list)
    count = _verb(Request.count)
    sorts = _verb(Request.sorts)
    read = _verb(Request.read)
    read_all = _every(Request.read)
    find = _verb(Request.find)
    find_all = _every(Request.find)
    find_rows = _verb(Request.find_rows)
    find_rows_all = _every(Request.find_rows)
    count_events = _verb(Request.count_events)
    types = _verb(Request.types)
    types_all = _every(Request.types)
    streams = _verb(Request.streams)
    streams_all = _every(Request.streams)
    models = _verb(Request.models)
    misfits = _verb(Request.misfits)
    misfits_all = _every(Request.misfits)
    check = _verb(Request.check)
    undefine = _verb(Request.undefine)
    ping = _verb(Request.ping)
    help = _verb(Request.help)
    stats = _verb(Request.stats)
    metrics = _verb(Request.metrics)
    clients = _verb(Request.clients)
    end_client = _verb(Request.end_client)
    checkpoint = _verb(Request.checkpoint)
    verify = _verb(Request.verify)
    seal = _verb(Request.seal)
    backup = _verb(Request.backup)
    post = _verb(Request.post)
    edit = _verb(Request.edit)
    like = _verb(Request.like)
    unlike = _verb(Request.unlike)
    see = _verb(Request.see)
    delete = _verb(Request.delete)
    append = _verb(Request.append)
    append_together = _verb(Request.append_together)
    erase = _verb(Request.erase)
    erase_row = _verb(Request.erase_row)
    erasures = _verb(Request.erasures)
    erasures_all = _every(Request.erasures)
    cursor = _verb(Request.cursor)
    cursors = _verb(Request.cursors)
    parked = _verb(Request.parked)
    parked_all = _every(Request.parked)
    retry = _verb(Request.retry)
    discard = _verb(Request.discard)
    reset = _verb(Request.reset)
    drop = _verb(Request.drop)

    def define(self, name: str, text: str, *, key: Key = None, wait: Optional[float] = None) -> Dict[str, Any]:
        """Declare a read model over your own events, or another definition of it.

        Faults raise `invalid`, each with the field LINE:COLUMN. The model is built beside the store's other work: with
        `wait` the call returns once it answers, with its `rows` and `misfits`, or raises TimeoutError after so many
        seconds. Without it `models` tells how far it is. The receipt has `hints` as `Request.define` tells.
        """
        receipt = self.call(Request.define(name, text, key=key))
        if wait is not None:
            build = _Build(name, receipt, wait)
            while (pause := build.look(self.models(name))) is not None:
                self._closed.wait(pause)
        return receipt

    def decide(self, query: Query, decider: Callable[[List[Event]], Decided], *, key: Key = None) -> List[Receipt]:
        """Read the events of a query, and append what `decider` returns for them, unless another one came meanwhile.

        `decider` is called with all events of the query, and returns elements for `append_together`: one event or a
        list. Each names its stream; with none of them, or None, nothing is written, and there are no receipts. After a
        `conflict` the new events are read, too, and `decider` is called again, 10 times at most; then the conflict is
        raised. An error of `decider` is raised as it is. All tries have the `key` that is given.
        """
        decision = _Decision(query, key)
        while True:
            request: Optional[Request[Tuple[Page[Event], Greeting]]] = decision.more()
            while request is not None:
                request = decision.take(self.call(request))
            write = decision.write(decider(decision.events))
            if write is None:
                return []
            (result,) = self.pipeline([write])
            if not isinstance(result, BaseException):
                return cast(List[Receipt], result)
            self._closed.wait(decision.pause(result))

    def events(self, stream: Optional[str] = None, *, from_: Optional[Point] = None,
               types: Optional[Sequence[str]] = None, tags: Optional[Sequence[str]] = None,
               query: Optional[Query] = None, log: Optional[str] = None) -> Subscription[Event]:
        """Subscribe to the events of a stream, of a category (note-*), or of the whole log.

        `types`, `tags` and `query` select among them as for `read`.
        Without `from_`, which is a position or a time, they begin with the next one. Who keeps a position to go on
        from keeps `log` beside it, and has `diverged` raised where the store serves another history.
        """
        return self._subscribe(_Cursor.events(stream, from_, types, tags, query, log))

    def watch(self, target: str) -> Subscription[RowItem]:
        """Subscribe to a row such as stories/12345: as it is, and each change of it."""
        return self._subscribe(_Cursor[RowItem](target, {}, False))

    def watch_list(self, kind: Kind, filters: Mapping[str, Option] = {}) -> Subscription[ListItem]:
        """Subscribe to a list: each row that it has, and then each that enters, changes or leaves."""
        return self._subscribe(_Cursor[ListItem](kind, filters, False))

    def _subscribe(self, cursor: _Cursor[T]) -> Subscription[T]:
        self._check_open()
        subscription = Subscription(self._places.beside(), cursor, self._retry_for, self._timeout)
        self._subscriptions.add(subscription)
        subscription._start()
        return subscription

    def worker(self, name: str, *, on: Optional[str] = None, tags: Optional[Sequence[str]] = None,
               types: Optional[Sequence[str]] = None, query: Optional[Query] = None,
               from_: Union[int, Literal["end"], None] = None, shares: Optional[int] = None,
               window: Optional[int] = None, lease: Optional[int] = None, attempts: Optional[int] = None,
               confirm: bool = False) -> Worker:
        """Work at the events of a cursor, each of which is a `Job`; see `Worker`.

        The cursor is made where it is not there yet, with the settings that `cursor` explains. With none of them it has
        to be there. A cursor of a log that was copied raises `diverged`; `confirm` says that its place holds for the
        log that the store has now.
        """
        self._check_open()
        worker = Worker(self._places.beside(), name, _defined(
            name, on=on, tags=tags, types=types, query=query, from_=from_, shares=shares, window=window, lease=lease,
            attempts=attempts), window, confirm, self._retry_for, self._timeout)
        self._subscriptions.add(worker)
        return worker


class Subscription(_Subscribed[T]):
    """What a subscription gives, one after another; it goes on by itself after a lost connection.

    It has a connection of its own, which is read no faster than the application takes. `close`, also from another
    thread, or the end of a `with` ends it.
    """

    def __init__(self, places: _Places, cursor: _Cursor[T], retry_for: float, timeout: Optional[float]) -> None:
        self._timeout = timeout
        self._link: Optional[_Link] = None
        self._lock = threading.Lock()
        self._closed = _Closing()
        self._before: Optional[Point] = None
        """Where it stood before the item that is waited for."""
        super().__init__(places, cursor, retry_for)

    def items(self) -> Iterator[Union[T, Marker]]:
        """Give the markers, too: CaughtUp, Behind and Ended."""
        while (item := self._next()) is not None:
            yield item

    def __iter__(self) -> Subscription[T]:
        return self

    def __next__(self) -> T:
        while True:
            item = self._next()
            if item is None:
                raise StopIteration
            if not isinstance(item, (CaughtUp, Behind, Ended)):
                return item

    def _next(self) -> Union[T, Marker, None]:
        with self._lock:
            while not self._closed.is_set():
                if self._before is not None:  # An error of a handler came, and the item comes again.
                    self._cursor.go_back(self._before)
                    self._drop()
                self._before = self._cursor.resume
                try:
                    if self._link is None:
                        item = cast(Union[T, Marker, None], self._open())
                    else:
                        item = self._take(self._link.next(), self._link.greeting)
                except Exception as error:
                    self._wait(error)
                else:
                    if item is not None:
                        self._took(item)
                        self._before = None
                        return item
                self._before = None
            return None

    def _start(self) -> None:
        with self._lock:
            while self._link is None and not self._closed.is_set():
                try:
                    self._open()
                except Exception as error:
                    self._wait(error)

    def _open(self) -> Optional[Restarted]:
        link = self._link = _Link(self._places, self._timeout)
        try:
            if self._closed.is_set():  # A close from here on ends the waits below.
                raise ConnectionLost("the subscription was closed")
            greeting = link.greet()
            restarted = self._cursor.begin(link.reply(self._cursor.line(greeting, self._places)), greeting)
            link.follow()
            return restarted
        except BaseException:
            self._drop()
            raise

    def _took(self, item: Union[T, Marker]) -> None:
        if not isinstance(item, (Behind, Ended, Restarted)):
            self._backoff.reset()
        if self._cursor.ended:
            self._drop()

    def _wait(self, error: Exception) -> None:
        self._drop()
        if not self._closed.is_set():
            self._closed.wait(self._backoff.wait(error))

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    def _forked(self) -> None:
        self._lock, self._link, self._closed = threading.Lock(), None, _Closing(self._closed.is_set())

    def close(self) -> None:
        """End the subscription."""
        self._closed.set()
        link = self._link
        if link is not None:
            link.shut()
        with self._lock:
            self._drop()

    def __enter__(self) -> Subscription[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Job(_Job):
    """An event of a cursor, which a `Worker` gives, and which ends by exactly one of its methods.

    One that raises has not ended the job, and another may be called. A job that the application leaves without any of
    them stays undone. Its event is done with a later one; else it comes again once the lease is over, or for the next
    worker.

    A write and the note that the event is done are one: both are there or neither is. Where the connection is lost the
    cursor is held again; the answer is None where the write was done before that, and else the write is sent again. A
    job that `is_parked` raises ConnectionLost instead, and so does one whose event was parked meanwhile.
    """

    _worker: Worker

    def append(self, stream: str, events: Union[NewEvent, Sequence[NewEvent]], *, key: Key = None,
               version: Optional[int] = None, unless: Preconditions = None,
               log: Optional[str] = None) -> Optional[Receipt]:
        """Append one event or several, by which this one is done. There is no key unless one is given."""
        return self.write(Request.append(stream, events, key=key or False, version=version, unless=unless, log=log))

    def append_together(self, events: Sequence[Union[NewEvent, Check]], *, key: Key = None,
                        unless: Preconditions = None, log: Optional[str] = None) -> Optional[List[Receipt]]:
        """Append events of several streams, by which this one is done. There is no key unless one is given."""
        return self.write(Request.append_together(events, key=key or False, unless=unless, log=log))

    def write(self, request: Request[T]) -> Optional[T]:
        """Send a write that `Request` made, such as `Request.post`, by which this event is done."""
        steps = self._worker._write(self, request)
        return self._worker._run(steps)

    def done(self) -> None:
        """Say that the event is done, and nothing is to be written for it.

        The store is told of several of them together, a little later. Where this process is killed before that, they
        come again.
        """
        self._worker._run(self._worker._done(self))

    def fail(self, error: Union[str, BaseException, None] = None, *, delay: Optional[int] = None,
             park: bool = False) -> None:
        """Say that the event failed: it comes again after `delay` milliseconds, with the next `attempt`.

        With `park`, or after the last attempt of the cursor, it is set aside with the text of the `error`, and the next
        ones go on; see `Store.parked`. No event before it may be undone.
        """
        self._worker._run(self._worker._fail(self, error, delay, park))


class Worker(_Working[Job]):
    """The events of a cursor that are not done, one `Job` after another; it ends with `close`, and goes on by itself.

        with store.worker("billing", on="order-*") as worker:
            for job in worker:
                job.append(f"invoice-{job.event.position}", {"type": "Billed", "data": {}})

    It has a connection of its own, and holds a share of the cursor. While other workers hold all, it waits until one of
    them ends. After a lost connection it holds a share again. Each output is made once, also where a worker is killed, since it is
    written together with the place in the log.

    A worker that takes longer than the cursor's `lease` for a job calls `still_working` meanwhile. Where it does not,
    another one may get the job, and the end of this one raises `lost`. With `close` or the end of a `with` the cursor
    is free, and no event counts as failed; an application's own errors are to be told by `Job.fail`.
    """

    def __init__(self, places: _Places, name: str, define: Optional[Request[Receipt]], window: Optional[int],
                 confirm: bool, retry_for: float, timeout: Optional[float]) -> None:
        self._lock = threading.Lock()
        self._closed = _Closing()
        self._wake, self._waker = socket.socketpair()
        super().__init__(Job, places, name, define, window, confirm, retry_for, timeout)

    def __iter__(self) -> Worker:
        return self

    def __next__(self) -> Job:
        job = self._run(self._next())
        if job is None:
            raise StopIteration
        return job

    def still_working(self) -> None:
        """Renew the lease during a long job."""
        self._run(self._renew())

    def close(self) -> None:
        """Tell the store of the jobs that are done, and give the cursor back.

        Another thread may do so, too: a wait for a job ends, and the end of one in hand raises ConnectionLost.
        """
        self._is_over = True
        self._closed.set()
        self._waker.close()  # This ends a wait for a job.
        self._run(self._end())
        self._wake.close()

    def _run(self, steps: _Steps[T]) -> T:
        """Take the steps, and give their result."""
        with self._lock:
            result: Any = None
            error: Optional[BaseException] = None
            try:
                while True:
                    step = steps.send(result) if error is None else steps.throw(error)
                    result = error = None
                    try:
                        result = self._take(*step)
                    except BaseException as caught:
                        error = caught
            except StopIteration as end:
                return cast(T, end.value)
            finally:
                error = None

    def _take(self, step: str, value: Any = None, is_closable: bool = False) -> Optional[_Incoming]:
        if step == "open":
            self._link = _Link(self._places, self._timeout)
            self._link.greet()
        elif step == "sleep":
            self._closed.wait(value)
        elif step == "send":
            self._link.send(value)
        else:
            return cast(Optional[_Incoming], self._link.wait(value, self._wake if is_closable else None))
        return None

    def _forked(self) -> None:
        self._lock, self._closed = threading.Lock(), _Closing(self._closed.is_set())
        self._wake.close()
        self._waker.close()
        self._wake, self._waker = socket.socketpair()
        self._forget()

    def __enter__(self) -> Worker:
        self._run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# The asyncio client


class _AsyncLink(_Owned):
    """One connection of an asyncio client."""

    greeting: Greeting
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    def __init__(self, opened: socket.socket) -> None:
        self._wire, self._socket, self._loop = _Wire(), opened, asyncio.get_running_loop()
        self.follows = self._has_asked = False
        self._timer: Optional[asyncio.TimerHandle] = None
        super().__init__()

    @staticmethod
    async def open(places: _Places) -> _AsyncLink:
        place = places.next()
        context = None if place.host is None else places.identity.context()
        try:
            if place.host is not None and context is not None:
                return await _AsyncLink._open_remote(place.host, place.port, context)
            return await _AsyncLink._open_socket(place.path)
        except ssl.SSLError:
            raise
        except OSError as error:
            if _is_foreign(error):
                raise
            raise _unreachable(error, place) from None

    @staticmethod
    async def _open_socket(path: str) -> _AsyncLink:
        link = _AsyncLink(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        try:
            link._socket.setblocking(False)
            link._socket.connect(path)
            link._reader, link._writer = await asyncio.open_unix_connection(sock=link._socket, limit=_CHUNK)
        except BaseException:
            link._socket.close()
            raise
        return link

    @staticmethod
    async def _open_remote(host: str, port: int, context: ssl.SSLContext) -> _AsyncLink:
        loop, failure = asyncio.get_running_loop(), OSError(f"{host} has no address")
        for family, kind, _, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            link = _AsyncLink(socket.socket(family, kind))
            try:
                link._socket.setblocking(False)
                _prepare(link._socket)
                await loop.sock_connect(link._socket, address)
            except OSError as error:
                link._socket.close()
                failure = error
                continue
            try:
                link._reader, link._writer = await asyncio.open_connection(
                    sock=link._socket, ssl=context, server_hostname=host, limit=_CHUNK)
            except BaseException:
                link._socket.close()
                raise
            return link
        raise failure

    async def greet(self) -> Greeting:
        self.greeting = _greet(await self.next())
        return self.greeting

    async def next(self) -> _Incoming:
        while True:
            while not self._wire.ready:
                if self.follows:
                    self._timer = self._loop.call_later(_SILENCE, self._ask)
                try:
                    data = await self._reader.read(_CHUNK)
                except ssl.SSLError as error:
                    raise _broken(error) from error
                finally:
                    if self._timer is not None:
                        self._timer.cancel()
                self._wire.feed(data)
            incoming = self._wire.ready.popleft()
            if not self._has_asked or incoming.mark != "+":
                return incoming
            self._has_asked = False

    async def wait(self, timeout: Optional[float]) -> Optional[_Incoming]:
        """Give what comes next; None where nothing came for so many seconds."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._wire.ready:
            try:
                data = await asyncio.wait_for(
                    self._reader.read(_CHUNK), None if until is None else max(0.0, until - time.monotonic()))
            except asyncio.TimeoutError as error:
                if _is_foreign(error) or until is None or getattr(error, "errno", None) is not None:
                    raise
                return None
            except ssl.SSLError as error:
                raise _broken(error) from error
            self._wire.feed(data)
        return self._wire.ready.popleft()

    def _ask(self) -> None:
        """Send PING after a silence of what is followed; where that had no answer either, the connection is lost."""
        if self._has_asked:
            self._writer.transport.abort()
        else:
            self._has_asked = True
            self.send(b"PING\n")
            self._timer = self._loop.call_later(_SILENCE, self._ask)

    async def reply(self, line: bytes) -> _Incoming:
        """Send a SUBSCRIBE and give its reply, before which there may be notices."""
        self.send(line)
        while (incoming := await self.next()).mark == "*":
            pass
        return incoming

    def send(self, line: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(line)

    def close(self) -> None:
        if self._loop.is_closed() or self._socket.fileno() < 0:
            self._socket.close()
        else:
            self._writer.close()

    def _forked(self) -> None:
        self._socket.close()


def _has_ended(loop: Optional[asyncio.AbstractEventLoop]) -> bool:
    """Whether a connection of this loop is of no more use, so that the running loop needs its own."""
    if loop is asyncio.get_running_loop():
        return False
    if loop is None or loop.is_closed():
        return True
    raise RuntimeError("this client is used in another event loop, which is not closed; make one for each loop")


def _async_verb(make: Callable[P, Request[T]]) -> Callable[Concatenate[AsyncStore, P], Awaitable[T]]:
    async def verb(self: AsyncStore, /, *args: P.args, **options: P.kwargs) -> T:
        return await self.call(make(*args, **options))
    _signature(verb, make)
    return verb


def _async_every(make: Callable[P, Request[Page[T]]]) -> Callable[Concatenate[AsyncStore, P], AsyncIterator[T]]:
    async def verb(self: AsyncStore, /, *args: P.args, **options: P.kwargs) -> AsyncIterator[T]:
        request: Optional[Request[Page[T]]] = make(*args, **options)
        while request is not None:
            page = await self.call(request)
            for item in page.items:
                yield item
            request = page.following
    _signature(verb, make)
    return verb


class _Session:
    """What an AsyncStore does in one event loop: a connection, and the calls that have no answer yet, in order."""

    greeting: Optional[Greeting] = None

    def __init__(self, places: _Places, retry_for: float) -> None:
        self.loop = asyncio.get_running_loop()
        self._places, self._retry_for = places, retry_for
        self._calls: Deque[Tuple[_Call, asyncio.Future[None]]] = deque()
        self._link: Optional[_AsyncLink] = None
        self._running: Optional[asyncio.Task[None]] = None

    def put(self, call: _Call) -> asyncio.Future[None]:
        """Send a call now, or over the next connection; the future is done when it has an outcome or a failure."""
        future = self.loop.create_future()
        if self._link is not None and self.greeting is not None:
            self._send(call, future, self._link)
        else:
            self._calls.append((call, future))
            if self._running is None:
                self._running = asyncio.create_task(self._run())
        return future

    def is_deserted(self) -> bool:
        """Whether answers are due that nobody waits for any more."""
        return bool(self._calls) and all(future.done() for _, future in self._calls)

    def stop(self) -> None:
        """End the connection; calls without an answer fail."""
        if self._running is not None and not self.loop.is_closed():
            self._running.cancel()
        elif self._link is not None:
            self._link.close()

    async def stopped(self) -> None:
        if self._running is not None:
            await asyncio.wait([self._running])

    def _send(self, call: _Call, future: asyncio.Future[None], link: _AsyncLink) -> None:
        """Send a call. Only one that was sent is among those that wait for an answer."""
        line = call.line(link.greeting, self._places)
        if line is None:
            future.set_result(None)
        else:
            link.send(line)
            self._calls.append((call, future))

    async def _run(self) -> None:
        """Serve the calls until none is open and the connection is gone."""
        backoff = _Backoff(self._retry_for, self._places.count)
        failure: Exception = ConnectionLost("the client was closed")
        try:
            while True:
                try:
                    await self._serve(backoff)
                except Exception as error:
                    self._link = None
                    if all(future.done() for _, future in self._calls):
                        return
                    await asyncio.sleep(backoff.wait(error))
        except Exception as error:
            failure = error
        finally:
            self._link = self._running = None
            for _, future in self._calls:
                if not future.done():
                    future.set_exception(failure)
            self._calls.clear()

    async def _serve(self, backoff: _Backoff) -> None:
        """Send what is open over a new connection, and take replies as long as it lasts."""
        link = await _AsyncLink.open(self._places)
        try:
            self.greeting = await link.greet()
            waiting, self._calls, self._link = self._calls, deque(), link
            for call, future in waiting:
                if not future.done():
                    self._send(call, future, link)
            while True:
                incoming = await link.next()
                if incoming.mark in "+-":
                    self._take(incoming, link.greeting)
                    backoff.reset()
        finally:
            link.close()

    def _take(self, reply: _Incoming, greeting: Greeting) -> None:
        if not self._calls:
            raise ProtocolError("there are more answers than requests")
        call, future = self._calls.popleft()
        call.answer(reply, greeting, self._places)
        if not future.done():
            future.set_result(None)
        if _moves_on(call, self._places):
            self._link = None  # Later calls wait for another place, those on their way for their replies.
        if self._link is None and not (self._calls and self._calls[0][0].is_due):
            raise ConnectionLost("another place is asked")


class AsyncStore(_Owned):
    """A client for asyncio. Calls that are made at the same time share one connection, and none waits to be sent.

    `path`, `certificate`, `certificate_key` and `authority` are as for `Store`. `retry_for` says for how many seconds
    without success it goes on trying: to connect, and to send again what the store was too busy for. A call that is
    cancelled may have been sent. It belongs to the
    event loop that it is used in, and connects anew in another one when that is closed.
    """

    def __init__(self, path: Paths = None, *, retry_for: float = 10.0, certificate: Optional[File] = None,
                 certificate_key: Optional[File] = None, authority: Optional[File] = None) -> None:
        self._places = _Places.named(path, _Identity.named(certificate, certificate_key, authority))
        self.path = str(self._places)
        self._retry_for = retry_for
        self._session: Optional[_Session] = None
        self._closed = False
        self._daemon: Optional[_TemporaryDaemon] = None
        self._subscriptions: weakref.WeakSet[Union[AsyncSubscription[Any], AsyncWorker]] = weakref.WeakSet()
        super().__init__()

    @staticmethod
    async def temporary(program: Optional[File] = None, *, retry_for: float = 10.0) -> AsyncStore:
        """Start a store in a temporary folder, and connect; see `Store.temporary`."""
        daemon = _TemporaryDaemon(program)
        try:
            await asyncio.get_running_loop().run_in_executor(None, daemon.wait)
            store = AsyncStore(daemon.path, retry_for=retry_for)
            await store.connect()
        except BaseException:
            daemon.stop()
            raise
        store._daemon = daemon
        return store

    @property
    def greeting(self) -> Optional[Greeting]:
        """The greeting of the newest connection."""
        return None if self._session is None else self._session.greeting

    async def connect(self) -> Greeting:
        """Connect now, and give the greeting. Every other method connects where it has to."""
        await self.ping()
        assert self.greeting is not None
        return self.greeting

    async def close(self) -> None:
        """Close the client. Calls that have no answer yet, and later ones, raise ConnectionLost."""
        self._closed = True
        session = self._session
        try:
            if session is not None:
                ended = _has_ended(session.loop)
                session.stop()
                if not ended:
                    await session.stopped()
        finally:
            if self._daemon is not None:
                for each in list(self._subscriptions):
                    await each.close()
                self._daemon.stop()

    async def __aenter__(self) -> AsyncStore:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _forked(self) -> None:
        self._session = None

    def _current(self) -> _Session:
        if self._closed:
            raise ConnectionLost("the client was closed")
        if self._session is not None and _has_ended(self._session.loop):
            self._session.stop()
            self._session = None
        if self._session is None:
            self._session = _Session(self._places, self._retry_for)
        return self._session

    async def call(self, request: Request[T]) -> T:
        """Send a request and give its answer."""
        call, backoff = _Call(request), _Backoff(self._retry_for, self._places.count)
        while True:
            session = self._current()
            try:
                await session.put(call)
            except asyncio.CancelledError:
                if session is self._session and session.is_deserted():
                    session.stop()
                    self._session = None
                raise
            if call.outcome is not _OPEN:
                break
            await asyncio.sleep(backoff.wait(call.failure))
        if isinstance(call.outcome, Exception):
            raise call.outcome
        return cast(T, call.outcome)

    get = _async_verb(Request.get)
    list = _async_verb(Request.list)
    list_all = _async_every(Request.list)
    count = _async_verb(Request.count)
    sorts = _async_verb(Request.sorts)
    read = _async_verb(Request.read)
    read_all = _async_every(Request.read)
    find = _async_verb(Request.find)
    find_all = _async_every(Request.find)
    find_rows = _async_verb(Request.find_rows)
    find_rows_all = _async_every(Request.find_rows)
    count_events = _async_verb(Request.count_events)
    types = _async_verb(Request.types)
    types_all = _async_every(Request.types)
    streams = _async_verb(Request.streams)
    streams_all = _async_every(Request.streams)
    models = _async_verb(Request.models)
    misfits = _async_verb(Request.misfits)
    misfits_all = _async_every(Request.misfits)
    check = _async_verb(Request.check)
    undefine = _async_verb(Request.undefine)
    ping = _async_verb(Request.ping)
    help = _async_verb(Request.help)
    stats = _async_verb(Request.stats)
    metrics = _async_verb(Request.metrics)
    clients = _async_verb(Request.clients)
    end_client = _async_verb(Request.end_client)
    checkpoint = _async_verb(Request.checkpoint)
    verify = _async_verb(Request.verify)
    seal = _async_verb(Request.seal)
    backup = _async_verb(Request.backup)
    post = _async_verb(Request.post)
    edit = _async_verb(Request.edit)
    like = _async_verb(Request.like)
    unlike = _async_verb(Request.unlike)
    see = _async_verb(Request.see)
    delete = _async_verb(Request.delete)
    append = _async_verb(Request.append)
    append_together = _async_verb(Request.append_together)
    erase = _async_verb(Request.erase)
    erase_row = _async_verb(Request.erase_row)
    erasures = _async_verb(Request.erasures)
    erasures_all = _async_every(Request.erasures)
    cursor = _async_verb(Request.cursor)
    cursors = _async_verb(Request.cursors)
    parked = _async_verb(Request.parked)
    parked_all = _async_every(Request.parked)
    retry = _async_verb(Request.retry)
    discard = _async_verb(Request.discard)
    reset = _async_verb(Request.reset)
    drop = _async_verb(Request.drop)

    async def define(self, name: str, text: str, *, key: Key = None, wait: Optional[float] = None) -> Dict[str, Any]:
        """Declare a read model, and wait until it answers; see `Store.define`."""
        receipt = await self.call(Request.define(name, text, key=key))
        if wait is not None:
            build = _Build(name, receipt, wait)
            while (pause := build.look(await self.models(name))) is not None:
                await asyncio.sleep(pause)
        return receipt

    async def decide(self, query: Query, decider: Callable[[List[Event]], Union[Decided, Awaitable[Decided]]], *,
                     key: Key = None) -> List[Receipt]:
        """Read the events of a query, and append what `decider` returns or gives when awaited; see `Store.decide`."""
        decision = _Decision(query, key)
        while True:
            request: Optional[Request[Tuple[Page[Event], Greeting]]] = decision.more()
            while request is not None:
                request = decision.take(await self.call(request))
            decided = decider(decision.events)
            write = decision.write(await decided if inspect.isawaitable(decided) else cast(Decided, decided))
            if write is None:
                return []
            try:
                return await self.call(write)
            except StoreError as error:
                if _is_foreign(error):
                    raise
                pause = decision.pause(error)
            await asyncio.sleep(pause)

    async def events(self, stream: Optional[str] = None, *, from_: Optional[Point] = None,
                     types: Optional[Sequence[str]] = None, tags: Optional[Sequence[str]] = None,
                     query: Optional[Query] = None, log: Optional[str] = None) -> AsyncSubscription[Event]:
        """Subscribe to events; see `Store.events`."""
        return await self._subscribe(_Cursor.events(stream, from_, types, tags, query, log))

    async def watch(self, target: str) -> AsyncSubscription[RowItem]:
        """Subscribe to a row; see `Store.watch`."""
        return await self._subscribe(_Cursor[RowItem](target, {}, False))

    async def watch_list(self, kind: Kind, filters: Mapping[str, Option] = {}) -> AsyncSubscription[ListItem]:
        """Subscribe to a list; see `Store.watch_list`."""
        return await self._subscribe(_Cursor[ListItem](kind, filters, False))

    async def _subscribe(self, cursor: _Cursor[T]) -> AsyncSubscription[T]:
        if self._closed:
            raise ConnectionLost("the client was closed")
        subscription = AsyncSubscription(self._places.beside(), cursor, self._retry_for)
        self._subscriptions.add(subscription)
        await subscription._start()
        return subscription

    def worker(self, name: str, *, on: Optional[str] = None, tags: Optional[Sequence[str]] = None,
               types: Optional[Sequence[str]] = None, query: Optional[Query] = None,
               from_: Union[int, Literal["end"], None] = None, shares: Optional[int] = None,
               window: Optional[int] = None, lease: Optional[int] = None, attempts: Optional[int] = None,
               confirm: bool = False) -> AsyncWorker:
        """Work at the events of a cursor; see `Store.worker`. Nothing is awaited before the first job is."""
        if self._closed:
            raise ConnectionLost("the client was closed")
        worker = AsyncWorker(self._places.beside(), name, _defined(
            name, on=on, tags=tags, types=types, query=query, from_=from_, shares=shares, window=window, lease=lease,
            attempts=attempts), window, confirm, self._retry_for)
        self._subscriptions.add(worker)
        return worker


class AsyncSubscription(_Subscribed[T]):
    """What a subscription gives, one after another; see `Subscription`. A wait for an item may be cancelled."""

    def __init__(self, places: _Places, cursor: _Cursor[T], retry_for: float) -> None:
        self._link: Optional[_AsyncLink] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = asyncio.get_running_loop()
        self._lock = asyncio.Lock()
        self._closed = False
        super().__init__(places, cursor, retry_for)

    async def items(self) -> AsyncIterator[Union[T, Marker]]:
        """Give the markers, too: CaughtUp, Behind and Ended."""
        while (item := await self._next()) is not None:
            yield item

    def __aiter__(self) -> AsyncSubscription[T]:
        return self

    async def __anext__(self) -> T:
        while True:
            item = await self._next()
            if item is None:
                raise StopAsyncIteration
            if not isinstance(item, (CaughtUp, Behind, Ended)):
                return item

    async def _next(self) -> Union[T, Marker, None]:
        if _has_ended(self._loop):
            self._drop()
            self._loop, self._lock = asyncio.get_running_loop(), asyncio.Lock()
        async with self._lock:
            while not self._closed:
                try:
                    if self._link is None:
                        item = cast(Union[T, Marker, None], await self._open())
                    else:
                        item = self._take(await self._link.next(), self._link.greeting)
                except Exception as error:
                    await self._wait(error)
                else:
                    if item is not None:
                        self._took(item)
                        return item
            return None

    async def _start(self) -> None:
        while self._link is None and not self._closed:
            try:
                await self._open()
            except Exception as error:
                await self._wait(error)

    async def _open(self) -> Optional[Restarted]:
        link = self._link = await _AsyncLink.open(self._places)
        try:
            if self._closed:  # A close from here on ends the waits below.
                raise ConnectionLost("the subscription was closed")
            greeting = await link.greet()
            restarted = self._cursor.begin(await link.reply(self._cursor.line(greeting, self._places)), greeting)
            link.follows = True
            return restarted
        except BaseException:
            self._drop()
            raise

    def _took(self, item: Union[T, Marker]) -> None:
        if not isinstance(item, (Behind, Ended, Restarted)):
            self._backoff.reset()
        if self._cursor.ended:
            self._drop()

    async def _wait(self, error: Exception) -> None:
        self._drop()
        if not self._closed:
            await asyncio.sleep(self._backoff.wait(error))

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    def _forked(self) -> None:
        self._link = self._loop = None

    async def close(self) -> None:
        """End the subscription."""
        self._closed = True
        self._drop()

    async def __aenter__(self) -> AsyncSubscription[T]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncJob(_Job):
    """An event of a cursor, which an `AsyncWorker` gives, and which ends by exactly one of its methods; see `Job`."""

    _worker: AsyncWorker

    async def append(self, stream: str, events: Union[NewEvent, Sequence[NewEvent]], *, key: Key = None,
                     version: Optional[int] = None, unless: Preconditions = None,
                     log: Optional[str] = None) -> Optional[Receipt]:
        """Append one event or several, by which this one is done; see `Job.append`."""
        request = Request.append(stream, events, key=key or False, version=version, unless=unless, log=log)
        receipt = await self.write(request)
        return receipt

    async def append_together(self, events: Sequence[Union[NewEvent, Check]], *, key: Key = None,
                              unless: Preconditions = None, log: Optional[str] = None) -> Optional[List[Receipt]]:
        """Append events of several streams, by which this one is done; see `Job.append_together`."""
        receipts = await self.write(Request.append_together(events, key=key or False, unless=unless, log=log))
        return receipts

    async def write(self, request: Request[T]) -> Optional[T]:
        """Send a write that `Request` made, by which this event is done; see `Job.write`."""
        steps = self._worker._write(self, request)
        return await self._worker._run(steps)

    async def done(self) -> None:
        """Say that the event is done, and nothing is to be written for it; see `Job.done`."""
        await self._worker._run(self._worker._done(self))

    async def fail(self, error: Union[str, BaseException, None] = None, *, delay: Optional[int] = None,
                   park: bool = False) -> None:
        """Say that the event failed: it comes again, or is set aside; see `Job.fail`."""
        await self._worker._run(self._worker._fail(self, error, delay, park))


class AsyncWorker(_Working[AsyncJob]):
    """The events of a cursor that are not done, one `AsyncJob` after another; see `Worker`.

    A wait for a job may be cancelled. The end of a job that is cancelled may have been done; it may be called again.
    """

    def __init__(self, places: _Places, name: str, define: Optional[Request[Receipt]], window: Optional[int],
                 confirm: bool, retry_for: float) -> None:
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._lock: Optional[asyncio.Lock] = None
        self._waiting: Optional[asyncio.Future[Any]] = None
        super().__init__(AsyncJob, places, name, define, window, confirm, retry_for, None)

    def __aiter__(self) -> AsyncWorker:
        return self

    async def __anext__(self) -> AsyncJob:
        job = await self._run(self._next())
        if job is None:
            raise StopAsyncIteration
        return job

    async def still_working(self) -> None:
        """Renew the lease during a long job."""
        await self._run(self._renew())

    async def close(self) -> None:
        """Tell the store of the jobs that are done, and give the cursor back. Another task may do so, too."""
        self._is_over = True
        if self._waiting is not None and self._loop is asyncio.get_running_loop():
            self._waiting.cancel()
        await self._run(self._end())

    async def _run(self, steps: _Steps[T]) -> T:
        """Take the steps, and give their result."""
        if self._lock is None or _has_ended(self._loop):
            self._drop()
            self._loop, self._lock, self._waiting = asyncio.get_running_loop(), asyncio.Lock(), None
        async with self._lock:
            result: Any = None
            error: Optional[BaseException] = None
            try:
                while True:
                    step = steps.send(result) if error is None else steps.throw(error)
                    result = error = None
                    try:
                        result = await self._take(*step)
                    except BaseException as caught:
                        error = caught
            except StopIteration as end:
                return cast(T, end.value)
            finally:
                error = None

    async def _take(self, step: str, value: Any = None, is_closable: bool = False) -> Optional[_Incoming]:
        if step == "open":
            self._link = await _AsyncLink.open(self._places)
            await self._link.greet()
        elif step == "sleep":
            await self._unless_closed(asyncio.sleep(value))
        elif step == "send":
            self._link.send(value)
        elif is_closable:
            return cast(Optional[_Incoming], await self._unless_closed(self._link.wait(value)))
        else:
            return cast(Optional[_Incoming], await self._link.wait(value))
        return None

    async def _unless_closed(self, work: Awaitable[T]) -> Optional[T]:
        """Wait for something that `close` ends; it is then None."""
        self._waiting = asyncio.ensure_future(work)
        if self._is_over:
            self._waiting.cancel()
        try:
            return cast(T, await self._waiting)
        except asyncio.CancelledError:
            if self._is_over and self._waiting.cancelled():
                return None
            raise
        finally:
            self._waiting = None

    def _forked(self) -> None:
        self._loop = self._lock = self._waiting = None
        self._forget()

    async def __aenter__(self) -> AsyncWorker:
        await self._run(self._start())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


# A store for tests


class _TemporaryDaemon(_Owned):
    """A stored in a temporary folder. Both are gone after `stop`, and when this process ends, however it does.

    A shell keeps them: it waits for a line, or the end, of the pipe that only this process holds.
    """

    _keeper = """folder=$1; shift
"$@" < /dev/null > /dev/null & daemon=$!
exec 2> /dev/null
read -r line
kill -KILL "$daemon"; wait "$daemon"
rm -rf "$folder"
"""

    _ready = False

    def __init__(self, program: Optional[File]) -> None:
        stored = _stored() if program is None else os.path.abspath(program)
        if not os.access(stored, os.X_OK):
            raise FileNotFoundError(f"{stored} is not there, or is no program")
        folder = tempfile.mkdtemp(prefix="storykeep-")
        self.path, self._trace, self._told = f"{folder}/socket", deque([b""], 1), threading.Event()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STORED_")}
        self._process: Optional[subprocess.Popen[bytes]] = subprocess.Popen(
            ["/bin/sh", "-c", self._keeper, "sh", folder, stored, "--data", f"{folder}/data", "--socket", self.path],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", env=environment,
            start_new_session=True)
        super().__init__()
        threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True).start()

    def _read(self, trace: Any) -> None:
        """Read the daemon's trace for as long as it runs, so that its pipe never fills."""
        with trace:
            for line in trace:
                self._trace.append(line)
                if b" ready " in line:
                    self._ready = True
                    self._told.set()
        self._told.set()

    def wait(self) -> None:
        """Wait until the daemon serves."""
        if not self._told.wait(60):
            raise TimeoutError("stored did not say within 60 s that it is ready")
        if not self._ready:
            line = self._trace[-1].decode(errors="replace").strip()
            raise RuntimeError(f"stored did not start: {line or 'it said nothing'}")

    def stop(self) -> None:
        """End the daemon and remove its folder."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(BrokenPipeError), cast(Any, process.stdin) as pipe:
                pipe.write(b"\n")
            process.wait()

    def _forked(self) -> None:
        """The daemon is the parent's."""
        if self._process is not None:
            cast(Any, self._process.stdin).close()
        self._process = None


def _stored() -> str:
    folder = os.environ.get("STORYKEEP_BIN")
    found = os.path.join(os.path.abspath(folder), "stored") if folder else shutil.which("stored")
    if found is None:
        raise FileNotFoundError("there is no stored in PATH; name its folder in STORYKEEP_BIN")
    return found
