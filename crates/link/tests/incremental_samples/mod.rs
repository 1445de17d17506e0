//! What random edits put into files, and a project of PHP.

/// Lines that bring names in, by the end of a path; `{a}` and `{b}` are replaced by words of the fixtures.
pub(crate) const LINES: &[(&str, &[&str])] = &[
    (".cs", crate::csharp::LINES),
    (".swift", crate::swift::LINES),
    (".kt", crate::kotlin::LINES),
    (
        ".py",
        &[
            "def {a}(): return {b}()",
            "class {a}({b}): ...",
            "class {a}({b}):\n    def {b}(self): return self.{a}()",
            "    def {a}(self): return self.{b}()",
            "    {a} = {b}",
            "{a} = {b}",
            "{a}.{b} = {a}",
            "from {a} import *",
            "from .{a} import *",
            "from {a} import {b}",
            "__all__ = ['{a}', '{b}']",
            "def {a}(x): x.{b}()",
        ],
    ),
    (
        ".ts",
        &[
            "export function {a}() { return {b}(); }",
            "export class {a} extends {b} { {b}() { return this.{a}(); } }",
            "export * from './{a}';",
            "export { {a} as {b} } from './{b}';",
            "export const {a} = {b};",
            "export interface {a} extends {b} { {b}(): {a}; }",
            "export interface {a} { {b}: () => void; {a}?: number }",
            "export function {a}({ {b} }: { {a}(): void }) { {b}(); const local = {a}; local(1); }",
            "export const {a} = { {b}() {}, {a}: {b} };",
            "import * as {a} from './{b}';",
            "{a}.{b} = () => {a}();",
            "  {a}() { return this.{b}(); }",
            "export default {a};",
            "function {a}(x: any) { x.{b}(); }",
        ],
    ),
    (
        ".rs",
        &[
            "pub fn {a}() -> {b} { {b}() }",
            "pub struct {a};\nimpl {a} { pub fn {b}(&self) -> {b} { self.{a}() } }",
            "impl {a} { pub fn {b}(&self) {} }",
            "pub trait {a} { fn {b}(&self) { self.{a}() } }",
            "impl {a} for {b} {}",
            "pub use {a}::*;",
            "use crate::{a}::{b};",
            "pub type {a} = {b};",
            "pub mod {a} { pub use super::{b}; }",
            "pub mod {a};",
            "#[path = \"{a}.rs\"]\nmod {b};",
            "use super::{a}::{b};",
            "extern crate {a} as {b};",
            "macro_rules! {a} { () => { {b}() }; }",
            "fn {a}() { {b}!() }",
            "    pub fn {a}(&self) { self.{b}() }",
            "fn {a}(x: &impl {b}) { x.{b}(); }",
            "pub fn {a}() -> {b} { use {a}::*; {b}() }",
        ],
    ),
    (
        ".java",
        &[
            "class {a} extends {b} { {b} {b}() { return {a}(); } }",
            "interface {a} { int {b}(); }",
            "    public int {a}() { return {b}(); }",
            "    public int {a}(int {b}) { return {b}(); }",
            "    {a} {b};",
            "import q.{a};",
            "import static q.{a}.*;",
        ],
    ),
    (
        ".php",
        &[
            "function {a}() { return {b}(); }",
            "class {a} extends {b} { function {b}() { return $this->{a}(); } }",
            "interface {a} { function {b}(): {a}; }",
            "trait {a} { function {b}() { return $this->{a}(); } }",
            "    use {a};",
            "    public function {a}(): {b} { return static::{b}(); }",
            "    public {a} ${b};",
            "namespace {a};",
            "use {a}\\{b};",
            "use function {a}\\{b};",
            "/** @method {a} {b}() */",
            "    function __call($name, $given) { return $this->{a}; }",
            "function {a}({b} $x) { if ($x instanceof {a}) { $x->{b}(); } return [$x, '{b}']; }",
            "require '{a}.php';",
        ],
    ),
    (
        ".rb",
        &[
            "def {a}; {b}; end",
            "class {a} < {b}\n  def {b}; {a}; end\nend",
            "module {a}\n  def self.{b}; {a}.{b}; end\nend",
            "  include {a}",
            "  extend {a}",
            "  attr_reader :{a}",
            "  alias {a} {b}",
            "class {a}::{b}; end",
            "{a} = {b}.new",
            "def {a}(x) x.{b} end",
            "require_relative '{a}'",
        ],
    ),
    (
        ".scala",
        &[
            "package {a}",
            "import {a}.{b}",
            "import {a}._",
            "class {a}(val {b}: {b}) extends {b} { def {a}: {b} = {b} }",
            "object {a} { def apply(x: {b}): {b} = x.{a}; val {b} = new {b} }",
            "trait {a} { self: {b} => def {b}() = {a} }",
            "package object {a} { def {b}(x: {a}): {b} = x.{b} }",
            "implicit class {a}(x: {b}) { def {b} = x.{a} }",
            "extension (x: {a}) def {b} = x.{a}",
            "type {a} = {b}",
        ],
    ),
    (
        ".go",
        &[
            "func {a}() {b} { return {b}() }",
            "func ({a} {a}) {b}() int { return {a}.{a}() }",
            "type {a} struct { {b} }",
            "type {a} interface { {b}() int }",
            "type {a} {b}",
            "var {a} = {b}()",
            "func {a}(x {b}) { x.{a}() }",
        ],
    ),
    (
        ".c",
        &[
            "int {a}(int x) { return {b}(x); }",
            "struct {a} { int (*{b})(int); };",
            "#define {a} {b}",
            "int {a}(int);",
            "#include \"{a}.h\"",
        ],
    ),
    (
        ".h",
        &[
            "int {a}(int x);",
            "#define {a}(x) {b}(x)",
            "typedef struct {a} { int {b}; } {b};",
            "extern int {a};",
            "#include \"{a}.h\"",
        ],
    ),
    (
        ".proto",
        &[
            "  rpc {a}({b}) returns ({b});", "message {a} { {b} {a} = 1; }", "service {a} {", "}",
            "import \"all/{a}.proto\";",
        ],
    ),
    (".sql", &["CREATE TABLE {a} (unit INT);", "INSERT INTO {a} SELECT * FROM {b};", "ALTER TABLE {a} ADD {b} INT;"]),
    (".yaml", &["  {a}:", "    image: {a}", "    build: ./{a}", "      {a}: 1", "    depends_on: [{a}]"]),
    (".dockerfile", &["ENV {a}=1", "FROM {a}", "CMD [\"{a}.py\"]"]),
    (".graphql", &["type Query { {a}: {b} }", "type {a} { {b}: {a} }", "query { {a} {b} }"]),
    (
        ".cc",
        &["int {a}(int x) { return {b}(x); }", "namespace geo { int {a}() { return {b}(); } }", "using namespace {a};"],
    ),
];

/// Words of the fixtures.
pub(crate) const WORDS: &[&str] =
    &["load", "Store", "Circle", "area", "size", "get", "unit", "shapes", "all", "Base", "lib"];

/// Classes and functions of namespaces, wherever their files are.
pub(crate) const PHP: &[(&str, &str)] = &[
    (
        "src/Base.php",
        "<?php\nnamespace lib;\nabstract class Base {\n    protected $all;\n    public function size() { return 1; }\n    public static function load(): static { return new static(); }\n}\n",
    ),
    (
        "src/Store.php",
        "<?php\nnamespace lib;\nuse shapes\\Circle;\nuse function shapes\\unit;\nclass Store extends Base {\n    use Sized;\n    /** @var Circle[] */\n    protected $all = [];\n    public function get(): Circle { return unit(); }\n    public function area() { foreach ($this->all as $one) { $one->area(); } return $this->get()->area() + $this->size(); }\n}\n",
    ),
    (
        "src/Sized.php",
        "<?php\nnamespace lib;\ntrait Sized {\n    public function size() { return $this->area(); }\n}\n",
    ),
    (
        "shapes/all.php",
        "<?php\nnamespace shapes;\ninterface Shape { function area(); }\nclass Circle implements Shape {\n    public function area() { return get($this); }\n}\nfunction unit(): Circle { return new Circle(); }\n",
    ),
    (
        "get.php",
        "<?php\nfunction get($unit) { $unit->area(); return load(); }\nfunction load() { return \\lib\\Store::load(); }\n",
    ),
    (
        "main.php",
        "<?php\nrequire 'get.php';\nuse lib\\{Store, Base};\n$store = Store::load();\n$store->get()->area();\nload()->area();\nfunction all(Base $base) { if (!$base instanceof Store) { return; } $base->area(); }\n",
    ),
];

/// Classes and modules that several files write.
pub(crate) const RUBY: &[(&str, &str)] = &[
    (
        "lib/store.rb",
        "require_relative 'base'\nmodule Base\n  class Store\n    include Sized\n    attr_reader :unit\n    def initialize; @unit = Circle.new; end\n    def self.load; new; end\n    def get; unit.area; end\n  end\nend\n",
    ),
    (
        "lib/base.rb",
        "module Base\n  module Sized\n    def size; all; end\n  end\n  class Circle\n    def area; 1; end\n  end\nend\n",
    ),
    ("lib/more.rb", "class Base::Store\n  alias all get\n  def shapes; size; Circle.new.area; end\nend\n"),
    (
        "main.rb",
        "require 'store'\nstore = Base::Store.load\nstore.get\nstore.all\nload\nstore.shapes.area\ndef load; Base::Circle.new.area; end\n",
    ),
    ("use.rb", "class Heir < Base::Store\n  def get; super; load; end\n  def each(x); x.area; x.unit; end\nend\n"),
];

/// Packages, objects beside classes, package objects and extensions, wherever their files are.
pub(crate) const SCALA: &[(&str, &str)] = &[
    ("src/Base.scala", "package lib\n\nabstract class Base(val all: Int) {\n  def size: Int = all\n}\n"),
    (
        "src/Store.scala",
        "package lib\n\nimport shapes.Circle\n\nclass Store extends Base(1) {\n  val unit = Circle(2)\n  def load(): Int = unit.area + size\n}\nobject Store { def get: Store = new Store }\n",
    ),
    (
        "src/shapes/Circle.scala",
        "package shapes\n\nimport lib._\n\ncase class Circle(size: Int) { def area: Int = Store.get.load() }\n",
    ),
    (
        "src/package.scala",
        "package object lib {\n  def load(store: Store): Int = store.size\n  implicit class More(base: Base) { def get: Int = base.all }\n}\n",
    ),
    ("src/Main.scala", "package lib\npackage app\n\nobject Main extends App { load(Store.get); Store.get.get }\n"),
];
