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

/// A place in the list of cases whose window is open, the nearest deadline first.
package struct DeadlineCursor {
    package var deadline: Timestamp
    package var id: TransactionID

    package init(_ row: CaseRow) {
        deadline = row.deadline ?? Timestamp(milliseconds: .max)
        id = row.transactionID
    }

    /// Where a page begins. What was due before now is past, also where a page before showed it.
    package init(_ page: PageRequest, after now: Timestamp) throws(StoreError) {
        let open = now + .milliseconds(1)
        let place = page.cursor == nil ? nil : try CaseCursor(page)
        if let place, place.openedAt >= open {
            (deadline, id) = (place.openedAt, place.id)
        } else {
            (deadline, id) = (open, TransactionID(""))
        }
    }

    package var text: String { "\(deadline.milliseconds).\(id)" }
}
