/// What is asked for, request by request.
enum Work: String, CaseIterable {
    case ping, users, post, get
    /// An event of about 200 bytes with a `meta`: the load of the specification.
    case append
    /// The same with a `key=` and a tag; with a tag that 100 events have; without a `meta`; with 1 KiB or 10 KiB of text;
    /// ten of them in an array.
    case appendKeyed, appendTagged, appendBare, append1KiB, append10KiB, appendTen
    /// The same with two tags that no other event has; unless an event of either has come after the last answer; with one
    /// of two tags in turn.
    case appendPair, appendUnless, appendHalf
    /// Events that are refused where one has come that has both of those two tags, or is of a type that none has.
    case unlessBoth, unlessTyped
    /// 100 events of a random stream from a random version on; of a random tag; of all the streams from a random position on.
    case read, readTag, readCategory
    /// Messages between many users, or all between two of them.
    case message, messageOfTwo
    /// A message, at random.
    case getMessage
    case edit, like, listStories, listMessages, countStories
    /// The first story is liked and unliked in turn.
    case toggle
    /// Questions without an index and of a long history, one kind after the other.
    case question
    /// A fixed set of domain events: half stories, a quarter likes, a fifth messages, the rest users (made first).
    case domain
    /// Events of orders, as `ModelRequests.swift` has them: of an order's life, placed alone, with ten lines.
    case order, placed, tenLines
    /// A letter, which has the content of a story; one of them at random, and 20 of a sender, and the same of stories.
    case write, getLetter, listLetters, list20Stories
    /// Every event from the first one, and those that come later: one request, then pushes or pages.
    case follow
    /// The same from now on.
    case live
}
