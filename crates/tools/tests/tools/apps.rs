//! Pages of MCP Apps: each opens nothing, and shows texts as texts.

use m1nd_tools::{APPS, AppDef, app_of, find_app};

#[test]
fn pages_open_nothing_and_set_texts_as_text() {
    for app in APPS {
        let page = app.page();
        for forbidden in ["http:", "https:", "src=", "href=", "innerHTML", "outerHTML", "document.write", "eval(", "fetch("] {
            assert!(!page.contains(forbidden), "{} has {forbidden}", app.uri);
        }
        assert_eq!(page.matches("<script>").count(), 1, "{}", app.uri);
        assert!(m1nd_tools::find(app.tool()).is_some(), "{}", app.tool());
        assert_eq!(find_app(app.uri).map(AppDef::tool), Some(app.tool()));
        assert_eq!(app_of(app.tool()).map(|own| own.uri), Some(app.uri));
    }
    assert!(find_app("ui://m1nd/other").is_none() && app_of("seek").is_none());
}
