package held

type step struct {
	name string
	run  func()
}

type Runner struct {
	tick  func()
	steps []step
}

func start() {}

func newRunner(tick func()) *Runner {
	r := &Runner{tick: tick, steps: []step{{"a", start}}}
	r.tick = start
	r.steps = append(r.steps, step{run: start})
	return r
}
