import Glibc

/// One subscriber that takes every event from the first one on.
enum Follow {
    /// Storykeep: one subscription. The seconds until so many events came.
    static func store(_ path: String, events: Int) -> Double {
        let link = Link(path, StoreDialect())
        let links = Links([link])
        let began = Clock.now()
        link.add(began) { link.dialect.ask(.follow, 0, &$0) }
        links.settle(0)
        while link.events < events { links.turn { _, link in _ = link.receive(0) { _ in } } }
        return Clock.seconds(since: began)
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
