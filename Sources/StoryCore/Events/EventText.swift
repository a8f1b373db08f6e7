/// The text of an event: the members of its JSON, and the offsets of their values, computed from lengths alone.
///
/// The members have one order and no spaces between them:
/// `{"position":P,"stream":"S","version":V,"type":"T","time":"…","by":U[,"cursor":"C"][,"key":"K"][,"tags":[…]]`
/// `[,"meta":M],"data":D}`. The **labels** are the key and the tags with their names, the **content** is everything
/// after them; both can be erased, and what precedes them is kept for ever.
package struct EventText: Equatable {
    /// The range of the stream's name, without the quotes.
    package let stream: Range<Int>
    /// The range of the type's name, without the quotes.
    package let type: Range<Int>
    /// The range of the cursor's move, without the quotes; nil where there is none.
    package let cursor: Range<Int>?
    /// The range of the labels; empty where there are none.
    package let labels: Range<Int>
    /// The range of the key, without the quotes; nil where there is none.
    package let key: Range<Int>?
    /// The range of the whole array of tags; nil where there is none.
    package let tags: Range<Int>?
    /// The range of the whole meta; nil where there is none.
    package let meta: Range<Int>?
    /// The range of the whole data; nil where the content was erased.
    package let data: Range<Int>?
    /// The range of the content.
    package let content: Range<Int>

    /// Computes the offsets; nil if the lengths do not fit.
    @inlinable
    @inline(__always)
    package init?(_ header: EventHeader) {
        let streamStart = EventText.streamStart(header.position)
        stream = streamStart..<streamStart + header.streamCount
        let versionStart = stream.upperBound + 1 + Member.version.utf8CodeUnitCount
        let typeStart = versionStart + EventText.digits(header.version.value) + Member.type.utf8CodeUnitCount + 1
        type = typeStart..<typeStart + header.typeCount
        let byStart =
            type.upperBound + 1 + Member.time.utf8CodeUnitCount + Instant.textCount
            + Member.by.utf8CodeUnitCount
        var end = byStart + EventText.digits(UInt64(header.by))
        cursor = EventText.name(header.cursorCount, Member.cursor, &end)
        let labelsStart = end
        key = EventText.name(header.keyCount, Member.key, &end)
        tags = EventText.value(header.tagsCount, Member.tags, &end)
        labels = labelsStart..<end
        let contentStart = end
        meta = EventText.value(header.metaCount, Member.meta, &end)
        let dataStart = end + Member.data.utf8CodeUnitCount
        guard dataStart < header.jsonCount - 1 else { return nil }
        data = dataStart..<header.jsonCount - 1
        content = contentStart..<header.jsonCount
    }

    /// Creates the text of an event without its erased parts.
    private init(of whole: EventText, hasLabels: Bool) {
        stream = whole.stream
        type = whole.type
        cursor = whole.cursor
        labels = hasLabels ? whole.labels : whole.labels.lowerBound..<whole.labels.lowerBound
        key = hasLabels ? whole.key : nil
        tags = hasLabels ? whole.tags : nil
        meta = nil
        data = nil
        content = labels.upperBound..<labels.upperBound
    }

    /// Returns the text without its content, and without its labels where those were erased as well.
    package func erased(_ state: ErasedState) -> EventText { EventText(of: self, hasLabels: !state.hasNoLabels) }

    /// The length of the text without its erased parts, in bytes.
    @inlinable package var count: Int { content.upperBound }

    /// Returns the offset of the stream's name in the JSON of the event at a position.
    @inlinable
    @inline(__always)
    package static func streamStart(_ position: Position) -> Int {
        Member.position.utf8CodeUnitCount + digits(position.value) + Member.stream.utf8CodeUnitCount + 1
    }

    /// Returns the range of a value in quotes after its member's name, and advances past it; nil where it is empty.
    @inlinable
    @inline(__always)
    static func name(_ count: Int, _ member: StaticString, _ end: inout Int) -> Range<Int>? {
        guard count > 0 else { return nil }
        let start = end + member.utf8CodeUnitCount + 1
        end = start + count + 1
        return start..<start + count
    }

    /// Returns the range of a value after its member's name, and advances past it; nil where it is empty.
    @inlinable
    @inline(__always)
    static func value(_ count: Int, _ member: StaticString, _ end: inout Int) -> Range<Int>? {
        guard count > 0 else { return nil }
        let start = end + member.utf8CodeUnitCount
        end = start + count
        return start..<end
    }

    /// Returns the number of decimal digits of a number.
    @inlinable
    @inline(__always)
    package static func digits(_ number: UInt64) -> Int {
        // One digit is checked first, since it is the commonest: versions, positions of young logs, uids.
        if number < 10 { return 1 }
        var count = 2
        var bound: UInt64 = 100
        while number >= bound {
            count += 1
            let (next, isPast) = bound.multipliedReportingOverflow(by: 10)
            if isPast { break }
            bound = next
        }
        return count
    }
}

extension EventText {
    /// The text before each value, with the end of the value before it.
    package enum Member {
        @inlinable package static var position: StaticString { #"{"position":"# }
        @inlinable package static var stream: StaticString { #","stream":"# }
        @inlinable package static var version: StaticString { #","version":"# }
        @inlinable package static var type: StaticString { #","type":"# }
        /// The time is in quotes of its own.
        @inlinable package static var time: StaticString { #","time":""# }
        @inlinable package static var by: StaticString { #"","by":"# }
        @inlinable package static var cursor: StaticString { #","cursor":"# }
        @inlinable package static var key: StaticString { #","key":"# }
        @inlinable package static var tags: StaticString { #","tags":"# }
        @inlinable package static var meta: StaticString { #","meta":"# }
        @inlinable package static var data: StaticString { #","data":"# }
        /// The position of the event that erased the content, in place of meta and data.
        @inlinable package static var erased: StaticString { #","erased":"# }
    }
}
