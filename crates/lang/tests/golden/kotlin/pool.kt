package com.example.pool

import java.util.List
import com.x.Util as U
import com.y.*

const val MAX = 10
val top: Pool = Pool(1)
typealias Handler = (Int) -> Unit

/** A pool. */
@Component
open class Pool<T : Conn>(private val size: Int, name: String = "x") : Base<T>(size), Closeable {
    private val items: MutableList<T> = mutableListOf()
    var count = 0
        private set
    lateinit var next: Node
    init { start(size) }
    constructor(a: String) : this(1) { log(a) }
    override suspend fun acquire(timeout: Long, vararg xs: Int): T? {
        for (item in items) { item.ping() }
        val c = Factory.create(this)
        val (a, b) = pair()
        items.map { it.id }.filter { x -> x.ok() }.forEach(::use)
        if (c is Conn) { c.go() }
        val o = c as Thing
        c?.maybe()
        when (val z = get()) {
            is Foo -> z.bar()
            else -> {}
        }
        try { f() } catch (e: IOException) { log(e.message) }
        fun local(k: Int) = k
        return c
    }
    abstract fun touch()
    inner class Node(val next: Node?)
    companion object { fun make(): Pool<Conn> = Pool(3); const val K = 1 }
    enum class Mode(val v: Int) {
        FAST(1),
        SLOW(2);

        fun go() {}
    }
}

interface Thing : Other {
    val n: Int
    fun f(x: Int): String
}
object Single : Base() {
    fun run() {
        super.run()
        this.x = 3
    }
}
data class Point(val x: Int, val y: Int)
sealed class Res {
    object Ok : Res()
}
class T1 {
    @Test
    fun works() {
        assertEquals(1, Pool<Conn>(3).acquire(2))
    }
}
val lazyv by lazy { compute() }
