//! Registrations of .NET frameworks.

use super::Form::{Argument, Decorated, From};
use super::What::{Command, EventHandler, Middleware, Provider, Route, Task, Test};
use super::{HandlerRule, row};

const VERBS: &[&str] =
    &["AcceptVerbs", "HttpDelete", "HttpGet", "HttpHead", "HttpOptions", "HttpPatch", "HttpPost", "HttpPut", "Route"];
const MAPPINGS: &[&str] = &["Map", "MapDelete", "MapFallback", "MapGet", "MapMethods", "MapPatch", "MapPost", "MapPut"];
const NUNIT: &[&str] = &[
    "OneTimeSetUp", "OneTimeTearDown", "SetUp", "SetUpFixture", "TearDown", "Test", "TestCase", "TestCaseSource",
    "TestFixture", "Theory",
];
const MSTEST: &[&str] = &[
    "AssemblyCleanup", "AssemblyInitialize", "ClassCleanup", "ClassInitialize", "DataTestMethod", "TestClass",
    "TestCleanup", "TestInitialize", "TestMethod",
];
const BENCHMARKS: &[&str] = &["Benchmark", "GlobalCleanup", "GlobalSetup", "IterationCleanup", "IterationSetup"];
const SERIALIZATION: &[&str] = &["OnDeserialized", "OnDeserializing", "OnSerialized", "OnSerializing"];

pub(super) const ROWS: &[HandlerRule] = &[
    row("Microsoft.AspNetCore", Decorated, Route, VERBS),
    row("Microsoft.AspNetCore", Decorated, Provider, &["ApiController", "Controller"]),
    row("Microsoft.AspNetCore", Argument(1), Route, MAPPINGS),
    row("Microsoft.AspNetCore", Argument(0), Middleware, &["Run", "Use"]),
    row("Microsoft.Extensions.DependencyInjection", From(0), Provider, &["AddScoped", "AddSingleton", "AddTransient"]),
    row("Microsoft.Azure", Decorated, Task, &["Function", "FunctionName"]),
    row("Xunit", Decorated, Test, &["Fact", "Theory"]),
    row("NUnit.Framework", Decorated, Test, NUNIT),
    row("Microsoft.VisualStudio.TestTools.UnitTesting", Decorated, Test, MSTEST),
    row("BenchmarkDotNet", Decorated, Test, BENCHMARKS),
    row("System.CommandLine", Argument(0), Command, &["SetAction", "SetHandler"]),
    row("System", Decorated, EventHandler, SERIALIZATION),
];
