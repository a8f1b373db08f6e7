package import StoryCore

/// The engine's one entrance: an input, and the time it is now.
package typealias Update = (_ input: Input, _ now: Instant) -> [Effect]

/// Wraps an update with another one that sees every input and every effect.
package typealias Middleware = (_ next: @escaping Update) -> Update

/// Measures how long each request takes to decide, to read for and to fold.
package enum Timing {
    /// - Parameters:
    ///   - clock: nanoseconds, never going backwards.
    ///   - record: hears the verb of each request, and how long it took.
    package static func middleware(
        clock: @escaping () -> UInt64, record: @escaping (_ verb: Verb, _ nanoseconds: UInt64) -> Void
    ) -> Middleware {
        { next in
            { input, now in
                guard case .requested(_, let request) = input else { return next(input, now) }
                let began = clock()
                let effects = next(input, now)
                record(request.action.verb, clock() - began)
                return effects
            }
        }
    }
}

/// Tells of what an operator wants to know: refusals of the storage, and defects.
package enum Tracing {
    /// - Parameter say: hears of each request that was answered with one of the codes of `told`.
    package static func middleware(say: @escaping (_ verb: Verb, _ failure: Failure) -> Void) -> Middleware {
        { next in
            { input, now in
                let effects = next(input, now)
                guard case .requested(_, let request) = input else { return effects }
                for case .reply(_, _, .failed(let failure)) in effects where told.contains(failure.code) {
                    say(request.action.verb, failure)
                }
                return effects
            }
        }
    }

    /// The codes that are not the client's doing.
    private static let told: Set<ErrorCode> = [.internal]
}
