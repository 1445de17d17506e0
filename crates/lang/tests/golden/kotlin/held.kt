class Held(private val task: () -> Unit) {
    var done: (() -> Unit)? = null

    fun fire() {
        task()
        done?.invoke()
    }
}

fun start() {}

fun setUp() {
    val held = Held(::start)
    held.done = ::start
}
