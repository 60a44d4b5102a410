extension PageRequest {
    /// One row more than the page holds tells whether another page follows.
    package var rowsToRead: Int { max(limit, 1) + 1 }

    /// The cursor of a list that is ordered by a number; nil on the first page.
    package var number: Int64? {
        get throws(StoreError) {
            guard let cursor else { return nil }
            guard let number = Int64(cursor) else { throw foreignCursor }
            return number
        }
    }

    package var foreignCursor: StoreError {
        StoreError(code: .cursor, operation: "page", detail: "the cursor is none of this list's: begin again without one")
    }
}

extension Page {
    /// - Parameter rows: In order, up to ``PageRequest/rowsToRead`` or more of them.
    package init(_ rows: [Item], _ request: PageRequest, cursor: (Item) -> String) {
        let items = Array(rows.prefix(max(request.limit, 1)))
        self.init(items: items, nextCursor: rows.count > items.count ? items.last.map(cursor) : nil)
    }
}
