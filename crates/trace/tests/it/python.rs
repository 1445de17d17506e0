use m1nd_trace::Format;

#[track_caller]
fn check(text: &str, expected: &str) {
    super::check(Format::Python, text, expected);
}

#[test]
fn a_traceback_between_other_lines() {
    check(
        "INFO: starting\nTraceback (most recent call last):\n  File \"backend/handler.py\", line 234, in handle_message\n    return pool.acquire()\n           ~~~~~~~~~~~~^^\n  File \"/usr/lib/python3.11/queue.py\", line 168, in get\n  File \"C:\\app\\backend\\worker.py\", line 156, in submit\n    raise TimeoutError(\"pool exhausted\")\npool.errors.TimeoutError: pool exhausted\nINFO: done\n",
        "
python
  reported pool.errors.TimeoutError: pool exhausted
    submit C:\\app\\backend\\worker.py:156 code
    get /usr/lib/python3.11/queue.py:168 runtime
    handle_message backend/handler.py:234 code",
    );
}

#[test]
fn frames_without_a_header_and_without_an_end() {
    check(
        "  File \"a.py\", line 1, in <module>\n    main()\n  [Previous line repeated 967 more times]\n  File \"b.py\", line 2, in main\n",
        "
python
  reported :  (+967)
    main b.py:2 code
    <module> a.py:1 code",
    );
}

#[test]
fn a_chain_begins_with_its_root() {
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in load\nKeyError: 'x'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"b.py\", line 4, in get\nLookupError\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"c.py\", line 5, in run\nRuntimeError: no: good\n",
        "
python
  cause KeyError: 'x'
    load a.py:3 code
  context LookupError: 
    get b.py:4 code
  reported RuntimeError: no: good
    run c.py:5 code",
    );
}

#[test]
fn groups() {
    check(
        "  + Exception Group Traceback (most recent call last):\n  |   File \"main.py\", line 7, in main\n  |     raise ExceptionGroup(\"many\", errors)\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"one.py\", line 1, in first\n    | ValueError: 1\n    +---------------- 2 ----------------\n    | TypeError: 2\n    +------------------------------------\nafter\n",
        "
python
  reported ExceptionGroup: many (2 sub-exceptions)
    main main.py:7 code
  member ValueError: 1
    first one.py:1 code
  member TypeError: 2",
    );
}

#[test]
fn errors_of_syntax() {
    check(
        "  File \"/app/x.py\", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
        "
python
  reported SyntaxError: invalid syntax
    - /app/x.py:3 code",
    );
}

#[test]
fn frames_as_ipython_prints_them() {
    check(
        "In [1]: run()\n---------------------------------------------------------------------------\nTypeError                                 Traceback (most recent call last)\n<ipython-input-1-b32e> in <module>()\n----> 1 run()\n\n~/lib/python3.5/site-packages/app/pool.py in run(a, **b)\n    442 def run(a, **b):\n--> 444     return inner(a)\n    445 \n\nFile ~/app/core.py:7, in Pool.inner(self)\n      6 x\n----> 7     y\n\nTypeError: no\n",
        "
python
  reported TypeError: no
    Pool.inner ~/app/core.py:7 code
    run ~/lib/python3.5/site-packages/app/pool.py:444 vendored
    <module> <ipython-input-1-b32e>:1 code",
    );
}

#[test]
fn a_traceback_that_is_set_in() {
    check(
        "    >>> run()\n    ...\n    File \"C:\\app\\a.py\", line 5, in run\n        if x is y:\n    NameError: name 'x' is not defined\n\nFails for 2, 3\n",
        "
python
  reported NameError: name 'x' is not defined
    run C:\\app\\a.py:5 code",
    );
    check(
        "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File \"a.py\", line 1, in f\nINTERNALERROR>     raise x\nINTERNALERROR> ValueError: x\n",
        "
python
  reported ValueError: x
    f a.py:1 code",
    );
}

#[test]
fn pytest_in_both_forms() {
    check(
        "=== FAILURES ===\n____________________ test_total ____________________\n\n    def test_total():\n>       assert total([1]) == 2\n\ntests/test_a.py:5: \n_ _ _ _ _ _ _\n\n    def total(rows):\n>       return rows.sum()\nE       AttributeError: 'list' object has no attribute 'sum'\n\nsrc/a.py:9: AttributeError\n=== short test summary info ===\n",
        "
python
  reported AttributeError: 'list' object has no attribute 'sum'
    total src/a.py:9 code
    test_total tests/test_a.py:5 code",
    );
    check(
        "tests/test_a.py:5: in test_total\n    assert total([1]) == 2\nsrc/a.py:9: in total\n    return 1\nE   assert 1 == 2\n",
        "
python
  reported AssertionError: assert 1 == 2
    total src/a.py:9 code
    test_total tests/test_a.py:5 code",
    );
}

#[test]
fn frames_that_refuse() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n  File \"a.py\", line 5, in g\n    raise ValueError(1)\nValueError: 1\n";
    let log: String = text.lines().map(|line| format!("2024-05-01T10:00:00Z {line}\n")).collect();
    for text in [text.to_owned(), log, text.replace('\n', "\\n"), text.replace("raise", "raised =")] {
        let frames = &m1nd_trace::parse(&text, None).traces[0].exceptions[0].frames;
        let refuses: Vec<bool> = frames.iter().map(|frame| frame.refuses).collect();
        assert_eq!(refuses, [!text.contains("raised"), false], "{text}");
    }
}

#[test]
fn frames_below_a_banner() {
    check(
        "____________ app/tests/test_pool.py:test_acquire ____________\n  File \"/home/u/app/tests/test_pool.py\", line 78, in test_acquire\n    assert pool.size == 3\nAssertionError\n\n==== tests finished ====\n",
        "
python
  reported AssertionError: 
    test_acquire /home/u/app/tests/test_pool.py:78 code",
    );
}

#[test]
fn two_tracebacks_are_two_traces() {
    let one = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\n";
    let row = "python\n  reported ValueError: x\n    f a.py:1 code\n";
    check(&format!("{one}\nsome words between\n\n{one}"), &format!("{row}{row}"));
    check(&format!("```\n{one}```\n"), row);
    let quoted: String = one.lines().map(|line| format!("> {line}\n")).collect();
    check(&quoted, row);
    check(&one.replace('\n', "\\n"), row);
    check(&format!("\u{1b}[31m{}\u{1b}[0m", one.trim_end()), row);
}
