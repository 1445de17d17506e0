//! C declarators, which wrap the declared name (`int (*handlers[4])(void)`).

use tree_sitter::Node;

/// Result of parsing a declarator.
#[derive(Debug, Clone, Copy)]
pub(in crate::languages) struct Declared<'t> {
    /// The node that is the name; for C++ it may be qualified.
    pub(in crate::languages) name: Node<'t>,
    /// The parameters, if the name is that of a function.
    pub(in crate::languages) parameters: Option<Node<'t>>,
    /// The name is a pointer to a function, or an array of them.
    pub(in crate::languages) function_pointer: bool,
    /// The function returns a function or an array of them, whose own type is not modelled.
    pub(in crate::languages) returns_function: bool,
    /// The name is an array.
    pub(in crate::languages) array: bool,
    /// The name is a pointer or a reference.
    pub(in crate::languages) pointer: bool,
}

/// Deepest nesting of one declarator.
const MAX_DEPTH: usize = 64;

/// Follows a declarator down to its name.
pub(in crate::languages) fn find_declared(declarator: Node<'_>) -> Option<Declared<'_>> {
    let mut node = declarator;
    let mut function = None;
    let (mut pointer_between, mut array, mut pointer, mut returns_function) = (false, false, false, false);
    // Declarators are read from the outside in: `int (*f)(int)` is a pointer between a function and its name.
    for _ in 0..MAX_DEPTH {
        let next = node.child_by_field_name("declarator");
        match node.kind() {
            "function_declarator" => {
                returns_function |= function.is_some();
                function = node.child_by_field_name("parameters");
                pointer_between = false;
            }
            "pointer_declarator" | "reference_declarator" => {
                pointer = true;
                pointer_between |= function.is_some();
            }
            "array_declarator" => array = true,
            "parenthesized_declarator" | "init_declarator" | "attributed_declarator" | "variadic_declarator" => {}
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "template_method"
            | "operator_cast"
            | "primitive_type"
            | "structured_binding_declarator" => {
                if node.kind() == "operator_cast" {
                    function =
                        node.child_by_field_name("declarator").and_then(|it| it.child_by_field_name("parameters"));
                }
                // A pointer between the name and the parameters makes a variable that holds a function.
                let function_pointer = function.is_some() && pointer_between;
                let parameters = function.filter(|_| !pointer_between);
                return Some(Declared { name: node, parameters, function_pointer, returns_function, array, pointer });
            }
            _ => return None,
        }
        node = match next {
            Some(next) => next,
            None => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| is_declarator(child.kind()))?
            }
        };
    }
    None
}

fn is_declarator(kind: &str) -> bool {
    kind.ends_with("declarator") || kind.ends_with("identifier") || matches!(kind, "operator_name" | "destructor_name")
}

/// The declarators of a declaration.
pub(in crate::languages) fn declarators(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children_by_field_name("declarator", &mut cursor).filter(Node::is_named).collect()
}
