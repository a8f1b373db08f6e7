package import StoryCore
import StoryFold
package import StoryStore
import StoryWire

/// A little of everything: users, stories, likes, messages, photos and events of the users' own.
package enum Everything {
    /// So many events, the same for the same seed.
    package static func events(_ count: Int, seed: UInt64 = 1) -> [Event] {
        var random = SplitMix64(seed: seed)
        var maker = EventMaker()
        var events = ["u1", "u2", "u3"].map { maker.event("user-\($0)", .signedUp(email: "\($0)@example.org")) }
        var stories: [String] = []
        while events.count < count {
            let number = events.count
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                stories.append("story-s\(number)")
                events.append(maker.event("story-s\(number)", .posted(title: "Title \(number)"), key: "k\(number)"))
            case 4 where !stories.isEmpty:
                events.append(maker.event(stories[number % stories.count], .liked(by: "u\(number % 3 + 1)")))
            case 5 where !stories.isEmpty:
                events.append(maker.event(stories.removeLast(), .story(.deleted)))
            case 6: events.append(maker.event("message-m\(number)", .sent()))
            case 7: events.append(maker.event("photo-p\(number)", .added(focalLength: random.oneIn(2) ? nil : 35)))
            default:
                let tags = EventTags.text(["n:\(number % 7)", "all", "all"])
                events.append(maker.event("note-\(number % 5)", .noted(), tags: number % 3 == 0 ? nil : tags))
            }
        }
        return events
    }

    /// The same events, folded in memory.
    package static func folded(_ events: [Event]) -> MemoryModelStore {
        let store = MemoryModelStore()
        let projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        for event in events {
            event.withRecord { record in
                do throws(StorageError) { try projector.fold(record) } catch { preconditionFailure("\(error)") }
            }
        }
        return store
    }
}
