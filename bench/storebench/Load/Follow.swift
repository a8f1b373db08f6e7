import Glibc

/// One subscriber that takes every event from the first one on.
enum Follow {
    /// Storykeep: one subscription. The seconds until so many events came.
    static func store(_ path: String, events: Int) -> Double {
        let began = Clock.now()
        _ = followed(path, events)
        return Clock.seconds(since: began)
    }

    /// The bytes of so many events as they are sent, without what tells whose subscription they are of.
    static func bytes(_ path: String, events: Int) -> Int { followed(path, events).bytes - 3 * events }

    private static func followed(_ path: String, _ events: Int) -> Link {
        let link = Link(path, StoreDialect())
        let links = Links([link])
        link.add(0) { link.dialect.ask(.follow, 0, &$0) }
        links.settle(0)
        while link.events < events { links.turn { _, link in _ = link.receive(0) { _ in } } }
        return link
    }

    /// Redis: pages of 1,000 from the log's stream, each asked for when the one before it is read.
    static func redis(_ path: String, events: Int) -> Double {
        let dialect = RedisDialect()
        let link = Link(path, dialect)
        let links = Links([link])
        let began = Clock.now()
        while link.events < events {
            link.add(0) { dialect.page(&$0) }
            links.settle(0)
            while link.outstanding > 0 { links.turn { _, link in _ = link.receive(0) { _ in } } }
        }
        return Clock.seconds(since: began)
    }
}
