package store

import kotlin.math.max

/** Keeps the entries that were used last. */
class Cache<K, V>(private val capacity: Int) : Store {
    private val entries = HashMap<K, V>()

    constructor() : this(64) {
        entries.clear()
        println("default")
    }

    val isFull: Boolean
        get() {
            return entries.size >= capacity
        }

    @Throws(IOException::class)
    override fun get(key: K): V? {
        val value = entries[key]
        return value
    }

    fun watcher() = object : Watcher {
        override fun changed(key: String) {
            entries.clear()
            notifyAll()
        }
    }

    companion object {
        fun <K> of(key: K): Cache<K, K> {
            val cache = Cache<K, K>(1)
            return cache
        }
    }
}

fun String.cached(seconds: Int): String {
    val key = "$this:$seconds"
    return key
}

enum class Policy {
    LRU {
        override fun rank(): Int {
            val rank = 1
            return rank
        }
    };

    abstract fun rank(): Int
}

typealias Key = String
