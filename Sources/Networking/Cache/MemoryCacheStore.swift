internal import AshlarCore

/// Stores records in memory; the least recently used are removed first.
final class MemoryCacheStore: CacheStore {
    private struct Stored {
        var record: CacheRecord
        let cost: Int
        var lastUse: UInt64
    }

    private struct State {
        var records: [CacheKey: Stored] = [:]
        var cost = 0
        var uses: UInt64 = 0

        mutating func remove(_ key: CacheKey) {
            if let old = records.removeValue(forKey: key) { cost -= old.cost }
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(0, limit) }

    var recordLimit: Int { limit / 4 }

    func record(_ key: CacheKey) -> CacheRecord? {
        state.withLock { state in
            state.uses += 1
            state.records[key]?.lastUse = state.uses
            return state.records[key]?.record
        }
    }

    func set(_ key: CacheKey, _ record: CacheRecord) {
        let cost = record.cost + key.text.utf8.count
        state.withLock { state in
            state.remove(key)
            guard !record.variants.isEmpty, cost <= recordLimit else { return }
            state.uses += 1
            state.records[key] = Stored(record: record, cost: cost, lastUse: state.uses)
            state.cost += cost
            if state.cost > limit { evict(&state) }
        }
    }

    func remove(_ url: HTTPURL) {
        state.withLock { state in
            if !state.records.isEmpty { state.remove(CacheKey(url)) }
        }
    }

    func removeAll() { state.withLock { $0 = State() } }

    /// Removes a tenth more than necessary, so that not every new record causes a sort.
    private func evict(_ state: inout State) {
        for (key, _) in state.records.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.cost > limit / 10 * 9 else { return }
            state.remove(key)
        }
    }
}
