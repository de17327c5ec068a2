import Foundation

/// Keeps the entries that were used last.
@objc public final class Cache<Key: Hashable, Value>: Store {
    private var entries: [Key: Value] = [:]

    init?(capacity: Int) {
        guard capacity > 0 else { return nil }
        entries.reserveCapacity(capacity)
    }

    deinit {
        entries.removeAll()
        print("gone")
    }

    var isFull: Bool {
        let count = entries.count
        return count >= 64
    }

    subscript(key: Key) -> Value? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    @discardableResult
    func get(_ key: Key) -> Value? {
        let value = entries[key]
        return value
    }

    static func == (left: Cache, right: Cache) -> Bool {
        let same = left === right
        return same
    }
}

extension Cache: CustomStringConvertible {
    public var description: String {
        let count = entries.count
        return "Cache of \(count)"
    }
}

protocol Store {
    func load(_ key: String) -> Data?
    func forget()
}

enum Policy { case lru, fifo }

typealias Key = String
