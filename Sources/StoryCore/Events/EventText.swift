/// The text of an event: the members of its JSON, and the offsets of their values, computed from lengths alone.
///
/// The members have one order and no spaces between them:
/// `{"position":P,"stream":"S","version":V,"type":"T","time":"…","by":U[,"cursor":"C"][,"key":"K"][,"tags":[…]]`
/// `[,"meta":M],"data":D}`. The **labels** are the key and the tags with their names, the **content** is everything
/// after them; both can be erased, and what precedes them is kept for ever.
///
/// It keeps the offsets in four bytes each, since a record with them is copied several times on its way.
@usableFromInline
package struct EventText: Equatable {
    @usableFromInline let streamStart: UInt32
    @usableFromInline let typeStart: UInt32
    /// The end of the author.
    @usableFromInline let byEnd: UInt32
    @usableFromInline let labelsStart: UInt32
    @usableFromInline let contentStart: UInt32
    /// The offset of the data; 0 where the content was erased.
    @usableFromInline let dataStart: UInt32
    @usableFromInline let end: UInt32
    @usableFromInline let tagsCount: UInt16
    @usableFromInline let streamCount: UInt8
    @usableFromInline let typeCount: UInt8
    @usableFromInline let cursorCount: UInt8
    @usableFromInline let keyCount: UInt8

    /// Computes the offsets; nil if the lengths do not fit.
    @inlinable
    @inline(__always)
    package init?(_ header: EventHeader) {
        let streamStart = EventText.streamStart(header.position)
        let versionStart = streamStart + header.streamCount + 1 + Member.version.utf8CodeUnitCount
        let typeStart = versionStart + header.version.value.decimalDigitCount + Member.type.utf8CodeUnitCount + 1
        let byStart =
            typeStart + header.typeCount + 1 + Member.time.utf8CodeUnitCount + Instant.textCount
            + Member.by.utf8CodeUnitCount
        let byEnd = byStart + UInt64(header.by).decimalDigitCount
        var end = byEnd
        if header.cursorCount > 0 { end += Member.cursor.utf8CodeUnitCount + header.cursorCount + 2 }
        let labelsStart = end
        if header.keyCount > 0 { end += Member.key.utf8CodeUnitCount + header.keyCount + 2 }
        if header.tagsCount > 0 { end += Member.tags.utf8CodeUnitCount + header.tagsCount }
        let contentStart = end
        if header.metaCount > 0 { end += Member.meta.utf8CodeUnitCount + header.metaCount }
        let dataStart = end + Member.data.utf8CodeUnitCount
        guard dataStart < header.jsonCount - 1, header.jsonCount <= EventHeader.mostJSON else { return nil }
        self.streamStart = UInt32(truncatingIfNeeded: streamStart)
        self.typeStart = UInt32(truncatingIfNeeded: typeStart)
        self.byEnd = UInt32(truncatingIfNeeded: byEnd)
        self.labelsStart = UInt32(truncatingIfNeeded: labelsStart)
        self.contentStart = UInt32(truncatingIfNeeded: contentStart)
        self.dataStart = UInt32(truncatingIfNeeded: dataStart)
        self.end = UInt32(truncatingIfNeeded: header.jsonCount)
        tagsCount = UInt16(truncatingIfNeeded: header.tagsCount)
        streamCount = UInt8(truncatingIfNeeded: header.streamCount)
        typeCount = UInt8(truncatingIfNeeded: header.typeCount)
        cursorCount = UInt8(truncatingIfNeeded: header.cursorCount)
        keyCount = UInt8(truncatingIfNeeded: header.keyCount)
    }

    /// Creates the text of an event without its erased parts.
    private init(of whole: EventText, hasLabels: Bool) {
        streamStart = whole.streamStart
        typeStart = whole.typeStart
        byEnd = whole.byEnd
        labelsStart = whole.labelsStart
        contentStart = hasLabels ? whole.contentStart : whole.labelsStart
        dataStart = 0
        end = contentStart
        tagsCount = hasLabels ? whole.tagsCount : 0
        streamCount = whole.streamCount
        typeCount = whole.typeCount
        cursorCount = whole.cursorCount
        keyCount = hasLabels ? whole.keyCount : 0
    }

    /// Returns the text without its content, and without its labels where those were erased as well.
    package func erased(_ state: ErasedState) -> EventText { EventText(of: self, hasLabels: !state.hasNoLabels) }

    /// The length of the text without its erased parts, in bytes.
    @inlinable package var count: Int { Int(end) }
    /// The range of the stream's name, without the quotes.
    @inlinable package var stream: Range<Int> { EventText.range(Int(streamStart), Int(streamCount)) }
    /// The range of the type's name, without the quotes.
    @inlinable package var type: Range<Int> { EventText.range(Int(typeStart), Int(typeCount)) }
    /// The range of the labels; empty where there are none.
    @inlinable package var labels: Range<Int> { Int(labelsStart)..<Int(contentStart) }
    /// The range of the content; empty where it was erased.
    @inlinable package var content: Range<Int> { Int(contentStart)..<Int(end) }

    /// The range of the cursor's move, without the quotes; nil where there is none.
    @inlinable package var cursor: Range<Int>? {
        guard cursorCount > 0 else { return nil }
        return EventText.range(Int(byEnd) + Member.cursor.utf8CodeUnitCount + 1, Int(cursorCount))
    }

    /// The range of the key, without the quotes; nil where there is none.
    @inlinable package var key: Range<Int>? {
        guard keyCount > 0 else { return nil }
        return EventText.range(Int(labelsStart) + Member.key.utf8CodeUnitCount + 1, Int(keyCount))
    }

    /// The range of the whole array of tags; nil where there is none.
    @inlinable package var tags: Range<Int>? {
        guard tagsCount > 0 else { return nil }
        return Int(contentStart) - Int(tagsCount)..<Int(contentStart)
    }

    /// The range of the whole meta; nil where there is none.
    @inlinable package var meta: Range<Int>? {
        let start = Int(contentStart) + Member.meta.utf8CodeUnitCount
        let end = Int(dataStart) - Member.data.utf8CodeUnitCount
        return start < end ? start..<end : nil
    }

    /// The range of the whole data; nil where the content was erased.
    @inlinable package var data: Range<Int>? { dataStart > 0 ? Int(dataStart)..<Int(end) - 1 : nil }

    @inlinable
    @inline(__always)
    static func range(_ start: Int, _ count: Int) -> Range<Int> { start..<start + count }

    /// Returns the offset of the stream's name in the JSON of the event at a position.
    @inlinable
    @inline(__always)
    package static func streamStart(_ position: Position) -> Int {
        Member.position.utf8CodeUnitCount + position.value.decimalDigitCount + Member.stream.utf8CodeUnitCount + 1
    }
}

extension EventText {
    /// The text before each value, with the end of the value before it.
    @usableFromInline
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
