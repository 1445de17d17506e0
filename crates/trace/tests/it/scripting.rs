use m1nd_trace::Format;

use super::check;

#[test]
fn stacks_of_v8() {
    check(
        Format::JavaScript,
        "Uncaught TypeError: Cannot read properties of undefined (reading 'x')\n    at Pool.acquire (webpack:///./src/pool.ts?1a2b:10:5)\n    at async Promise.all (index 0)\n    at async handle (file:///app/src/handler.ts:3:7)\n    at new Conn (/app/node_modules/pg/lib/conn.js:5:9)\n    at node:internal/process/task_queues:95:5\n    at Object.<anonymous> (http://localhost:3000/static/main.3f4e5a6b.js:1:20345)\n    at Foo.bar [as baz] (C:\\app\\a.js:1:2)\n",
        "
typescript
  reported TypeError: Cannot read properties of undefined (reading 'x')
    Pool.acquire src/pool.ts:10:5 code
    Promise.all <anonymous> runtime
    handle /app/src/handler.ts:3:7 code
    Conn /app/node_modules/pg/lib/conn.js:5:9 vendored
    - node:internal/process/task_queues:95:5 runtime
    Object.<anonymous> static/main.3f4e5a6b.js:1:20345 minified
    Foo.bar C:\\app\\a.js:1:2 code",
    );
}

#[test]
fn stacks_of_a_console() {
    check(
        Format::JavaScript,
        "Uncaught TypeError: moment.isMoment is not a function\n    at new Calendar (createPicker.js:115)\n    at construct (react-dom.development.js:6355)\n...\n",
        "
javascript
  reported TypeError: moment.isMoment is not a function
    Calendar createPicker.js:115 code
    construct react-dom.development.js:6355 code",
    );
}

#[test]
fn causes_and_members_of_v8() {
    check(
        Format::JavaScript,
        "Error: cannot start\n    at start (/app/a.js:1:1) {\n  [cause]: RangeError: too far\n      at inner (/app/b.js:2:2) {\n    code: 'E'\n  }\n}\n",
        "
javascript
  cause RangeError: too far
    inner /app/b.js:2:2 code
  reported Error: cannot start
    start /app/a.js:1:1 code",
    );
}

#[test]
fn errors_of_syntax_in_node() {
    check(
        Format::JavaScript,
        "/app/a.js:3\nlet = ;\n      ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1153:20)\n",
        "
javascript
  reported SyntaxError: Unexpected token ';'
    - /app/a.js:3 code
    wrapSafe node:internal/modules/cjs/loader:1153:20 runtime",
    );
}

#[test]
fn stacks_of_firefox() {
    check(
        Format::JavaScript,
        "TypeError: x is undefined\nacquire@http://localhost:8080/src/pool.js:10:5\nasync*handle@webpack://app/./src/handler.tsx:3:7\n@http://localhost:8080/src/main.js:1\n",
        "
typescript
  reported TypeError: x is undefined
    acquire src/pool.js:10:5 code
    handle src/handler.tsx:3:7 code
    - src/main.js:1 code",
    );
}

#[test]
fn ruby_in_both_orders() {
    check(
        Format::Ruby,
        "lib/pool.rb:12:in `acquire': no room (Acme::PoolError)\n\tfrom lib/main.rb:5:in `block in run'\n\tfrom /usr/lib/ruby/3.0/gems/rack-2/lib/rack.rb:1:in `<main>'\nlib/conn.rb:3:in 'Conn#open': closed (IOError)\n\tfrom lib/pool.rb:11:in 'acquire'\n",
        "
ruby
  cause IOError: closed
    Conn#open lib/conn.rb:3 code
    acquire lib/pool.rb:11 code
  reported Acme::PoolError: no room
    acquire lib/pool.rb:12 code
    run lib/main.rb:5 code
    <main> /usr/lib/ruby/3.0/gems/rack-2/lib/rack.rb:1 vendored",
    );
    check(
        Format::Ruby,
        "Traceback (most recent call last):\n\t1: from main.rb:5:in `<main>'\nlib/pool.rb:12:in `acquire': undefined method `x' for nil:NilClass (NoMethodError)\n",
        "
ruby
  reported NoMethodError: undefined method `x' for nil:NilClass
    acquire lib/pool.rb:12 code
    <main> main.rb:5 code",
    );
    check(
        Format::Ruby,
        "ActiveRecord::RecordNotFound (Couldn't find User):\n\napp/models/user.rb:7:in `load'\napp/controllers/a.rb:3:in `show'\n",
        "
ruby
  reported ActiveRecord::RecordNotFound: Couldn't find User
    load app/models/user.rb:7 code
    show app/controllers/a.rb:3 code",
    );
}

#[test]
fn php_with_previous_exceptions() {
    check(
        Format::Php,
        "PHP Fatal error:  Uncaught RuntimeException: closed in /app/src/Conn.php:7\nStack trace:\n#0 /app/src/Pool.php(11): Acme\\Conn->open('x')\n#1 {main}\n\nNext Acme\\PoolError: no room in /app/src/Pool.php:12\nStack trace:\n#0 /app/vendor/lib/run.php(34): Acme\\Pool->acquire('x', Array)\n#1 [internal function]: run()\n#2 {main}\n  thrown in /app/src/Pool.php on line 12\n",
        "
php
  cause RuntimeException: closed
    Acme\\Conn->open /app/src/Conn.php:7 code
    - /app/src/Pool.php:11 code
  reported Acme\\PoolError: no room
    Acme\\Pool->acquire /app/src/Pool.php:12 code
    run /app/vendor/lib/run.php:34 vendored
    - [internal function] runtime",
    );
    check(
        Format::Php,
        "PHP Warning:  Undefined variable $x in /app/a.php on line 3\n",
        "
php
  reported Warning: Undefined variable $x
    - /app/a.php:3 code",
    );
}
