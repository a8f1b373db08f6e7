// Declared models.
extension StoreClient {
    /// The definitions of declared models.
    public var models: ModelDefinitions { ModelDefinitions(client: self) }

    /// Returns the rows of a declared model, decoded as a type.
    public func model<Row: Decodable & Sendable>(_ name: String, as row: Row.Type) -> ModelCollection<Row> {
        ModelCollection(client: self, name: name)
    }
}
