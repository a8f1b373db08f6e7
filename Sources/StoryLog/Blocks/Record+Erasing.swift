import StoryStorage
package import StoryCore

/// The erasure of an event: its parts go and their commitments stay, so that the chain of seals proves the rest as before.
extension Record {
    /// Erases the content of a record in its place, and its labels where those go as well.
    ///
    /// The area of each part gets its commitment and zeros; behind that of the content stands the position of the event
    /// that erases it. Of a record whose content is gone already, the labels alone are left to go.
    ///
    /// - Parameters:
    ///   - bytes: the record.
    ///   - eraser: the position of the event that erases it.
    /// - Returns: false where nothing was left to erase.
    /// - Throws: `.corrupt` if the record is damaged; it is left as it was.
    package static func erase(
        _ bytes: UnsafeMutableRawBufferPointer, at position: Position, by eraser: Position, dropsLabels: Bool
    ) throws(StorageError) -> Bool {
        let record = UnsafeRawBufferPointer(bytes)
        let event = try read(record, at: position.value)
        guard let layout = RecordLayout(EventHeader(record, at: position)) else {
            throw damaged(position.value, "has lengths that do not fit its text")
        }
        let before = record[EventHeader.stateStart]
        let state = ErasedState.byte(erasedBefore: before, dropsLabels: dropsLabels && layout.hasLabels)
        guard state != before else { return false }
        if event.erased == nil {
            let eraser = (0..<RecordLayout.erasureSize).map { UInt8(truncatingIfNeeded: eraser.value >> UInt64(8 * $0)) }
            fill(layout.contentArea, of: bytes, behind: eraser)
        }
        if let labels = layout.labelArea, dropsLabels { fill(labels, of: bytes, behind: []) }
        bytes[EventHeader.stateStart] = state
        withUnsafeBytes(of: checksum(record, position.value).littleEndian) {
            bytes[..<MemoryLayout<UInt64>.size].copyBytes(from: $0)
        }
        return true
    }

    /// Fills the area of a part with its commitment, some bytes behind it, and zeros.
    private static func fill(_ area: RecordArea, of bytes: UnsafeMutableRawBufferPointer, behind rest: [UInt8]) {
        let commitment = area.commitment(in: UnsafeRawBufferPointer(bytes))
        let left = withUnsafeBytes(of: commitment) { Array($0) } + rest
        for (index, place) in area.pieces(0..<area.count).joined().enumerated() {
            bytes[place] = index < left.count ? left[index] : 0
        }
    }
}
