//! A project of Kotlin with a file of Java, and lines that may come into its files.

/// Extensions, companions, lambdas with receivers, source sets, both languages.
pub(crate) const PROJECT: &[(&str, &str)] = &[
    (
        "src/commonMain/kotlin/Base.kt",
        "package shop\nopen class Base<T>(val all: T) {\n    fun size() = 1\n    companion object {\n        fun unit() = Base(1)\n    }\n}\nexpect fun load(): Int\n",
    ),
    ("src/jvmMain/kotlin/Load.kt", "package shop\nactual fun load(): Int = 1\nfun Circle.area(): Int = get().size()\n"),
    (
        "src/jvmMain/kotlin/Circle.kt",
        "package shop.shapes\nimport shop.Base\nclass Circle : Base<Circle>(Circle()) {\n    fun get() = all\n}\nfun area(circle: Circle, block: Circle.() -> Unit) = circle.apply(block)\n",
    ),
    (
        "src/jvmMain/kotlin/Main.kt",
        "package shop\nimport shop.shapes.*\nfun main(circle: Circle) {\n    area(circle) { get().size() }\n    Base.unit().size()\n    circle.let { it.area() }\n    load()\n    Store().getAll().unit\n}\n",
    ),
    (
        "src/jvmMain/java/Store.java",
        "package shop;\nimport shop.shapes.Circle;\npublic class Store {\n    public Store getAll() { LoadKt.load(); return this; }\n    int getUnit() { return Base.unit().size(); }\n}\n",
    ),
];

/// Lines that bring names in.
pub(crate) const LINES: &[&str] = &[
    "class {a} { fun {b}() = {b}().{a}() }",
    "fun {a}() = {b}()",
    "fun {a}.{b}(): {a} = this",
    "val {a} = {b}(1)",
    "import shop.{a}",
    "import shop.shapes.{a} as {b}",
    "typealias {a} = {b}",
    "object {a} { fun {b}() {} }",
    "expect fun {a}(): {b}",
];
