class Held(val task: () => Unit) {
  var done: () => Unit = null

  def fire(): Unit = {
    task()
    done()
  }
}

object Texts {
  implicit class More(val value: Int) {
    def twiceOf: Int = value * 2
  }

  def start(): Unit = ()

  def setUp(): Held = {
    val held = new Held(start)
    held.done = start
    3.twiceOf
    held
  }
}
