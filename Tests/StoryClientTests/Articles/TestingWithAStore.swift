import StoryClient
import Testing

/// Places an order: its own event and the one of the stock, both or neither, once for ever.
func placeOrder(_ client: StoreClient, _ number: String, of item: String) async throws {
    let placed = try NewEvent("Placed", ["item": item])
    let reserved = try NewEvent("Reserved", ["order": number])
    try await client.append(
        [StreamEvent("order-\(number)", version: 0, placed), StreamEvent("stock-\(item)", reserved)],
        key: "place-\(number)")
}

func anOrderThatIsPlacedTwiceIsThereOnce() async throws {
    let store = try await Store.temporary()
    try await placeOrder(store.client, "1001", of: "kettle")
    try await placeOrder(store.client, "1001", of: "kettle")
    let reserved = try await store.client.read(.stream("stock-kettle")).rows
    #expect(reserved.map(\.type) == ["Reserved"])
    await store.stop()
}
