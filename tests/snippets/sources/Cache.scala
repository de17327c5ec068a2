package store

import scala.collection.mutable

/** Keeps the entries that were used last. */
class Cache[K, V](capacity: Int) extends Store {
  private val entries = mutable.Map.empty[K, V]

  def this() = {
    this(64)
    entries.clear()
  }

  def get(key: K): Option[V] =
    entries
      .get(key)

  // Newer entries win.
  def ++(other: Cache[K, V]): Cache[K, V] = {
    entries ++= other.entries
    this
  }
}

object Cache {
  implicit def ordering[K]: Ordering[K] =
    new Ordering[K] {
      def compare(x: K, y: K): Int = 0
      def equiv(x: K, y: K): Boolean = true
    }
}

trait Store:
  def load(key: String): Array[Byte]

  def forget(): Unit =
    load("")
    println("forgotten")

  // What is left.
  def rest: Int =
    val all = 1
    all

given policy: Policy with
  def rank(key: String): Int =
    val rank = key.length
    rank
