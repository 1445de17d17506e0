//! Every case is a project of one language. A line `//? name: by` (`#?` in Python and Ruby) speaks of the definition of
//! this name in the file: code outside calls it, as `by` says; `none`: nothing says so.

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestRequest};
use m1nd_testkit::TempTree;

use super::called_from_outside;

struct Expectation {
    path: String,
    owner: Option<String>,
    name: String,
    by: String,
}

fn expectations(fixture: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    for (path, text) in m1nd_testkit::parse_fixture(fixture) {
        for line in text.lines() {
            let Some((_, said)) = line.split_once("//?").or_else(|| line.split_once("#?")) else { continue };
            let (name, by) = said.split_once(": ").expect("`name: by`");
            let (owner, name) = match name.trim().rsplit_once("->") {
                Some((owner, name)) => (Some(owner.to_owned()), name),
                None => (None, name.trim()),
            };
            found.push(Expectation { path: path.clone(), owner, name: name.to_owned(), by: by.trim().to_owned() });
        }
    }
    found
}

fn check(fixture: &str) {
    let tree = TempTree::new(fixture);
    let home = tempfile::TempDir::new().expect("temporary folder");
    let config = EngineConfig { threads: Some(1), ..EngineConfig::new(home.path().into(), vec![tree.path().into()]) };
    let engine = Engine::open(config).expect("opens");
    engine.ingest(IngestRequest::code(tree.path()), &Cancel::new(), &NoProgress).expect("ingests");
    let snapshot = engine.snapshot();
    let graph = snapshot.graph();
    let wanted = expectations(fixture);
    assert!(!wanted.is_empty());
    for row in wanted {
        let fits = |node: &m1nd_graph::NodeIx| {
            let is_owned = |wanted| graph.id(*node).contains(&format!("::{wanted}::"));
            graph.path(*node) == row.path && row.owner.as_deref().is_none_or(is_owned)
        };
        let nodes: Vec<_> = graph.find_labelled(&row.name).into_iter().filter(fits).collect();
        let [node] = nodes.as_slice() else {
            panic!("{} nodes `{}` in {}\n{}", nodes.len(), row.name, row.path, graph.dump());
        };
        let by = called_from_outside(&snapshot, *node).map_or("none".to_owned(), |from| from.by);
        assert_eq!(by, row.by, "`{}` in {}\n{}", row.name, row.path, graph.dump());
    }
}

#[test]
fn rust_blocks_name_their_traits() {
    check(
        "\
//- Cargo.toml
[package]
name = \"demo\"
version = \"0.1.0\"
//- src/main.rs
use std::fmt;
struct P;
trait Own {
    fn go(&self);
}
impl fmt::Display for P {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { plain() } //? fmt: fmt::Display
}
impl Drop for P {
    fn drop(&mut self) {} //? drop: Drop
}
impl Iterator for P {
    type Item = i32;
    fn next(&mut self) -> Option<i32> { None } //? next: Iterator
}
impl<'de> serde::Deserialize<'de> for P {
    fn deserialize<D>(d: D) -> Self { P } //? deserialize: serde::Deserialize<'de>
}
impl Own for P {
    fn go(&self) {} //? Own for P->go: none
}
impl P {
    fn close(&self) {} //? close: none
}
fn plain() -> fmt::Result { Ok(()) } //? plain: none
fn main() {} //? main: the start of a program or library
#[no_mangle]
pub extern \"C\" fn exported() {} //? exported: a linker, a compiler or another language
#[unsafe(export_name = \"other\")]
fn renamed() {} //? renamed: a linker, a compiler or another language
#[cfg(test)]
mod tests {
    #[test]
    fn works() { helper() } //? works: the test runner
    fn helper() {} //? helper: none
}
",
    );
}

#[test]
fn go_methods_satisfy_interfaces_of_the_library() {
    check(
        "\
//- go.mod
module example.com/demo
//- a.go
package main

type byAge []int
type Mux struct{}

func (b byAge) Len() int           { return len(b) } //? byAge->Len: sort.Interface
func (b byAge) Less(i, j int) bool { return true } //? Less: sort.Interface
func (b byAge) Swap(i int)         {} //? Swap: none
func (b byAge) String() string     { return \"\" } //? String: fmt.Stringer
func (m *Mux) ServeHTTP(w W, r *R) {} //? ServeHTTP: net/http.Handler
func (m *Mux) route(w W, r *R)     {} //? route: none
func init()                        {} //? init: the start of a program or library
func main()                        {} //? main: the start of a program or library
func Len() int                     { return 1 }

//export Sum
func Sum(a, b int) int { return a + b } //? Sum: a linker, a compiler or another language
//- a_test.go
package main

import \"testing\"

func TestMux(t *testing.T) { helper() } //? TestMux: the test runner
func ExampleMux()          {} //? ExampleMux: the test runner
func helper()              {} //? helper: none
",
    );
}

#[test]
fn java_classes_name_their_bases() {
    check(
        "\
//- src/demo/A.java
package demo;
import java.util.Comparator;
import org.other.Base;
public class A implements Comparable<A>, Runnable {
    public int compareTo(A o) { return 0; } //? compareTo: java.lang::Comparable
    public void run() {} //? run: java.lang::Runnable
    @Override public boolean equals(Object o) { return true; } //? equals: java.lang.Object
    public String toString() { return \"\"; } //? toString: java.lang.Object
    void reset() {} //? reset: none
    public static void main(String[] args) {} //? main: the start of a program or library
}
//- src/demo/B.java
package demo;
import org.other.Base;
public class B extends Base {
    protected void hook() {} //? hook: org.other::Base
    private void hidden() {} //? hidden: none
    static void fixed() {} //? fixed: none
}
//- src/demo/C.java
package demo;
public class C extends B {
    @Override protected void hook() {} //? hook: org.other::Base
    public void more() {} //? more: org.other::Base
}
//- src/demo/D.java
package demo;
interface Own { void go(); }
class D implements Own {
    public void go() {} //? D->go: none
    public int getName() { return 1; } //? getName: none
    Object made() {
        return new Outside() {
            public void handle() {} //? handle: the base of an anonymous class
        };
    }
}
//- src/demo/E.java
package demo;
import javax.persistence.Entity;
@Entity
public class E {
    public String getName() { return \"\"; } //? getName: javax.persistence::Entity
    public String getFor(int id) { return \"\"; } //? getFor: none
    public void rename() {} //? rename: none
}
//- src/demo/F.java
package demo;
import javax.ws.rs.GET;
import org.springframework.stereotype.Component;
class F {
    F(int x) {}
    @GET public G read() { return null; }
    public H other() { return null; }
}
class G {
    G() {} //? G->G: javax.ws.rs::GET
    public String getText() { return \"\"; } //? G->getText: javax.ws.rs::GET
}
@Component
class I {
    I() {} //? I->I: org.springframework.stereotype::Component
    public String getText() { return \"\"; } //? I->getText: none
}
class H {
    H() {} //? H->H: none
    public String getText() { return \"\"; } //? H->getText: none
}
",
    );
}

#[test]
fn python_methods_of_outside_bases() {
    check(
        "\
//- a.py
import abc
import threading
from collections.abc import Mapping
from enum import Enum
from other import Base

class Own:
    def __len__(self): #? __len__: the language under this name
        return 1
    def plain(self): #? Own->plain: none
        pass

class Job(threading.Thread):
    def run(self): #? run: threading::Thread
        pass
    def __mine(self): #? __mine: none
        pass

class Kind(Enum):
    A = 1
    def shown(self): #? shown: none
        pass
    def _missing_(cls, value): #? _missing_: enum::Enum
        pass

class Broken(Exception):
    def text(self): #? text: none
        pass

class Fields(Mapping):
    def items(self): #? items: collections::abc::Mapping
        pass
    def own_part(self): #? own_part: none
        pass

class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): #? Shape->area: none
        pass

class Square(Shape):
    def area(self): #? Square->area: none
        pass

class View(Base):
    def get(self): #? View->get: other::Base
        pass

class Detail(View):
    def get(self): #? Detail->get: other::Base
        pass

def main(): #? main: none
    pass
//- test_a.py
def test_one(): #? test_one: the test runner
    helper()

def helper(): #? helper: none
    pass
",
    );
}

#[test]
fn members_of_c_and_cpp() {
    check(
        "\
//- a.cpp
#include <exception>
#include <other.h>
struct Own { virtual void go(); void plain(); }; 
class Broken : public std::exception {
 public:
  const char* what() const noexcept override { return \"\"; } //? what: std::exception
  void more() {} //? more: none
};
class Plugin : public other::Base {
  void start() {} //? start: Base
  static void fixed() {} //? fixed: none
};
class Child : public Own {
  void go() override {} //? Child->go: none
  ~Child() {} //? ~Child: the language under this name
};
int main() { return 0; } //? main: the start of a program or library
int other_main() { return 0; } //? other_main: none
//- b.c
int main(void) { return 0; } //? main: the start of a program or library
static int helper(void) { return 0; } //? helper: none
",
    );
}

#[test]
fn members_of_scripts() {
    check(
        "\
//- a.ts
import { Base } from 'other';
class Own {
  toJSON() { return 1; } //? toJSON: JSON.stringify
  plain() {} //? plain: none
}
class View extends Base {
  render() {} //? render: other::Base
  private hidden() {} //? hidden: none
  static make() {} //? make: none
}
class Broken extends Error {
  shown() {} //? shown: none
}
export function top() {} //? top: none
",
    );
}

#[test]
fn members_of_further_languages() {
    check(
        "\
//- a.cs
namespace Demo {
  public class V : IComparable<V>, IDisposable {
    public static V operator +(V a, V b) { return a; } //? operator +: the operators of the language
    public int CompareTo(V o) { return 0; } //? CompareTo: System::IComparable
    public void Dispose() {} //? Dispose: System::IDisposable
    public override string ToString() { return \"\"; } //? ToString: System.Object
    public void Plain() {} //? Plain: none
    static void Main(string[] a) {} //? Main: the start of a program or library
  }
  public class H : IHandler { public void Handle() {} void Hidden() {} } //? Handle: IHandler
  //? Hidden: none
}
//- b.kt
class V(val x: Int) : Outside, Comparable<V> {
  operator fun plus(o: V): V = this //? plus: the operators of the language
  override fun compareTo(other: V): Int = 0 //? compareTo: kotlin::Comparable
  override fun toString(): String = \"\" //? toString: java.lang.Object
  override fun handle() {} //? handle: Outside
  fun plain() {} //? plain: none
}
fun main() {} //? main: the start of a program or library
//- c.swift
struct V: Comparable {
  static func < (a: V, b: V) -> Bool { return true } //? <: the operators of the language
  func plain() {} //? plain: none
}
class C: UIViewController {
  override func viewDidLoad() {} //? viewDidLoad: UIViewController
  private func hidden() {} //? hidden: none
}
//- d.rb
class V < Base
  def <=>(o) #? <=>: the operators of the language
    0
  end
  def to_s #? to_s: Kernel
    \"\"
  end
  def handle #? handle: Base
  end
end
class W
  def plain #? plain: none
  end
end
//- e.php
<?php
class V extends Base implements JsonSerializable {
  public function jsonSerialize() { return 1; } //? jsonSerialize: php::JsonSerializable
  public function __toString() { return ''; } //? __toString: the language under this name
  public function handle() {} //? handle: global::Base
  private function hidden() {} //? hidden: none
}
//- f.scala
object Main { def main(args: Array[String]): Unit = {} } //? main: the start of a program or library
class V(x: Int) extends Ordered[V] {
  def compare(o: V): Int = 0 //? compare: scala.math.Ordered
  def +(o: V): V = this //? +: the operators of the language
  override def toString = \"\" //? toString: java.lang.Object
}
class W { def plain(): Int = 1 } //? plain: none
",
    );
}

#[test]
fn go_values_that_are_handed_to_other_packages() {
    check(
        "\
//- go.mod
module example.com/demo
//- a.go
package demo

import (
\t\"google.golang.org/grpc\"
\t\"google.golang.org/grpc/stats\"
)

type server struct{}

func (s *server) SayHello(name string) string { return name } //? server->SayHello: what Start hands a `server` to
func (s *server) hidden()                     {} //? hidden: none

type handler struct{}

func (h handler) TagRPC(name string) string { return name } //? TagRPC: what NewHandler hands a `handler` to

type kept struct{}

func (k kept) SayGoodbye(name string) string { return name } //? SayGoodbye: none

type checked struct{}

func (c *checked) Tag(name string) string { return name } //? checked->Tag: what a.go hands a `checked` to

var _ stats.Handler = (*checked)(nil)

func NewHandler() stats.Handler { return handler{} }

func Start() {
\ts := &server{}
\tgrpc.Register(s, 1)
\tk := kept{}
\tuse(k)
}

func use(k kept) {}
",
    );
}
