using System;

class Held
{
    private readonly Action task;
    public Action Done;

    Held(Action task)
    {
        this.task = task;
    }

    void Fire()
    {
        task();
        Done?.Invoke();
        Done();
    }

    static void Start() { }

    static Held SetUp()
    {
        var held = new Held(Start);
        held.Done = Start;
        held.Done += Start;
        return held;
    }
}
