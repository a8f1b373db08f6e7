import StoryClient

/// The orders, by customer and by total.
let ordersModel = """
    from order
    customer: text
    total: number
    index customer
    sort total
    on Placed { customer = data.customer; total = data.total }
    on Cancelled { remove }
    """

func declareOrders(_ client: StoreClient) async throws {
    let receipt = try await client.models.define("orders", ordersModel, waiting: .seconds(30))
    print("\(receipt.rows ?? 0) orders, \(receipt.misfits ?? 0) events that do not fit")
}

/// A row of the model `orders`.
struct OrderRow: Decodable, Sendable {
    let id: String
    let customer: String
    let total: Double
}

func greatOrders(_ client: StoreClient, of customer: String) async throws -> [String] {
    let orders = client.model("orders", as: OrderRow.self)
    return try await orders.list(["customer": customer], sort: "total", since: "10").rows.map(\.id)
}

/// Shows the sum of a customer's orders, again with each change of one of them.
func followSum(_ client: StoreClient, of customer: String, _ show: @Sendable (Double) async -> Void) async throws {
    var totals: [String: Double] = [:]
    for try await change in client.model("orders", as: OrderRow.self).live(["customer": customer]) {
        switch change {
        case .restarted: totals = [:]
        case .row(let order, _): totals[order.id] = order.total
        case .removed(let id, _): totals[id] = nil
        case .caughtUp: break
        }
        await show(totals.values.reduce(0, +))
    }
}
