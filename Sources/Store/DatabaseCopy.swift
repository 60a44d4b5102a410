/// Where all rows of a database can be put, whatever the engine: an empty database with the same schema.
package protocol DatabaseSink {
    /// - Parameter columns: In the order in which rows bring their values.
    func put(_ rows: [[StoredValue]], into table: String, columns: [String]) throws(StoreError)
}

/// A database that can be copied whole.
package enum DatabaseCopy {
    /// Tables that others refer to come first; the rest in the order of their names. What the engine keeps of itself is left out.
    package static func order(_ tables: [String]) -> [String] {
        let first = ["ledgers", "jws_headers", "log", "customers", "aliases", "outbox"].filter(tables.contains)
        return first + tables.filter { !first.contains($0) && $0 != "migrations" }.sorted()
    }
}
