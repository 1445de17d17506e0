//! Languages of a Gradle build.

/// Adds the languages that a build script names by their plugins. A Kotlin script without any counts as a Kotlin
/// project, a Groovy script as a Java project.
pub(super) fn languages(name: &str, text: &str, found: &mut Vec<&'static str>) {
    let lines = || text.lines().map(|line| line.split("//").next().unwrap_or(line).trim());
    let is_kotlin = lines().any(|line| {
        let is_plugin = line.starts_with("kotlin(") || line.contains("org.jetbrains.kotlin");
        is_plugin
            || ["plugin: 'kotlin", "plugin: \"kotlin", "id 'kotlin", "id(\"kotlin"]
                .iter()
                .any(|form| line.contains(form))
    });
    let is_java = lines().any(|line| {
        let forms = ["id 'java", "id(\"java", "id \"java", "plugin: 'java", "plugin: \"java"];
        matches!(line, "java" | "`java-library`") || forms.iter().any(|form| line.contains(form))
    });
    let is_script_in_kotlin = name.ends_with(".kts");
    if is_java || (!is_kotlin && !is_script_in_kotlin) {
        found.push("java");
    }
    if is_kotlin || (!is_java && is_script_in_kotlin) {
        found.push("kotlin");
    }
}
