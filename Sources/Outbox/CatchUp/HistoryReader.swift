import AppStore
import Domain
import Foundation
import Ingest
import Store

/// Reads Apple's notification history page by page into the ordinary intake, and keeps after each page where it is: whatever ends the
/// process, the next reading goes on with the same body and the same token, and what comes twice is a duplicate.
package struct HistoryReader: Sendable {
    let store: any Store
    let intake: Intake
    let apis: ServerAPIDirectory
    let time: any Time
    let metrics: Metrics
    /// So many items are taken in at once and share a commit: a live message that comes meanwhile waits for no more than these.
    private let itemsACommit: Int

    /// How a reading ended for now.
    package enum Outcome: Sendable {
        case ended(HistoryRead)
        /// As many pages were read as were asked for.
        case more(HistoryRead)
        /// Something is in the way; the reading is kept and can be gone on with.
        case stopped(HistoryRead, Obstacle)
    }

    package struct Obstacle: Sendable, Hashable {
        /// What is wrong and what to do.
        package var text: String
        package var isRetryable: Bool
        package var retryAfter: Timestamp?
    }

    /// - Parameter itemsACommit: At least 1; with 1 the items are taken in one after the other.
    package init(
        store: any Store, intake: Intake, apis: ServerAPIDirectory, time: any Time, metrics: Metrics, itemsACommit: Int = 4
    ) {
        precondition(itemsACommit > 0, "a page is taken in by some items at least")
        self.store = store
        self.intake = intake
        self.apis = apis
        self.time = time
        self.metrics = metrics
        self.itemsACommit = itemsACommit
    }

    /// Goes on with a reading for so many pages, or until the task is cancelled.
    ///
    /// - Parameter told: Called after each page.
    package func go(
        on read: HistoryRead, pages: Int, told: @Sendable (HistoryRead) -> Void = { _ in }
    ) async throws(StoreError) -> Outcome {
        var read = read
        for _ in 0..<pages where !Task.isCancelled {
            switch try await takePage(of: read) {
            case .read(let next):
                read = next
                told(read)
                if read.endedAt != nil { return .ended(read) }
            case .again(let next): read = next
            // A call that is broken off since the desk stops says nothing about Apple.
            case .obstacle where Task.isCancelled: return .more(read)
            case .obstacle(let obstacle):
                try await keep(obstacle, of: read)
                return .stopped(read, obstacle)
            }
        }
        return .more(read)
    }

    private enum PageOutcome {
        case read(HistoryRead)
        /// The window begins again.
        case again(HistoryRead)
        case obstacle(Obstacle)
    }

    private func takePage(of read: HistoryRead) async throws(StoreError) -> PageOutcome {
        guard let api = apis[read.ledger] else {
            return .obstacle(Obstacle(text: "the app is not configured for this environment", isRetryable: false))
        }
        let page: NotificationHistoryResponse
        do throws(AppStoreServerAPIError) {
            // The same values give the same bytes, as Apple demands of every page.
            let request = NotificationHistoryRequest(from: read.from, to: read.to, onlyFailures: read.onlyFailures)
            page = try await api.getNotificationHistory(request, paginationToken: read.paginationToken)
        } catch { return try await judge(error, read) }
        let items = page.notificationHistory ?? []
        let next = page.hasMore == true ? page.paginationToken : nil
        if page.hasMore == true, next == nil || (next == read.paginationToken && items.isEmpty) {
            return .obstacle(Obstacle(text: "Apple says that there are more pages but not where the next begins", isRetryable: true))
        }
        let taken: [HistoryItem]
        do throws(IntakeFault) { taken = try await take(items, read) } catch { return .obstacle(Obstacle(error)) }
        return .read(try await keep(read, taken, next: next))
    }

    /// A token that Apple does not take any more ends nothing: the same window is read again from its start.
    private func judge(_ error: AppStoreServerAPIError, _ read: HistoryRead) async throws(StoreError) -> PageOutcome {
        let isTokenRefused = error.code == 4_000_014 || error.code == 4_000_017
        // A window that was begun long ago may reach further back by now than Apple remembers.
        let isTooOld = error.code == 4_000_012
        var read = read
        guard (isTokenRefused && read.paginationToken != nil) || isTooOld, read.canGoOn else {
            if error.status == 400 {
                // Refused for good: the next reading begins with a window of its own.
                read.restarts = HistoryRead.restartLimit
                try await put(read)
            }
            return .obstacle(Obstacle(error))
        }
        read.paginationToken = nil
        read.restarts += 1
        read.counts = HistoryRead.Counts()
        if isTooOld {
            let apple = apis[read.ledger]?.appleNow ?? time.now()
            read.from = min(max(read.from, apple - HistoryReach(read.ledger.environment).oldest), read.to)
        }
        try await put(read)
        return .again(read)
    }

    private func put(_ read: HistoryRead) async throws(StoreError) {
        try await store.write { tx throws(StoreError) in try tx.put(read) }
    }
}

extension HistoryReader {
    /// Takes a page's items in, a few at a time.
    private func take(_ items: [NotificationHistoryResponseItem], _ read: HistoryRead) async throws(IntakeFault) -> [HistoryItem] {
        var taken: [HistoryItem] = []
        for start in stride(from: 0, to: items.count, by: itemsACommit) {
            let few = items[start..<min(start + itemsACommit, items.count)]
            let results = await withTaskGroup(of: Result<HistoryItem, IntakeFault>.self) { group in
                for item in few { group.addTask { await take(item, read) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { taken.append(try result.get()) }
        }
        return taken
    }

    /// - Returns: A failure only where the item may be taken later; one that can never be is counted and the rest go on.
    private func take(_ item: NotificationHistoryResponseItem, _ read: HistoryRead) async -> Result<HistoryItem, IntakeFault> {
        var taken = HistoryItem(failures: item.failures)
        guard let body = item.body else {
            taken.fate = .refused
            return .success(taken)
        }
        do throws(IntakeFault) {
            let message = try await receive(body, read)
            taken.fate = HistoryItem.Fate(message.receipt)
            if message.ledger == read.ledger { taken.transactionID = message.transactionID }
            return .success(taken)
        } catch {
            guard case .rejected = error else { return .failure(error) }
            taken.fate = .refused
            return .success(taken)
        }
    }

    /// A store that is busy is asked again for a while: nothing waits for a history.
    private func receive(
        _ body: [UInt8], _ read: HistoryRead
    ) async throws(IntakeFault) -> ReceivedMessage {
        for wait in [Int64(1), 2, 4] {
            do throws(IntakeFault) { return try await intake.receive(body, postedTo: read.ledger.app, source: .history) } catch {
                guard case .store(let fault) = error, fault.isRetryable, (try? await time.sleep(until: time.now() + .seconds(wait))) != nil
                else { throw error }
            }
        }
        return try await intake.receive(body, postedTo: read.ledger.app, source: .history)
    }

    /// Puts a page's end on record. What Apple could not deliver leads to a look at that customer's refunds.
    private func keep(_ read: HistoryRead, _ items: [HistoryItem], next: String?) async throws(StoreError) -> HistoryRead {
        var read = read
        read.pages += 1
        read.paginationToken = next
        for item in items { read.counts.add(item) }
        let now = time.now()
        if next == nil {
            read.endedAt = now
            if read.outageBegan != nil { read.followUp = FollowUp.refunds.text }
        }
        let (kept, apple) = (read, apis[read.ledger]?.appleNow ?? now)
        let missed = Set(items.filter { $0.fate == .new && !$0.failures.isEmpty }.compactMap(\.transactionID))
        let newest = items.flatMap(\.failures).max { $0.at < $1.at }
        try await store.write(touching: read.ledger.touching("contact")) { tx throws(StoreError) in
            try tx.put(kept)
            try tx.note(kept, newestFailure: newest, at: now, apple: apple)
            for id in missed.sorted() { try FollowUp.askRefunds(about: id, kept, tx, at: now) }
        }
        count(items.flatMap(\.failures), of: read)
        return read
    }

    /// Counts Apple's failed attempts, but for those that an earlier reading told of.
    private func count(_ failures: [LedgerContact.SendFailure], of read: HistoryRead) {
        let fresh = failures.count { $0.at > read.failuresAfter ?? Timestamp(milliseconds: .min) }
        guard fresh > 0 else { return }
        metrics.count(
            "refund_desk_apple_send_failures_total", "app=\"\(read.ledger.app)\"", "environment=\"\(read.ledger.environment.rawValue)\"",
            by: Int64(fresh))
    }

    private func keep(_ obstacle: Obstacle, of read: HistoryRead) async throws(StoreError) {
        let now = time.now()
        try await store.write(touching: read.ledger.touching("contact")) { tx throws(StoreError) in
            var contact = try tx.contact(of: read.ledger) ?? LedgerContact()
            contact.failure = LedgerContact.Failure(at: now, text: obstacle.text)
            try tx.put(contact, of: read.ledger)
        }
    }
}

extension WriteTransaction {
    /// Puts on record what a page says of the contact with Apple.
    fileprivate func note(
        _ read: HistoryRead, newestFailure: LedgerContact.SendFailure?, at now: Timestamp, apple: Timestamp
    ) throws(StoreError) {
        var contact = try contact(of: read.ledger) ?? LedgerContact()
        let before = contact
        if let newestFailure, contact.newestSendFailure.map({ $0.at < newestFailure.at }) ?? true {
            contact.newestSendFailure = newestFailure
        }
        if read.endedAt != nil {
            contact.lookedAt = now
            contact.failure = nil
            if read.completes { contact.complete(until: read.to, at: apple, offset: apple - now) }
        }
        if contact != before { try put(contact, of: read.ledger) }
    }
}

extension HistoryReader.Obstacle {
    init(_ error: AppStoreServerAPIError) {
        self.init(text: "notification history: \(error.explanation)", isRetryable: error.isRetryable, retryAfter: error.retryAfter)
    }

    init(_ fault: IntakeFault) {
        switch fault {
        case .store(let error): self.init(text: "\(error)", isRetryable: error.isRetryable)
        case .unknownApp: self.init(text: "the app is not configured", isRetryable: false)
        case .rejected, .revocationUnknown: self.init(text: "a message could not be judged", isRetryable: true)
        }
    }
}
