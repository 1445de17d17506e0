package com.example.pool;

import java.util.List;
import java.util.concurrent.*;
import static org.junit.Assert.assertEquals;
import static com.x.Util.*;

/** A pool. */
@Component("pool")
public class Pool<T extends Conn & Closeable> extends Base<T> implements Closeable, Iterable<T> {
    private static final int MAX = 10, MIN = 2;
    protected List<T> items = new ArrayList<>();
    T[] arr;

    static { init(); }

    /** Makes one. */
    public Pool(int size, final String... names) {
        super(size);
        this.items = new ArrayList<T>(size);
    }

    @Override
    public T acquire(long timeout) throws PoolException {
        for (T item : items) { item.ping(); }
        var c = Factory.create(this);
        int n = 0, m = compute();
        try (Conn r = open()) { r.close(); } catch (IOException | RuntimeException e) { log(e); }
        Runnable f = () -> release(c);
        items.stream().map(Conn::id).filter(x -> x.ok()).forEach(this::use);
        if (c instanceof Conn q) { q.go(); }
        Object o = (Conn) c;
        return c;
    }

    abstract void touch();

    static class Node { Node next; }
    interface Listener { void on(Event e); default int k() { return 1; } }
    enum Mode { FAST(1) { void go() {} }, SLOW; private final int v; Mode(int v) { this.v = v; } }
    record Point(int x, int y) implements Shape { Point { check(); } double len() { return x; } }
    @interface Tag { String value() default "x"; }

    Listener l = new Listener() { public void on(Event e) { handle(e); } };

    @Test
    void works() { assertEquals(1, new Pool<>(3).acquire(2).id); Pool.<String>make(); super.touch(); java.util.List.of(1); }
}
