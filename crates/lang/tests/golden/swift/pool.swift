import Foundation
import class UIKit.UIView
@testable import App

let max = 10
typealias Handler = (Int) -> Void

/// A pool.
@objc public final class Pool<T: Conn>: Base<T>, Closeable where T: Hashable {
    private let items: [T] = []
    static var shared = Pool(size: 1)
    var count: Int { return items.count }
    weak var next: Node?, prev: Node?
    lazy var q: Queue = { Queue() }()
    init(size: Int, named name: String = "x") { super.init(size); self.size = size }
    deinit { free() }
    func acquire(_ timeout: Int, for xs: Int...) async throws -> T? {
        for item in items { item.ping() }
        let c = Factory.create(self)
        let (a, b) = pair()
        items.map { $0.id }.filter { x in x.ok() }
        if let d = c as? Conn { d.go() }
        guard let e = maybe() else { return nil }
        c?.maybe()
        do { try f() } catch let err as IOError { log(err.message) }
        switch c { case .some(let z): z.run() default: break }
        func local(k: Int) -> Int { k }
        return c
    }
    class func make() -> Pool { Pool(size: 3) }
    subscript(i: Int) -> T { items[i] }
    struct Node { var next: Int }
    enum Mode: Int { case fast = 1, slow; case other(Int, String); func go() {} }
}
protocol Thing: Other { var n: Int { get }; func f(x: Int) -> String; associatedtype E }
extension String: Thing { func len() -> Int { return self.count } }
class PoolTests: XCTestCase { func testWorks() { XCTAssertEqual(1, Pool<Int>(size: 3).count) } }
actor A { }
func top(a: Int) -> Foo.Bar { Foo.Bar() }
