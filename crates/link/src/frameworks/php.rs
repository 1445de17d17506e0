//! Registrations of PHP frameworks.

use super::Form::Decorated;
use super::What::{Command, EventHandler, Extension, Middleware, Provider, Route, Task, Test};
use super::{HandlerRule, row};

pub(super) const ROWS: &[HandlerRule] = &[
    row("Symfony", Decorated, Route, &["AsController", "Route"]),
    row("Symfony", Decorated, Command, &["AsCommand"]),
    row("Symfony", Decorated, EventHandler, &["AsDoctrineListener", "AsEventListener", "AsEntityListener"]),
    row("Doctrine", Decorated, EventHandler, &["AsDoctrineListener", "AsEntityListener"]),
    row(
        "Doctrine",
        Decorated,
        EventHandler,
        &["PostLoad", "PostPersist", "PostRemove", "PostUpdate", "PreFlush", "PrePersist", "PreRemove", "PreUpdate"],
    ),
    row("Symfony", Decorated, Task, &["AsCronTask", "AsMessageHandler", "AsPeriodicTask", "AsSchedule"]),
    row(
        "Symfony",
        Decorated,
        Provider,
        &["AsAlias", "AsDecorator", "AsTaggedItem", "Autoconfigure", "AutoconfigureTag", "Required", "When"],
    ),
    row("Symfony", Decorated, Extension, &["AsLiveComponent", "AsTwigComponent", "LiveAction", "LiveListener"]),
    row("Twig", Decorated, Extension, &["AsTwigFilter", "AsTwigFunction", "AsTwigTest"]),
    row("ApiPlatform", Decorated, Route, &["ApiResource", "Delete", "Get", "GetCollection", "Patch", "Post", "Put"]),
    row("Illuminate", Decorated, Provider, &["Bind", "Scoped", "Singleton"]),
    row("Illuminate", Decorated, EventHandler, &["ObservedBy", "UsePolicy"]),
    row("Livewire", Decorated, EventHandler, &["Computed", "On", "Renderless"]),
    row("Spatie\\RouteAttributes", Decorated, Route, &["Delete", "Get", "Patch", "Post", "Put", "Route"]),
    row("Spatie\\RouteAttributes", Decorated, Middleware, &["Middleware"]),
    row("Drupal", Decorated, Extension, &["Block", "Hook", "Plugin"]),
    row(
        "PHPUnit",
        Decorated,
        Test,
        &["After", "AfterClass", "Before", "BeforeClass", "PostCondition", "PreCondition", "Test"],
    ),
    row("Behat", Decorated, Test, &["AfterScenario", "BeforeScenario", "Given", "Then", "When"]),
];
