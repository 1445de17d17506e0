//! A project of Swift, and lines that may come into its files.

/// Targets of a package, extensions of own and outside types, labels, members without a type.
pub(crate) const PROJECT: &[(&str, &str)] = &[
    (
        "Package.swift",
        "let package = Package(name: \"Shop\", targets: [\n    .target(name: \"Shapes\"),\n    .target(name: \"Shop\", dependencies: [\"Shapes\"]),\n])\n",
    ),
    (
        "Sources/Shapes/Circle.swift",
        "public protocol Shape { func area() -> Int }\npublic struct Circle: Shape {\n    public init(size: Int) {}\n    public func area() -> Int { 1 }\n    public static let unit = Circle(size: 1)\n}\n",
    ),
    (
        "Sources/Shapes/Extensions.swift",
        "extension Shape { public func all() -> Self { self } }\nextension Int { public func load() -> Circle { .unit } }\nextension Circle { func size() -> Int { area() } }\n",
    ),
    (
        "Sources/Shop/Store.swift",
        "import Shapes\nclass Base<T> { var all: T?; func get() -> T? { all } }\nclass Store: Base<Circle> {\n    func load(_ circle: Circle, size: Int = 1) { load(circle) ; all = circle }\n    func area() { get()?.area(); Circle.unit.all().area() }\n}\n",
    ),
    (
        "Sources/Shop/Main.swift",
        "@_exported import Shapes\nenum Kind { case unit, size(Circle) }\nfunc size(store: Store, kind: Kind) {\n    store.load(.unit)\n    store.load(.init(size: 2), size: 3)\n    2.load().area()\n    if case .size(let circle) = kind { circle.area() }\n    [Circle.unit].map { $0.all() }.first?.area()\n}\n",
    ),
    ("Tests/ShopTests/StoreTests.swift", "@testable import Shop\nfunc area() { Store().area(); Circle.unit.area() }\n"),
];

/// Lines that bring names in.
pub(crate) const LINES: &[&str] = &[
    "class {a} { func {b}() { {b}().{a}() } }",
    "extension {a} { func {b}() {} }",
    "extension Int { var {a}: {b}? { nil } }",
    "import {a}",
    "@_exported import Shop",
    "struct {a}: {b} { }",
    "func {a}({b}: {b}) -> {a} { {b}.{a}() }",
    "enum {a} { case {b} }",
    "extension Circle: {a} { }",
];
