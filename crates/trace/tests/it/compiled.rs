use m1nd_trace::Format;

use super::check;

#[test]
fn rust_panics() {
    check(
        Format::Rust,
        "thread 'main' panicked at src/pool.rs:10:5:\nno room:\n  all taken\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:665:5\n   1: core::panicking::panic_fmt\n   2: app::pool::Pool<T>::acquire::h0123456789abcdef\n             at ./src/pool.rs:10:5\n   3: clap::build::run\n             at /root/.cargo/registry/src/index-1/clap-3.0.9/src/build/mod.rs:18:2\n   4: app::main\nnote: Some details are omitted\n",
        "
rust
  reported panic: no room:⏎  all taken
    rust_begin_unwind /rustc/abc/library/std/src/panicking.rs:665:5 runtime
    core::panicking::panic_fmt - runtime
    app::pool::Pool<T>::acquire ./src/pool.rs:10:5 code
    clap::build::run /root/.cargo/registry/src/index-1/clap-3.0.9/src/build/mod.rs:18:2 vendored
    app::main - code",
    );
    check(
        Format::Rust,
        "thread 't' panicked at 'index out of bounds', src/a.rs:3:9\nnote: run with `RUST_BACKTRACE=1`\n",
        "
rust
  reported panic: index out of bounds
    - src/a.rs:3:9 code",
    );
    check(
        Format::Rust,
        "thread 'main' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n right: `2`', src/a.rs:3\n",
        "
rust
  reported panic: assertion failed: `(left == right)`⏎  left: `1`,⏎ right: `2`
    - src/a.rs:3 code",
    );
}

#[test]
fn rust_backtraces_whose_beginning_is_left_out() {
    check(
        Format::Rust,
        "thread 'main' panicked at 'x', /root/.cargo/registry/src/i-1/clap-3.0.9/src/b.rs:18:9\n...\n  15: <app::Opt as app::Args>::parse\n             at tests/opt.rs:18\n  16: app::main\n             at src/main.rs:2\n",
        "
rust
  reported panic: x
    - /root/.cargo/registry/src/i-1/clap-3.0.9/src/b.rs:18:9 vendored
    <app::Opt as app::Args>::parse tests/opt.rs:18 code
    app::main src/main.rs:2 code",
    );
}

#[test]
fn rust_errors_with_causes() {
    check(
        Format::Rust,
        "Error: cannot start\n\nCaused by:\n    0: cannot read `a`\n    1: No such file\n\nStack backtrace:\n   0: anyhow::error\n   1: app::load\n             at ./src/load.rs:4:7\n",
        "
rust
  cause Error: No such file
    anyhow::error - code
    app::load ./src/load.rs:4:7 code
  cause Error: cannot read `a`
  reported Error: cannot start",
    );
}

#[test]
fn java_with_causes() {
    check(
        Format::Java,
        "2024-01-01 ERROR - failed\nException in thread \"main\" com.acme.PoolException: no room\n\tat com.acme.Pool.acquire(Pool.java:12)\n\tat app//com.acme.Main$Runner.run(Main.java:5)\n\tat java.base/java.lang.Thread.run(Thread.java:829)\n\tSuppressed: java.io.IOException: close\n\t\tat com.acme.Conn.close(Conn.kt:3)\n\t\t... 2 more\nCaused by: java.lang.NullPointerException\n\tat com.acme.Inner.<init>(Inner.java)\n\tat jdk.internal.Reflect.invoke0(Native Method)\n\t... 12 more\nbye\n",
        "
kotlin
  cause java.lang.NullPointerException:  (+12)
    com.acme.Inner.<init> com/acme/Inner.java code
    jdk.internal.Reflect.invoke0 - runtime
  reported com.acme.PoolException: no room
    com.acme.Pool.acquire com/acme/Pool.java:12 code
    com.acme.Main$Runner.run com/acme/Main.java:5 code
    java.lang.Thread.run java/lang/Thread.java:829 runtime
  suppressed java.io.IOException: close (+2)
    com.acme.Conn.close com/acme/Conn.kt:3 code",
    );
}

#[test]
fn go_panics() {
    check(
        Format::Go,
        "panic: runtime error: invalid memory address or nil pointer dereference [recovered]\n\tpanic: again\n[signal SIGSEGV: segmentation violation code=0x1]\n\ngoroutine 1 [running]:\npanic({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:884 +0x212\ngithub.com/acme/app/pool.(*Pool).Acquire(0x0, {0x1, 0x2})\n\t/home/u/app/pool/pool.go:12 +0x1d\nmain.main()\n\t/home/u/app/main.go:5 +0x20\nexit status 2\n",
        "
go
  cause runtime error: invalid memory address or nil pointer dereference
  reported panic: again
    panic /usr/local/go/src/runtime/panic.go:884 runtime
    github.com/acme/app/pool.(*Pool).Acquire /home/u/app/pool/pool.go:12 code
    main.main /home/u/app/main.go:5 code",
    );
    check(
        Format::Go,
        "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/app/main.go:5 +0x20\n\ngoroutine 18 [select, 2 minutes]:\nmain.work(...)\n\t/root/go/pkg/mod/github.com/x/y@v1.2.3/w.go:9\ncreated by main.main in goroutine 1\n\t/app/main.go:4 +0x11\n",
        "
go
  reported fatal error: all goroutines are asleep - deadlock!
    main.main /app/main.go:5 code
  aside goroutine: select, 2 minutes
    main.work /root/go/pkg/mod/github.com/x/y@v1.2.3/w.go:9 vendored
    main.main /app/main.go:4 code",
    );
}

#[test]
fn go_data_races() {
    check(
        Format::Go,
        "==================\nWARNING: DATA RACE\nRead at 0x00c0 by goroutine 74:\n  example.org/app/pool.(*Pool).Size()\n      /home/u/app/pool/pool.go:35 +0x284\n  testing.tRunner()\n      /usr/local/go/src/testing/testing.go:456 +0xdc\n\nPrevious write at 0x00c0 by main goroutine:\n  example.org/app/pool.(*Pool).Acquire.func1()\n      /home/u/app/pool/pool.go:20 +0x87\n\nGoroutine 74 (running) created at:\n  main.main()\n      /home/u/app/main.go:5 +0xaa3\n==================\n",
        "
go
  reported data race: Read at 0x00c0 by goroutine 74
    example.org/app/pool.(*Pool).Size /home/u/app/pool/pool.go:35 code
    testing.tRunner /usr/local/go/src/testing/testing.go:456 runtime
  member data race: Previous write at 0x00c0 by main goroutine
    example.org/app/pool.(*Pool).Acquire.func1 /home/u/app/pool/pool.go:20 code
  aside goroutine: Goroutine 74 (running) created at
    main.main /home/u/app/main.go:5 code",
    );
}

#[test]
fn go_through_a_log() {
    let log = "2024/05/01 07:21:55 [DEBUG] plugin: app: ";
    let text = "panic: no room\n\ngoroutine 1 [running]:\nmain.main()\n\t/home/u/app/main.go:5 +0x20\n";
    check(
        Format::Go,
        &text.lines().map(|line| format!("{log}{line}\n")).collect::<String>(),
        "
go
  reported panic: no room
    main.main /home/u/app/main.go:5 code",
    );
}

#[test]
fn rust_without_a_column() {
    check(
        Format::Rust,
        "It crashes:\n\n    thread 'main' panicked at crates/pool/src/lib.rs:326:\n    no room\n\nThen\n",
        "
rust
  reported panic: no room
    - crates/pool/src/lib.rs:326 code",
    );
}

#[test]
fn debuggers_and_sanitizers() {
    check(
        Format::Cpp,
        "Program received signal SIGSEGV, Segmentation fault.\n#0  0x000055 in acme::Pool::acquire (this=0x0, name=\"x\") at src/pool.cc:12\n#1  main () at main.c:5\n#2  0x00007f in __libc_start_main () from /lib/libc.so.6\n",
        "
cpp
  reported SIGSEGV: Segmentation fault
    acme::Pool::acquire src/pool.cc:12 code
    main main.c:5 code
    __libc_start_main /lib/libc.so.6 runtime",
    );
    check(
        Format::Cpp,
        "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x6 at pc 0x4\nREAD of size 4 at 0x6 thread T0\n    #0 0x4a in acquire(Pool*) /src/pool.c:12:5\n    #1 0x4b in main /src/main.c:5\n    #2 0x7f  (/lib/x86_64/libc.so.6+0x2)\n\n0x6 is located\nfreed by thread T0 here:\n    #0 0x4c in free (/app/prog+0x4c)\n    #1 0x4d in drop /src/pool.c:20:3\n",
        "
c
  reported heap-use-after-free: AddressSanitizer on address 0x6 at pc 0x4
    acquire /src/pool.c:12:5 code
    main /src/main.c:5 code
    - /lib/x86_64/libc.so.6 runtime
  aside : 0x6 is located
    free /app/prog runtime
    drop /src/pool.c:20:3 code",
    );
    check(
        Format::Cpp,
        "prog: src/pool.c:12: acquire: Assertion `n > 0' failed.\n",
        "
c
  reported assertion: n > 0
    acquire src/pool.c:12 code",
    );
    check(
        Format::Cpp,
        "==7== Invalid read of size 4\n==7==    at 0x10: acquire (pool.c:12)\n==7==    by 0x11: main (main.c:5)\n",
        "
c
  reported Invalid read of size 4: 
    acquire pool.c:12 code
    main main.c:5 code",
    );
    check(
        Format::Cpp,
        "Fixes:\n32 bytes in 4 blocks are definitely lost in loss record 1 of 2\n   at 0x10: acquire (pool.c:12)\n   by 0x11: main (main.c:5)\n Address 0x31 is 8 bytes inside a block of size 48 free'd\n   at 0x12: release (pool.c:20)\n",
        "
c
  reported 32 bytes in 4 blocks are definitely lost in loss record 1 of 2: 
    acquire pool.c:12 code
    main main.c:5 code
  aside : Address 0x31 is 8 bytes inside a block of size 48 free'd
    release pool.c:20 code",
    );
    check(
        Format::Cpp,
        "* thread #1, stop reason = EXC_BAD_ACCESS\n  * frame #0: 0x0001 prog`acme::Pool::acquire(this=0x0) at pool.cc:12:5\n    frame #1: 0x0002 prog`main at main.cc:3:1\n",
        "
cpp
  reported EXC_BAD_ACCESS: 
    acme::Pool::acquire pool.cc:12:5 code
    main main.cc:3:1 code",
    );
}

#[test]
fn csharp_with_inner_exceptions() {
    check(
        Format::CSharp,
        "Unhandled exception. Acme.PoolException: no room\n ---> System.InvalidOperationException: closed\n   at Acme.Conn.Open(String name, Int32 n) in /src/Conn.cs:line 7\n   --- End of inner exception stack trace ---\n   at Acme.Pool.<Acquire>d__3.MoveNext() in C:\\src\\Pool.cs:line 12\n--- End of stack trace from previous location ---\n   at System.Threading.Tasks.Task.Run()\n   at Acme.Main.Run()\n",
        "
csharp
  cause System.InvalidOperationException: closed
    Acme.Conn.Open /src/Conn.cs:7 code
  reported Acme.PoolException: no room
    Acme.Pool.Acquire C:\\src\\Pool.cs:12 code
    System.Threading.Tasks.Task.Run - runtime
    Acme.Main.Run - code",
    );
}
