class Held {
    let task: () -> Void
    var done: (() -> Void)?

    init(task: @escaping () -> Void) {
        self.task = task
    }

    func fire() {
        task()
        done?()
    }
}

func start() {}

func setUp() -> Held {
    let held = Held(task: start)
    held.done = start
    return held
}

func visit(check: (String) -> Bool) {
    _ = check("a")
}

func setAll() {
    visit(check: start)
}
