// The types of storykeep.mjs, whose comments have the same in JSDoc: a change there is one here. TypeScript finds this
// file beside the client, in a package and where both were copied.

/** Tells where the store is when nobody says: STORED_SOCKET, else a socket in the user's runtime directory. */
export function defaultPath(): string;

/** The store refused a request. Members that an error does not have are undefined; `fields` is then empty. */
export class StoreError extends Error {
    constructor(members: Row);
    /** The error as it came, with members that this version does not know. */
    members: Row;
    code: Code;
    retry: Retry;
    fields: FieldError[];
    expected: number | undefined;
    actual: number | undefined;
    /** The position of the event that erased all that an erasure would take. */
    erased: number | undefined;
    stream: string | undefined;
    /** The number, from 0, of the precondition of a write that the event at `position` breaks. */
    unless: number | undefined;
    after: number | undefined;
    type: string | undefined;
    position: number | undefined;
    limit: number | undefined;
    column: number | undefined;
    field: string | undefined;
    /** The name that `unknown` is about; `name` is the error's own, as in every Error. */
    unknownName: string | undefined;
    nearest: string | undefined;
    log: string | undefined;
    address: string | undefined;
    cursor: string | undefined;
    /** The place of the cursor: every event of it up to here is done. */
    at: number | undefined;
    holder: Holder | undefined;
    damaged: boolean;
}

/** The connection broke. A write without a key that was sent may have been done, or may not. */
export class ConnectionLost extends Error {
}

/** The peer is not a store that speaks version 1 of the protocol. */
export class ProtocolError extends Error {
}

/** `silence` is for how many milliseconds a subscription's store may say nothing before it is asked. */
export const pace: { silence: number };

/**
 * A client. Calls that are made at the same time share one connection, and none waits to be sent. A call whose
 * `signal` aborts may have been sent.
 */
export class Store {
    /**
     * Starts a store in a temporary folder, and connects. Both are gone with `close`, or with this process. Its
     * subscriptions and workers end with `close`, too. `program` is the path of stored; without it that is in the
     * folder STORYKEEP_BIN, or found by PATH.
     */
    static temporary(options?: {
        program?: File;
        retryFor?: number;
    }): Promise<Store>;
    /**
     * `path` is the store's socket, tls://HOST:PORT, or several of both in a list or with commas between them: the
     * first is used that greets, and the next where it ends. `retryFor` is for how many milliseconds without success the
     * client goes on trying: to connect, and to send again a request that the store was too busy for.
     */
    constructor(path?: File | File[], options?: {
        retryFor?: number;
    } & Identity);
    /** The greeting of the newest connection. */
    greeting: Greeting | undefined;
    path: string;
    retryFor: number;
    /** Connects now, and gives the greeting. Every other method connects where it has to. */
    connect(): Promise<Greeting>;
    /**
     * Closes the client. Calls that have no answer yet, and later ones, throw ConnectionLost. A temporary store is gone
     * when the promise is kept.
     */
    close(): Promise<void>;
    /**
     * Sends a request of any verb but SUBSCRIBE and WORK, and gives the answer as it came. Only what is `repeatable` is
     * sent again after a lost connection.
     */
    call(verb: string, target?: string, options?: Record<string, Option>, body?: unknown, how?: {
        write?: boolean;
        repeatable?: boolean;
    } & Cancel): Promise<Answer & { greeting: Greeting }>;
    /** Gets a row such as stories/12345, now or as it was `at` a position or a time. */
    get(target: string, options?: {
        at?: Point;
    } & Wait & Cancel): Promise<Row>;
    /** Lists a page of a kind's rows, filtered and sorted. `after` is the `next` of the page before. */
    list(kind: Kind, filters?: Record<string, Option>, options?: ListOptions): Promise<Page<Row>>;
    /** Gives every row that is listed, page after page. */
    listAll(kind: Kind, filters?: Record<string, Option>, options?: ListOptions): AsyncGenerator<Row, void, undefined>;
    /** Counts the rows that `list` would give. */
    count(kind: Kind, filters?: Record<string, Option>, options?: Wait & Cancel): Promise<number>;
    /** Tells what a kind can be sorted by. */
    sorts(kind: Kind, options?: Cancel): Promise<SortKey[]>;
    /** Reads a page of events: of one stream, of a category (note-*), or of the whole log. */
    read(stream?: string, options?: ReadOptions): Promise<Page<StoreEvent, number>>;
    /** Gives every event, page after page, all of one history. */
    readAll(stream?: string, options?: ReadOptions): AsyncGenerator<StoreEvent, void, undefined>;
    /**
     * Finds a page of your own events with words in their data, newest first: of one stream, of a category, or all. All
     * words must be in an event: `spring -cancelled "two words" wor*`. A page may be short, or empty, and have a `next` all
     * the same; while the store makes its index of words it is `busy`.
     */
    find(words: string, stream?: string, options?: ReadOptions): Promise<Page<StoreEvent, number>>;
    /** Gives every event with the words, page after page, all of one history. */
    findAll(words: string, stream?: string, options?: ReadOptions): AsyncGenerator<StoreEvent, void, undefined>;
    /**
     * Finds a page of stories or messages by their words, the newest words first. The words are those of `find`. A page may
     * be short, or empty, and have a `next` all the same.
     */
    findRows(kind: Kind, words: string, filters?: Record<string, Option>, options?: FindOptions): Promise<Page<Row>>;
    /** Gives every row with the words, page after page. */
    findRowsAll(kind: Kind, words: string, filters?: Record<string, Option>, options?: FindOptions): AsyncGenerator<Row, void, undefined>;
    /** Counts the events that `read` would give without a limit. */
    countEvents(stream?: string, options?: Omit<ReadOptions, "order" | "limit">): Promise<number>;
    /** Lists a page of the types of events: of all, or of those of a category (note-*). */
    types(category?: string, options?: StreamsOptions): Promise<Page<TypeInfo>>;
    /** Gives every type of events, page after page. */
    typesAll(category?: string, options?: StreamsOptions): AsyncGenerator<TypeInfo, void, undefined>;
    /** Lists a page of streams: all, those of a category (note-*), or one. */
    streams(stream?: string, options?: StreamsOptions): Promise<Page<StreamInfo>>;
    /** Gives every stream, page after page. */
    streamsAll(stream?: string, options?: StreamsOptions): AsyncGenerator<StreamInfo, void, undefined>;
    /** Tells of the declared models; or of one, or of a built-in kind: its fields, filters, sorts and writes as well. */
    models(name?: string, options?: Cancel): Promise<ModelDescription[]>;
    /** Reads a page of the events that did not fit a declared model, each with its line and the rule. */
    misfits(name: string, options?: {
        from?: number;
        order?: Order;
        limit?: number;
    } & Cancel): Promise<Page<Row, number>>;
    /** Gives every misfit that is kept, page after page. */
    misfitsAll(name: string, options?: {
        from?: number;
        order?: Order;
        limit?: number;
    } & Cancel): AsyncGenerator<Row, void, undefined>;
    /**
     * Declares a read model over your own events, or another definition of it. Faults reject with `invalid`, each with
     * the field LINE:COLUMN. The model is built beside the store's other work: with `wait` the promise is kept once it
     * answers, with its `rows` and `misfits`, or rejected with a TimeoutError after so many milliseconds. Without it
     * `models` tells how far it is. `hints` of the receipt, each a `line` and a `message`, are there where the
     * definition takes something away from the one that answers, or may do otherwise than it seems.
     */
    define(name: string, text: string, options?: {
        key?: string | false;
        wait?: number;
    } & Cancel): Promise<Row>;
    /**
     * Tries a definition without declaring it: the rows that would differ, up to `limit` of them, are `differences`. The
     * other members are the numbers of rows, the misfits, and the names that no event ever had.
     */
    check(name: string, text: string, options?: {
        limit?: number;
    } & Cancel): Promise<Row & { differences: Row[] }>;
    /** Removes a declared model; its events stay. */
    undefine(name: string, options?: Cancel): Promise<Row>;
    /** Asks for an answer, which is the log's last position. */
    ping(options?: Cancel): Promise<number>;
    /** Explains the verbs, or one verb or error code. */
    help(topic?: string, options?: Cancel): Promise<Row[]>;
    /** Tells counts, sizes in bytes, rates and latencies. */
    stats(options?: Cancel): Promise<Row>;
    /** Tells the same figures as the text of OpenMetrics 1.0, for programs that collect them. */
    metrics(options?: Cancel): Promise<string>;
    /** Tells of the store's connections, or of the one with a number, and how far their subscriptions are. */
    clients(number?: number, options?: Cancel): Promise<Row[]>;
    /** Ends the connection with a number, for the role admin; its client may connect again. */
    endClient(number: number, options?: Cancel): Promise<void>;
    /** Writes the read models to the disk now; the answer is the position that they are at. */
    checkpoint(options?: Cancel): Promise<number>;
    /** Checks every record of the log while serving, up to the position that is the answer. */
    verify(options?: Cancel): Promise<number>;
    /** Checks every record of the log; the answer is the seal `at` a position or a time, or at the last event. */
    seal(options?: {
        at?: Point;
    } & Cancel): Promise<string>;
    /** Copies the log, up to the position that is the answer, into a new directory of the store's machine. */
    backup(directory: string, options?: Cancel): Promise<number>;
    /** Adds a user, story, message or photo. */
    post(kind: Kind, form: Row, options?: WriteOptions): Promise<Receipt>;
    /** Revises the fields that are given. */
    edit(target: string, form: Row, options?: WriteOptions): Promise<Receipt>;
    /** Has a user like a story. */
    like(target: string, user: string, options?: WriteOptions): Promise<Receipt>;
    /** Has a user like a story no longer. */
    unlike(target: string, user: string, options?: WriteOptions): Promise<Receipt>;
    /** Notes that the recipient has seen a message. */
    see(target: string, options?: WriteOptions): Promise<Receipt>;
    /** Takes content away; its history stays readable. */
    delete(target: string, options?: WriteOptions): Promise<Receipt>;
    /** Appends one event or several, all or none. `version` 0 says that the stream must not exist yet. */
    append(stream: string, events: NewEvent | NewEvent[], options?: Omit<WriteOptions, "meta">): Promise<Receipt>;
    /**
     * Appends events of several streams, all or none; each names its stream. There is a receipt for each stream. A
     * stream and a version alone are a check of a stream that nothing is appended to.
     */
    appendTogether(events: (NewEvent | Check)[], options?: Omit<WriteOptions, "meta" | "version">): Promise<Receipt[]>;
    /**
     * Erases the content of your own events for ever, for the role admin. The promise is kept once its bytes are gone.
     *
     * It takes the events that `read` gives for the same stream and options: of a stream, of a category (note-*), or of
     * all, with tags. Their `data` and `meta` go, and keys and tags with `labels: "drop"`. All else of them stays, as
     * does the `reason`, and must not name the person. Where all are erased already it is `gone`. A `key` that was used
     * waits for the same erasure.
     */
    erase(stream?: string, options?: EraseOptions): Promise<Erasure>;
    /**
     * Erases the whole history of a row (stories/12345), which may be deleted; as `erase` does.
     *
     * Of a user (users/007) the `scope` says what goes too: nothing with "profile"; all that the user sent or owns with
     * "own", which is meant where it is left out; and all that came to the user with "all".
     */
    eraseRow(target: string, options?: EraseRowOptions): Promise<Erasure>;
    /** Lists a page of the erasures, in their order. `after` is the `next` of the page before, or an ID. */
    erasures(options?: ErasuresOptions): Promise<Page<ErasureInfo, number>>;
    /** Gives every erasure, page after page. */
    erasuresAll(options?: ErasuresOptions): AsyncGenerator<ErasureInfo, void, undefined>;
    /**
     * Makes a cursor, a named place in the log from which a worker does one event after the other. Of one that is there
     * the `window`, `lease` and `attempts` are changed; another value of the rest is `exists`, with the `field`.
     */
    cursor(name: string, options?: CursorOptions): Promise<Receipt>;
    /** Tells of the shares of cursors, or of one: how far they are behind, who holds them, and why they do not move. */
    cursors(name?: string, options?: Wait & Cancel): Promise<CursorInfo[]>;
    /** Lists a page of the events of a cursor that were set aside. `after` is the `next` of the page before. */
    parked(name: string, options?: ParkedOptions): Promise<Page<ParkedEvent, number>>;
    /** Gives every event of a cursor that was set aside, page after page. */
    parkedAll(name: string, options?: ParkedOptions): AsyncGenerator<ParkedEvent, void, undefined>;
    /** Has a parked event, or all of a cursor, delivered once more; the answer is the number of them. */
    retry(name: string, event?: number, options?: Cancel): Promise<number>;
    /** Gives a parked event up. The `reason` stays in the log. */
    discard(name: string, event: number, reason: string, options?: Cancel): Promise<void>;
    /** Has all shares of a cursor begin again behind a position; none of them may be held. For the role admin. */
    reset(name: string, to: number | "start" | "end", options?: Cancel): Promise<Receipt>;
    /** Removes a cursor, whose name is never used again; none of its shares may be held. For the role admin. */
    drop(name: string, options?: Cancel): Promise<Receipt>;
    /**
     * Works on the events of a cursor, one job after the other: each event is done once, in the commit of the write
     * that its job makes.
     *
     *     for await (const job of store.worker("billing", { on: "order-*" })) {
     *         await job.append(`invoice-${job.event.stream}`, { type: "Billed", data: { of: job.event.position } });
     *     }
     *
     * With settings it makes the cursor first, or changes it, and those that are left out are the defaults. It connects
     * with the first job, and waits while other workers hold all shares. A cursor that was held in another history
     * last is `diverged` unless `confirm` is true.
     */
    worker(name: string, options?: WorkOptions): Worker;
    /**
     * Reads the events of a query, and appends what `decider` returns for them, unless another one came meanwhile.
     *
     * `decider` is called with all events of the query, and returns elements for `appendTogether`, or a promise of
     * them: one event or an array. Each names its stream; with none of them nothing is written, and there are no
     * receipts. After a `conflict` the new events are read, too, and `decider` is called again, 10 times at most; then
     * the conflict is thrown. An error of `decider` is thrown as it is. All tries have the `key` that is given; without
     * one each has its own: nothing was written with the one before.
     */
    decide(query: Query, decider: (events: StoreEvent[]) => Decided | Promise<Decided>, options?: Pick<WriteOptions, "key" | "signal">): Promise<Receipt[]>;
    /**
     * Subscribes to the events of a stream, of a category (note-*), or of the whole log.
     *
     * Without `from`, a position or a time, they begin with the next one. A program that keeps a position to go
     * on from keeps `log` beside it; `diverged` is thrown where the store serves another history.
     */
    events(stream?: string, options?: {
        from?: Point;
        types?: string[];
        tags?: string[];
        query?: Query;
        log?: string;
    } & Cancel): Promise<Subscription<StoreEvent>>;
    /** Subscribes to a row such as stories/12345: as it is, and each change of it. */
    watch(target: string, options?: Cancel): Promise<Subscription<Change | Restarted>>;
    /** Subscribes to a list: each row that it has, and then each that enters, changes or leaves. */
    watchList(kind: Kind, filters?: Record<string, Option>, options?: Cancel): Promise<Subscription<Change | Removed | Restarted>>;
    #private;
}

/**
 * The items of a subscription, one after another; it goes on by itself after a lost connection.
 *
 * It has a connection of its own, which is read no faster than the application takes. Leaving the loop, or `close`,
 * ends it; so does its `signal`, whose reason is then thrown.
 */
export class Subscription<T> implements AsyncIterableIterator<T> {
    private constructor();
    /** The `from` of a subscription to events that goes on after what was given. */
    get resume(): Point | undefined;
    /** The history that `resume` is of. */
    get log(): string | undefined;
    /** Ends the subscription. */
    close: () => void;
    /** Gives the markers, too: they have a `marker` of caughtUp, behind or ended. */
    items(): AsyncGenerator<T | Marker, void, undefined>;
    next(): Promise<IteratorResult<T>>;
    return(): Promise<IteratorResult<T>>;
    [Symbol.asyncIterator](): Subscription<T>;
    #private;
}

/**
 * The jobs of a cursor, one after another; it goes on by itself after a lost connection.
 *
 * It has a connection of its own, on which it holds the cursor. Leaving the loop, by an error as well, or `close` gives
 * it back; so does its `signal`, whose reason is then thrown. A job that the loop leaves without a write, `done` or
 * `fail` stays undone: the next one that is done makes it done as well, and the lease ends where none is.
 */
export class Worker implements AsyncIterableIterator<Job> {
    private constructor();
    readonly name: string;
    /** Acknowledges the jobs that are done, gives the cursor back, and closes the connection. */
    close: () => Promise<void>;
    /** Renews the lease, for a job that takes long. */
    stillWorking(): Promise<void>;
    next(): Promise<IteratorResult<Job>>;
    return(): Promise<IteratorResult<Job>>;
    [Symbol.asyncIterator](): Worker;
    #private;
}

/**
 * An event of a cursor that is to be done.
 *
 * It is done by one write, in the same commit, and all that were given before it with it. So each output is there once,
 * also after lost connections and kills. `lost` says that the cursor was taken away: nothing was written, and the event
 * comes again to the worker that holds it then.
 */
export class Job {
    private constructor();
    readonly event: StoreEvent;
    /** The number of the delivery, from 1. */
    readonly attempt: number;
    /** It was set aside before, and is retried. */
    readonly isParked: boolean;
    /**
     * Appends one event or several, and makes this event done. Without a receipt it was done before a lost connection.
     */
    append(stream: string, events: NewEvent | NewEvent[], options?: JobOptions): Promise<Receipt | undefined>;
    /**
     * Appends events of several streams, all or none, and makes this event done. There is a receipt for each stream, or
     * none at all where it was done before a lost connection.
     */
    appendTogether(events: (NewEvent | Check)[], options?: Omit<JobOptions, "version">): Promise<Receipt[] | undefined>;
    /** Makes this event done by a write of any verb. Without a receipt it was done before a lost connection. */
    write(verb: string, target: string, options?: Record<string, Option>, body?: unknown): Promise<Receipt | undefined>;
    /**
     * Notes that this event is done, and all that were given before it, without an output in the log. The store is told
     * of several at once, a little later: after a kill they come again.
     */
    done(): void;
    /**
     * Says that this event failed: it comes again later, alone, and is parked in the end. The message of `error` is
     * kept with it. There is no answer where the connection is lost, which counts as a failure itself.
     */
    fail(error?: unknown, options?: FailOptions): Promise<Failed | undefined>;
    #private;
}

/** A user, story, message, photo, or a row of a declared model as it is now. */
export type Row = Record<string, any>;

/** A declared model or a built-in kind, as docs/protocol.md describes it; with a name it has its fields and more. */
export interface ModelDescription extends Row {
    model: string;
    state: "ready" | "building" | "failed";
    rows: number;
    /** Of a declared model. */
    definition?: number;
    misfits?: number;
    fields?: FieldDescription[];
    filters?: string[];
    sorts?: string[];
    /** Of a built-in kind: the writes that its rows take. */
    writes?: { verb: string; key?: string; fields: FieldDescription[] }[];
}

/** A field of a row, or of the form of a write. */
export interface FieldDescription extends Row {
    name: string;
    type: string;
    /** Of a row. */
    optional?: boolean;
    /** Of a form. */
    required?: boolean;
    /** The kind whose IDs are the values. */
    kind?: string;
}

/** users, stories, messages, photos, or the name of a declared model. */
export type Kind = string;

export type Order = "asc" | "desc";
/** A position (or a version, where one stream is read), or a time. */
export type Point = number | string | Date;

export type Option = string | number | boolean | Date | string[] | Row | Row[] | null | undefined;
export type Code = "syntax" | "unknown" | "invalid" | "notFound" | "gone" | "exists" | "conflict" | "keyReused" | "denied" | "held" | "lost" | "tooLarge" | "full" | "diverged" | "behind" | "notLeader" | "unavailable" | "busy" | "draining" | "internal";

export type Retry = "never" | "same" | "refetch" | "later";
export type Rule = "missing" | "empty" | "tooLong" | "notSelected" | "outOfRange" | "malformed" | "noSuch" | "unknownField" | "wrongType" | "repeated";

/** One wrong field or option. */
export type FieldError = {
    field: string;
    rule: Rule;
    message: string;
};

/** The store's first line on each connection. */
export type Greeting = {
    server: string;
    protocol: number;
    position: number;
    log: string;
    limits: Record<string, number>;
    you: {
        uid: number;
        role: string;
    };
};

/** A write was done; `changed` is false where nothing had to be. */
export type Receipt = {
    stream: string;
    version: number;
    position: number;
    time?: string;
    id?: string;
    changed: boolean;
    /** Whether it was done before. */
    repeated: boolean;
    /** Of a repeated write: the position of the event that erased its content. */
    erased?: number;
    /** Of a job's write: the place that the cursor moved to. */
    cursor?: CursorPlace;
};

/** An event of the log. */
export type StoreEvent = {
    position: number;
    stream: string;
    version: number;
    type: string;
    time: string;
    by: number;
    /** Absent where it was erased. */
    data?: any;
    key?: string;
    tags?: string[];
    meta?: Record<string, any> | undefined;
    /** The position of the event that erased `data` and `meta`. */
    erased?: number;
    /** The event that is done by this one, such as billing/1@1042. */
    cursor?: string;
};

/** An event to append; `stream` and `version` are for `appendTogether` only. */
export type NewEvent = {
    type: string;
    data: any;
    meta?: Record<string, any> | null | undefined;
    tags?: string[] | null;
    stream?: string;
    version?: number | null;
};

/** An element of `appendTogether` that appends nothing: its stream must have this version now. */
export type Check = {
    stream: string;
    version: number;
};

/** The events that have all of the tags, are of one of the types, and of the stream or category (order-*). */
export type QueryItem = {
    tags?: string[];
    types?: string[];
    stream?: string;
};

/** An item, or the events of any of several items. */
export type Query = QueryItem | {
    any: QueryItem[];
};

/** A precondition of a write: no event of the query has a position above `after`, which is 0 if left out. */
export type Unless = Query & {
    after?: number;
};

/** The elements for `appendTogether` that a decision is; with none of them nothing is written. */
export type Decided = NewEvent | (NewEvent | Check)[] | null | undefined | void;

export type StreamInfo = {
    stream: string;
    version: number;
    position: number;
};

export type TypeInfo = {
    type: string;
    count: number;
    first: number;
    last: number;
};

export type SortKey = {
    sort: string;
    title: string;
    order: Order;
};

/** What goes with a user: nothing, all that the user sent or owns, or also all that came to the user. */
export type Scope = "profile" | "own" | "all";

/** The fate of the keys and the tags of erased events. */
export type Labels = "keep" | "drop";

/** How the bytes of an erasure went: overwritten, or freed by a file system that writes elsewhere. */
export type Media = "overwritten" | "copyOnWrite";

/** Of the content of events; `labelled` of them keep a key or tags. */
export type ErasedSums = {
    events: number;
    bytes: number;
    labelled: number;
};

/**
 * The events that an erasure took; of a dry run those that would be taken, of each stream in `items`, without the
 * members from `id` to `media`.
 */
export type Erasure = {
    position: number;
    streams: number;
    id?: string;
    stream?: string;
    version?: number;
    time?: string;
    media?: Media;
    items?: ({
        stream: string;
    } & ErasedSums)[];
} & ErasedSums;

/** An erasure as a store lists it, without `done` and `media` while it is under way in that store's directory. */
export type ErasureInfo = {
    id: string;
    position: number;
    done?: number;
    target: string;
    scope?: Scope;
    labels: Labels;
    reason: string;
    by: number;
    streams: number;
    media?: Media;
    /** At a node: the other nodes, and `etcd`, that may have the content yet. */
    waiting?: string[];
} & ErasedSums;

/** An answer as it came. */
export type Answer = {
    rows: Row[];
    done: Row;
};

/** Every event of the share up to `at` is done. */
export type CursorPlace = {
    share: number;
    at: number;
};

/** The process that holds a cursor. */
export type Holder = {
    uid: number;
    pid?: number;
    since: string;
};

export type CursorSettings = {
    /** A stream, or a category (order-*); without it all events. */
    on?: string;
    tags?: string[];
    types?: string[];
    query?: Query;
    /** The position that delivery begins at, or behind the log's end. */
    from?: number | "end";
    /** How many workers do events at once, each those of some streams: 1–64. */
    shares?: number;
    /** How many events of a share may be delivered and not done. */
    window?: number;
    /** The milliseconds without a line, while something is not done, after which a share is lost. */
    lease?: number;
    /** The deliveries of an event before it is parked; 0: it never is. */
    attempts?: number;
};

export type CursorOptions = CursorSettings & {
    key?: string | false | null;
} & Cancel;

export type WorkOptions = CursorSettings & {
    /** Works on in another history, which is `diverged` otherwise. */
    confirm?: boolean;
} & Cancel;

export type CursorState = "free" | "idle" | "working" | "full" | "backoff" | "parkedLimit" | "diverged" | "elsewhere";

/** A share of a cursor: how far it is behind, and why it does not move. */
export type CursorInfo = {
    cursor: string;
    share: number;
    shares: number;
    on: string;
    at: number;
    lag: number;
    state: CursorState;
    holder?: Holder;
    outstanding?: number;
    /** The oldest event that is not done, with its attempt. */
    oldest?: {
        event: number;
        attempt: number;
    };
    /** The connections that wait for the share. */
    waiting?: number;
    parked: number;
    window: number;
    lease: number;
    attempts: number;
};

/** An event that was set aside. */
export type ParkedEvent = {
    event: number;
    share: number;
    stream: string;
    type: string;
    attempts: number;
    error?: string;
    since: string;
    retrying: boolean;
};

export type ParkedOptions = {
    after?: number;
    limit?: number;
} & Wait & Cancel;

/** The event comes again as this `attempt` after `delay` milliseconds, or it is `parked`. */
export type Failed = {
    cursor: string;
    share: number;
    event: number;
    attempt?: number;
    delay?: number;
    parked?: boolean;
    at?: number;
    position?: number;
};

export type FailOptions = {
    /** In milliseconds; without it the delay grows with each attempt. */
    delay?: number;
    /** Sets the event aside at once. */
    park?: boolean;
};

/** As those of other writes, but no key is made: the move of the cursor makes the write happen once. */
export type JobOptions = {
    key?: string | null;
    version?: number;
    unless?: Unless | Unless[];
    log?: string;
};

/** A path, as text or as a URL with `file:`. */
export type File = string | URL;

/**
 * The files, in PEM, of the certificate that is shown to stores on other machines, of its key, and of those who sign the stores' certificates;
 * else STORED_CERTIFICATE, STORED_CERTIFICATE_KEY and STORED_AUTHORITY name them. A key with a passphrase is refused
 */
export type Identity = {
    certificate?: File;
    certificateKey?: File;
    authority?: File;
};

export type Cancel = {
    signal?: AbortSignal;
};

/** The event that the store has first; now: all that was acknowledged before. */
export type Wait = {
    min?: number | "now";
};

/**
 * The key of a write: without one a random one is made, `false` sends none. The write is a `conflict` where an event of
 * `unless` came after its position. Another history than `log` is `diverged`.
 */
export type WriteOptions = {
    key?: string | false | null;
    version?: number;
    meta?: Record<string, any>;
    unless?: Unless | Unless[];
    log?: string;
} & Cancel;

export type ListOptions = {
    sort?: string;
    order?: Order;
    limit?: number;
    after?: string;
} & Wait & Cancel;

/** `at` finds what was found then, and gives the rows as they were; `rank` gives the best of the newest first, in one page. */
export type FindOptions = {
    at?: Point;
    rank?: boolean;
    limit?: number;
    after?: string;
} & Wait & Cancel;

/**
 * `from` and `to` are versions where one stream is read. An event is of one of the `types`, has all `tags`, in which
 * there is no comma, and is of the `query`. Another history than `log` is `diverged`.
 */
export type ReadOptions = {
    from?: Point;
    to?: Point;
    order?: Order;
    limit?: number;
    types?: string[];
    tags?: string[];
    query?: Query;
    log?: string;
} & Wait & Cancel;

export type StreamsOptions = {
    after?: string;
    limit?: number;
} & Wait & Cancel;

export type ErasuresOptions = {
    after?: number | string;
    limit?: number;
} & Wait & Cancel;

/**
 * With `labels` "drop" keys and tags go as well. It is a `conflict` unless `expect` events are taken. With `dry`
 * nothing is erased, and it needs no `reason`.
 */
export type EraseHow = {
    reason?: string;
    labels?: Labels;
    expect?: number;
    dry?: boolean;
    key?: string | false | null;
} & Cancel;

/** The events are those of `read`. */
export type EraseOptions = {
    from?: Point;
    to?: Point;
    types?: string[];
    tags?: string[];
    query?: Query;
    log?: string;
} & EraseHow;

export type EraseRowOptions = {
    scope?: Scope;
} & EraseHow;

/** A row as it is; null where there is none. */
export type Change = {
    type: "change";
    position: number;
    row: Row | null;
};

/** The row with this ID left the list. */
export type Removed = {
    type: "removed";
    position: number;
    id: string;
};

/** The rows come again, after a lost connection or to a reader far behind: forget those known. */
export type Restarted = {
    type: "restarted";
};

/** The items that follow are live. */
export type CaughtUp = {
    marker: "caughtUp";
    position: number;
};

/** The reader was too slow for live: so many events wait. */
export type Behind = {
    marker: "behind";
    count: number;
};

/** It goes on by itself at `resume`. */
export type Ended = {
    marker: "ended";
    reason: string;
    resume: number;
};

export type Marker = CaughtUp | Behind | Ended;
/** A part of an answer. It may be short, even empty, and still have a `next`. */
export type Page<T, N = string> = {
    items: T[];
    position: number;
    next?: N;
};
