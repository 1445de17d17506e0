//! A project of C#, and lines that may come into its files.

/// Types in parts, extension methods, all forms of `using`.
pub(crate) const PROJECT: &[(&str, &str)] = &[
    ("src/Lib.csproj", "<Project><ItemGroup><Using Include=\"Shop.Shapes\" /></ItemGroup></Project>"),
    (
        "src/Base.cs",
        "namespace Shop;\npublic partial class Base<T> {\n    protected T all;\n    public int size() { return 1; }\n}\npublic class Base { public void unit() { } }\n",
    ),
    (
        "src/Base.Parts.cs",
        "namespace Shop;\npublic partial class Base<T> : Shapes.IShapes {\n    public T get() { return all; }\n    public int area() { return size(); }\n}\n",
    ),
    (
        "src/Store.cs",
        "using lib = Shop.Shapes.Circle;\nnamespace Shop {\n    public class Store : Base<Circle> {\n        Store(Circle circle) { load(circle, 1); }\n        void load(Circle circle) { load(circle, size()); }\n        void load(Circle circle, int size) { all = circle; }\n        void area() { get().area(); lib.unit(); new Base().unit(); }\n    }\n}\n",
    ),
    (
        "src/Circle.cs",
        "namespace Shop.Shapes;\npublic class Circle : IShapes {\n    public int area() { return 1; }\n    public static Circle unit() => new();\n}\npublic interface IShapes { int area(); }\n",
    ),
    (
        "src/Extensions.cs",
        "namespace Shop.Tools {\n    public static class Extensions {\n        public static int load(this Shapes.Circle circle, int size = 1) => circle.area();\n        public static T all<T>(this T unit) => unit;\n    }\n}\n",
    ),
    (
        "src/Main.cs",
        "using Shop;\nusing Shop.Tools;\nusing static Shop.Shapes.Circle;\nusing System.Linq;\npublic class Main {\n    void size(Store store, System.Collections.Generic.List<Circle> all) {\n        store.get().area();\n        unit().load().ToString();\n        unit().all().load(2);\n        all.Select(x => x.area()).ToList();\n    }\n}\n",
    ),
];

/// Lines that bring names in.
pub(crate) const LINES: &[&str] = &[
    "class {a} { public void {b}() { new {b}().{a}(); } }",
    "public partial class {a}<T> { public {b} {a}() => null; }",
    "public partial class {a} : {b} { }",
    "using Shop.{a};",
    "global using Shop.Shapes;",
    "using {a} = Shop.{b};",
    "public static class {a} { public static int {b}(this Shop.Shapes.Circle x) => 1; }",
    "    public {a} {b}(int {a}) { return {a}.{b}(); }",
    "namespace Shop.{a};",
];
