struct Shape {
    func session(using x: Int) -> Shape { self }
    func test(given: Kind, make: (Shape) -> Void) {
        let session = session(using: 1)
        session.draw(at: 1) { $0.go($1) } then: { value in value.go() }
        if case .round(let size, _) = given, let size = size.next { size.go() }
        guard let given = given.next else { return }
        take(.init(x: 1), flag ? .one : .two)
        xs[0] = .three
        switch given { case .round(let a): a.go() case let b as Shape: b.go() default: break }
    }
}
enum Kind { case round(size: Int, Shape), flat }
extension Shape: Drawable where T: Hashable { subscript(i: Int) -> T { i } }
