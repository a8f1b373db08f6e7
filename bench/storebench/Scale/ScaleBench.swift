import Foundation

/// What changes with events, connections, subscriptions and an event's size: `storebench scale`.
enum ScaleBench {
    static func run(_ size: Size, writingTo path: String?) throws(BenchError) {
        let file = try LineFile(writingTo: path)
        file.add(Machine.here(size.form))
        OpenFiles.allow(8_192)
        var grown: [Grown] = []
        try Growth(size) {
            grown.append($0); file.add($0)
        }.run()
        var loaded: [Loaded] = []
        let note: (Loaded) -> Void = {
            Progress.say("\($0.crowd), \($0.shape): \(Verdict.text($0.perSecond)) \($0.unit)")
            loaded.append($0)
            file.add($0)
        }
        try Crowd.connections(size, note)
        try Deliveries.run(size, note)
        try EventSizes.run(size, note)
        print(ScaleTable.text(grown))
        print(ScaleTable.text(loaded), terminator: "")
    }
}
