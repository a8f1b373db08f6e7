import StoryCore

/// The encoder of failures as JSON: code, message, retry, and the code's details.
enum FailureEncoder {
    static func append(_ failure: Failure, to bytes: inout ByteWriter) {
        bytes.literal(#"{"code":"#)
        bytes.string(failure.code.rawValue)
        bytes.literal(#","message":"#)
        bytes.string(failure.message)
        bytes.literal(#","retry":"#)
        bytes.string(failure.retry.rawValue)
        append(failure.detail, to: &bytes)
        bytes.byte(0x7D)
    }

    private static func append(_ detail: FailureDetail, to bytes: inout ByteWriter) {
        switch detail {
        case .none: return
        case .column(let column): appendInteger(#","column":"#, UInt64(clamping: column), to: &bytes)
        case .name(let name, let nearest):
            appendText(#","name":"#, name, to: &bytes)
            if let nearest { appendText(#","nearest":"#, nearest, to: &bytes) }
        case .fields(let fields): append(fields, to: &bytes)
        case .field(let field): appendText(#","field":"#, field, to: &bytes)
        case .versions(let expected, let actual, let stream):
            if let stream { appendText(#","stream":"#, stream.description, to: &bytes) }
            appendInteger(#","expected":"#, expected.value, to: &bytes)
            appendInteger(#","actual":"#, actual.value, to: &bytes)
        case .counts(let expected, let actual):
            appendInteger(#","expected":"#, expected, to: &bytes)
            appendInteger(#","actual":"#, actual, to: &bytes)
        case .holder(let holder, let since):
            appendInteger(#","holder":{"uid":"#, UInt64(holder.uid), to: &bytes)
            if let pid = holder.pid { appendInteger(#","pid":"#, UInt64(pid), to: &bytes) }
            appendText(#","since":"#, since.text, to: &bytes)
            bytes.byte(0x7D)
        case .place(let place):
            appendText(#","cursor":"#, place.cursor.description, to: &bytes)
            appendInteger(#","at":"#, place.at.value, to: &bytes)
            if let log = place.log { appendText(#","log":"#, log.description, to: &bytes) }
        case .erased(let position): appendInteger(#","erased":"#, position.value, to: &bytes)
        case .match(let condition, let after, let match):
            appendInteger(#","unless":"#, UInt64(clamping: condition), to: &bytes)
            appendInteger(#","after":"#, after.value, to: &bytes)
            appendInteger(#","position":"#, match.position.value, to: &bytes)
            appendText(#","stream":"#, match.stream.description, to: &bytes)
            appendText(#","type":"#, match.type.description, to: &bytes)
        case .position(let position): appendInteger(#","position":"#, position.value, to: &bytes)
        case .log(let log, let position):
            appendText(#","log":"#, log.description, to: &bytes)
            if let position { appendInteger(#","position":"#, position.value, to: &bytes) }
        case .progress(let position, let end):
            appendInteger(#","progress":{"position":"#, position.value, to: &bytes)
            appendInteger(#","of":"#, end.value, to: &bytes)
            bytes.byte(0x7D)
        case .behind(let count): appendInteger(#","behind":"#, count, to: &bytes)
        case .address(let address): appendText(#","address":"#, address, to: &bytes)
        case .outcome(let outcome): appendText(#","outcome":"#, outcome.rawValue, to: &bytes)
        case .damaged(let position):
            bytes.literal(#","damaged":true"#)
            if let position { appendInteger(#","position":"#, position.value, to: &bytes) }
        case .limit(let limit): appendInteger(#","limit":"#, UInt64(clamping: limit), to: &bytes)
        }
    }

    private static func append(_ fields: [FieldError], to bytes: inout ByteWriter) {
        bytes.literal(#","fields":["#)
        for (index, error) in fields.enumerated() {
            bytes.literal(index > 0 ? #",{"field":"# : #"{"field":"#)
            bytes.string(error.field)
            appendText(#","rule":"#, error.rule.rawValue, to: &bytes)
            appendText(#","message":"#, error.message, to: &bytes)
            bytes.byte(0x7D)
        }
        bytes.byte(0x5D)
    }

    private static func appendInteger(_ name: StaticString, _ number: UInt64, to bytes: inout ByteWriter) {
        bytes.literal(name)
        bytes.integer(number)
    }

    private static func appendText(_ name: StaticString, _ text: String, to bytes: inout ByteWriter) {
        bytes.literal(name)
        bytes.string(text)
    }
}
