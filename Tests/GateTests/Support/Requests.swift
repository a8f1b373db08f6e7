import Foundation
import TestSupport

/// The load that the gates measure with; that of bench/storebench: events of about 200 bytes, 1,000 streams or users.
enum Requests {
    private static let filler = String(repeating: "x", count: 150)

    static func append(_ number: Int, streams: Int = 1_000) -> String {
        #"APPEND bench-\#(number % streams) {"type":"Measured","data":{"n":\#(number),"text":"\#(filler)"}}"#
    }

    static func user(_ number: Int) -> String {
        #"POST users {"id":"u\#(number)","name":"User \#(number)","email":"u\#(number)@example.org","prefecture":13}"#
    }

    /// Titles in no order, so that their index is written all over.
    static func story(_ number: Int) -> String {
        let title = number &* 2_654_435_761 % 1_000_003
        return #"POST stories {"id":"s\#(number)","title":"Title \#(title)","message":"\#(filler)","#
            + #""sender":"u\#(number % 1_000)","recipient":"u\#(number &* 7 % 1_000)"}"#
    }

    /// The life of an order, of four events; each is of an order that was placed 100 requests or more before.
    static func order(_ number: Int) -> String {
        let order = number / 4
        return switch number % 4 {
        case 0:
            #"APPEND order-\#(order) {"type":"Placed","data":{"customer":"c\#(order % 1_000)","total":\#(order % 990).25}}"#
        case 3: #"APPEND order-\#(max(0, order - 1_500)) {"type":"Shipped","data":{"carrier":"post"}}"#
        case let item:
            #"APPEND order-\#(max(0, order - 500 * item)) {"type":"ItemAdded","data":{"price":\#(number % 97).5}}"#
        }
    }

    static func get(_ number: Int, of stories: Int) -> String { "GET stories/s\(number &* 48_271 % stories)" }
}

extension CountedDaemon {
    /// Makes the users that stories are from, and stories; of every 10,000 a checkpoint, before one would be due, so
    /// that the models lie the same way in every run.
    func prepare(stories: Int) throws {
        try drive((0..<1_000).lazy.map(Requests.user), inFlight: 100)
        for first in stride(from: 0, to: stories, by: 10_000) {
            if first > 0 { try checkpoint() }
            try drive((first..<min(first + 10_000, stories)).lazy.map(Requests.story), inFlight: 100)
        }
    }

    /// Declares the model of orders of the benchmarks, and waits until it answers.
    func define(_ name: String, reading category: String) throws {
        let text = Files.text(Threshold.bench("models/orders.model")).replacing("from order", with: "from \(category)")
        let body = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        try drive(["DEFINE \(name) \(body)"], inFlight: 1)
        try until("\(name) is built") { try client.ask("COUNT \(name)").hasPrefix("+") }
    }

    /// Writes the models down, so that a look-up finds nothing in memory however long ago it was folded.
    func checkpoint() throws { try drive(["CHECKPOINT"], inFlight: 1) }
}
