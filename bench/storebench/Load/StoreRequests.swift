extension StoreDialect {
    func ask(_ work: Work, _ number: Int, _ line: inout RequestText) {
        switch work {
        case .ping: line.put("PING")
        case .append, .appendKeyed, .appendTagged, .appendBare, .append1KiB, .append10KiB, .appendTen,
            .appendPair, .appendUnless, .appendHalf, .unlessBoth, .unlessTyped:
            append(work, number, &line)
        case .users: user(number, &line)
        case .post: post(number, &line)
        case .message: message(number, &line, from: Content.sender(number), to: Content.recipient(number))
        case .messageOfTwo: message(number, &line, from: number % 2, to: 1 - number % 2)
        case .domain: domain(number, &line)
        case .get: story("GET", Content.random(number, below: stored.stories), &line)
        case .getMessage:
            line.put("GET messages/m0-")
            line.put(Content.random(number, below: stored.messages))
        case .edit, .like, .toggle: revise(work, number, &line)
        case .order: order(number, &line)
        case .placed: placed(number, &line)
        case .tenLines: tenLines(number, &line)
        case .write: letter(number, &line)
        case .getLetter:
            line.put("GET letters/")
            line.put(Content.random(number, below: stored.letters))
        case .listLetters, .list20Stories: list20(work, number, &line)
        case .read, .readTag, .readCategory: read(work, number, &line)
        case .listStories, .listMessages, .countStories: list(work, number, &line)
        case .question: question(number, &line)
        case .follow: line.put("SUBSCRIBE events from=1")
        case .live: line.put("SUBSCRIBE events")
        }
        line.put("\n")
    }

    private func append(_ work: Work, _ number: Int, _ line: inout RequestText) {
        if work == .appendKeyed {
            line.put("@t")
            line.put(number % 1_000)
            line.put(" ")
        }
        line.put("APPEND bench-")
        line.put(number % Content.streams)
        line.put(" ")
        switch work {
        case .appendKeyed:
            line.put("key=k")
            line.put(run)
            line.put("-")
            line.put(number)
            line.put(" ")
            Content.identifiedEvent(number, &line)
        case .appendTagged: tagged(number, &line, ("t:", Content.tag(of: number)))
        case .appendPair: tagged(number, &line, ("p:", number), ("q:", number))
        case .appendUnless:
            hearsPositions = true
            line.put(text: #"unless={"any":[{"types":["Measured","Ended"],"tags":["u:"#)
            line.put(number)
            line.put(text: #""]},{"types":["Measured","Ended"],"tags":["v:"#)
            line.put(number)
            line.put(text: #""]}],"after":"#)
            line.put(max(heardPosition, stored.events))
            line.put("} ")
            tagged(number, &line, ("u:", number), ("v:", number))
        case .appendHalf: tagged(number, &line, ("h:", number % 2))
        case .unlessBoth:
            line.put(text: #"unless={"tags":["h:0","h:1"]} "#)
            Content.event(number, &line)
        case .unlessTyped:
            line.put(text: #"unless={"types":["Unheard"]} "#)
            Content.event(number, &line)
        case .appendBare: Content.event(number, &line)
        case .append1KiB: Content.identifiedEvent(number, &line, text: 924)
        case .append10KiB: Content.identifiedEvent(number, &line, text: 10_140)
        case .appendTen:
            for index in 0..<10 {
                line.put(index == 0 ? "[" : ",")
                Content.identifiedEvent(number * 10 + index, &line)
            }
            line.put("]")
        default: Content.identifiedEvent(number, &line)
        }
    }

    private func tagged(_ number: Int, _ line: inout RequestText, _ tags: (StaticString, Int)...) {
        Content.identifiedEvent(number, &line) { line in
            line.put("\"tags\":[")
            for (index, tag) in tags.enumerated() {
                line.put(index == 0 ? "\"" : ",\"")
                line.put(tag.0)
                line.put(tag.1)
                line.put("\"")
            }
            line.put("],")
        }
    }

    private func user(_ number: Int, _ line: inout RequestText) {
        line.put(text: "POST users {\"id\":\"u\(number)\",\"name\":\"User \(number)\",")
        line.put(text: "\"email\":\"u\(number)@example.org\",\"prefecture\":13}")
    }

    /// A verb and the story of a number.
    private func story(_ verb: StaticString, _ number: Int, _ line: inout RequestText) {
        line.put(verb)
        line.put(" stories/s")
        line.put(run)
        line.put("-")
        line.put(number)
    }

    private func post(_ number: Int, _ line: inout RequestText) {
        line.put("POST stories {\"id\":\"s")
        line.put(run)
        line.put("-")
        line.put(number)
        line.put("\",\"title\":\"Title ")
        line.put(Content.title(number))
        line.put("\",\"message\":\"")
        Content.fill(&line)
        people(from: Content.sender(number), to: Content.recipient(number), &line)
    }

    private func message(_ number: Int, _ line: inout RequestText, from sender: Int, to recipient: Int) {
        line.put("POST messages {\"id\":\"m")
        line.put(run)
        line.put("-")
        line.put(number)
        line.put("\",\"text\":\"")
        Content.fill(&line)
        people(from: sender, to: recipient, &line)
    }

    private func people(from sender: Int, to recipient: Int, _ line: inout RequestText) {
        line.put("\",\"sender\":\"u")
        line.put(sender)
        line.put("\",\"recipient\":\"u")
        line.put(recipient)
        line.put("\"}")
    }

    /// Each request changes something: a title that was never there, a user who has not liked that story yet.
    private func revise(_ work: Work, _ number: Int, _ line: inout RequestText) {
        switch work {
        case .edit:
            story("EDIT", Content.random(number, below: stored.stories), &line)
            line.put(" {\"title\":\"Edited ")
            line.put(number)
        case .toggle:
            story(number % 2 == 0 ? "LIKE" : "UNLIKE", 0, &line)
            line.put(" {\"user\":\"u1")
        default:
            story("LIKE", number % stored.stories, &line)
            line.put(" {\"user\":\"u")
            line.put(number / stored.stories % Content.users)
        }
        line.put("\"}")
    }

    private func read(_ work: Work, _ number: Int, _ line: inout RequestText) {
        if work == .read {
            let (stream, version) = Content.page(number, of: stored)
            line.put("READ events/bench-")
            line.put(stream)
            line.put(" from=")
            line.put(version)
        } else if work == .readTag {
            let (stream, version) = Content.page(number, of: stored)
            line.put("READ events tags=t:")
            line.put(Content.tag(of: (version - 1) * Content.streams + stream))
        } else {
            line.put("READ events/bench-* from=")
            line.put(1 + Content.random(number, below: stored.events - 100))
        }
        line.put(" limit=")
        line.put(work == .readCategory ? 100 : stored.page)
    }

    private func list(_ work: Work, _ number: Int, _ line: inout RequestText) {
        let sender = Content.random(number, below: Content.users)
        switch work {
        case .listMessages:
            line.put("LIST messages limit=10 between=u")
            line.put(Content.sender(sender))
            line.put(",u")
            line.put(Content.recipient(sender))
        case .countStories:
            line.put("COUNT stories sender=u")
            line.put(sender)
        default:
            line.put("LIST stories limit=10 sender=u")
            line.put(sender)
        }
    }

    /// What no index answers, or what needs a long history.
    private func question(_ number: Int, _ line: inout RequestText) {
        switch number % 5 {
        case 0: line.put("COUNT messages between=u0,u1 unseen=true")
        case 1: line.put("LIST messages unseen=false limit=1")
        case 2: line.put("COUNT messages sender=u0 recipient=u1")
        case 3:
            story("GET", 0, &line)
            line.put(" at=")
            line.put(stored.past)
        default: line.put("READ events types=Unheard")
        }
    }

    /// Of twenty, one user, ten stories, five likes of those and four messages.
    private func domain(_ number: Int, _ line: inout RequestText) {
        let block = number / 20
        switch number % 20 {
        case 0: user(Content.users + block, &line)
        case 1...10: post(block * 10 + number % 20 - 1, &line)
        case 11...15:
            story("LIKE", block * 10 + number % 20 - 11, &line)
            line.put(text: " {\"user\":\"u\(block % 1_000)\"}")
        default:
            line.put("POST messages {\"text\":\"")
            Content.fill(&line)
            people(from: Content.sender(number), to: Content.recipient(number), &line)
        }
    }
}
