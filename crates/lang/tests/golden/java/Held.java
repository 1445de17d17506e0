class Held {
    private Runnable task = this::start;
    private java.util.List<Runnable> tasks;

    Held(Runnable task) {
        this.task = task;
        tasks.add(this::start);
    }

    void start() {
        Runnable again = this::start;
        again.run();
    }
}
