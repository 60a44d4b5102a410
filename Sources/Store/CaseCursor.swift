import Domain

/// A place in the list of cases, newest first.
package struct CaseCursor {
    package var openedAt: Timestamp
    package var id: TransactionID

    package init(_ row: CaseRow) {
        openedAt = row.openedAt
        id = row.transactionID
    }

    /// Where a page begins; before everything on the first.
    package init(_ page: PageRequest) throws(StoreError) {
        guard let cursor = page.cursor else {
            openedAt = Timestamp(milliseconds: .max)
            id = TransactionID("")
            return
        }
        let parts = cursor.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[0]) else { throw page.foreignCursor }
        openedAt = Timestamp(milliseconds: milliseconds)
        id = TransactionID(String(parts[1]))
    }

    package var text: String { "\(openedAt.milliseconds).\(id)" }
}
