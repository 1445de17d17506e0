package com.example.pool

import scala.collection.mutable
import com.x.{A, B => C, _}
import com.y._

/** A pool. */
@deprecated("x")
class Pool[T <: Conn](private val size: Int, name: String = "x") extends Base[T](size) with Closeable {
  private val items: List[T] = Nil
  var count = 0
  lazy val q: Queue = new Queue(3)
  def this(a: String) = this(1)
  override def acquire(timeout: Long)(implicit ec: Exec): Option[T] = {
    for (item <- items; y = item.x) { item.ping() }
    val c = Factory.create(this)
    val (a, b) = pair()
    items.map(_.id).filter(x => x.ok).foreach(use)
    c match { case d: Conn => d.go(); case Some(z) => z.run() }
    try f() catch { case e: IOException => log(e.getMessage) }
    def local(k: Int) = k
    c
  }
  def touch(): Unit
  type Elem = T
  class Node(val next: Node)
}
object Pool { def make(): Pool[Conn] = new Pool(3); val K = 1; def apply(x: Int) = make() }
trait Thing extends Other { val n: Int; def f(x: Int): String }
case class Point(x: Int, y: Int) extends Shape
case object Single extends Base { super.run(); this.x = 3 }
enum Mode { case Fast, Slow; case Other(x: Int) }
given ord: Ordering[Int] = new Ordering[Int] { def compare(a: Int) = a }
extension (s: String) def len: Int = s.length
package inner { class X }
