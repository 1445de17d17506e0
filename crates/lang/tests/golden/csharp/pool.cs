using System;
using System.Collections.Generic;
using static System.Math;
using Alias = System.Text.StringBuilder;

namespace Acme.Pools
{
    /// <summary>A pool.</summary>
    [Serializable]
    public sealed class Pool<T> : Base<T>, IDisposable where T : Conn, new()
    {
        private const int Max = 10;
        private readonly List<T> _items = new List<T>(), other;
        public int Size { get; private set; } = 3;
        public string Name => _name.Trim();
        public event EventHandler Changed;
        public Pool(int size, params string[] names) : base(size) { this._items = new(); }
        ~Pool() { Free(); }
        public T this[int i] => _items[i];
        public async Task<T> AcquireAsync(int timeout = 3, ref int x)
        {
            foreach (var item in _items) { item.Ping(); }
            var c = await Factory.Create<T>(this);
            using (var r = Open()) { r.Close(); }
            int n = 0, m = Compute();
            Func<int, int> f = x => Use(x);
            if (c is Conn q) { q.Go(); }
            var o = (Conn)c as Thing;
            c?.Maybe();
            try { } catch (IOException e) { Log(e.Message); }
            int Local(int k) { return k; }
            return c;
        }
        public abstract void Touch();
        public static Pool<T> operator +(Pool<T> a, Pool<T> b) => a;
        [Test] public void Works() { Assert.Equal(1, new Pool<int>(3).Size); nameof(x); }
    }
    public interface IThing : IOther { int Count { get; } void Do(int x); }
    public enum Mode { Fast = 1, Slow }
    public struct Point { public int X, Y; }
    public record Person(string Name, int Age) : Base(Name);
    public delegate int Handler(int x);
    static class Ext { public static int Len(this string s) => s.Length; }
}
