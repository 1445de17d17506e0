//! Finds the texts that a file gives to calls, decorators and names, for contracts between programs: routes, addresses,
//! topics.
//!
//! One pass over the bytes serves all languages, because texts, brackets and commas look alike in them, and a second
//! walk over the tree would cost more than all that is found. What is misread that way has no effect by itself: a text
//! counts only where a call or decorator of the syntax tree stands at the same place.

use m1nd_base::Pos;

use crate::Language;
use crate::facts::{FileFacts, Role, TextUse};
use crate::lines::Lines;

mod embedded;
mod literal;
mod scan;

/// Maximum texts of a file; further ones are left out.
const MAX_TEXTS: usize = 4_096;

/// Callees of which texts without a `/` are kept: names of tools, topics, tables and modules of routes.
const CALLEES: &[&str] = &[
    "add_url_rule", "all", "any", "api_route", "Controller", "controller", "delete", "Delete", "DELETE",
    "DeleteMapping", "get", "Get", "GET", "GetMapping", "Handle", "HandleFunc", "HttpDelete", "HttpGet", "HttpPatch",
    "HttpPost", "HttpPut", "include", "KafkaListener", "Method", "MethodFunc", "NewRequest", "NewRequestWithContext",
    "patch", "Patch", "PATCH", "PatchMapping", "path", "Path", "post", "Post", "POST", "PostMapping", "put", "Put",
    "PUT", "PutMapping", "register", "re_path", "request", "RequestMapping", "route", "Route", "url",
];

/// Callees of which names are kept as well as texts: of topics, tools, tables and procedures, which are often
/// constants.
pub(super) const NAMED: &[&str] = &[
    "ConsumePartition", "ConsumerGroup", "AddTool", "DgsMutation", "DgsQuery", "DgsSubscription", "Entity",
    "EventPattern", "GrpcMethod", "GrpcStreamMethod", "KafkaConsumer", "KafkaListener", "JmsListener",
    "MessagePattern", "Mutation", "MutationMapping", "NewTool", "ProducerRecord", "Publish", "PublishBatchCommand",
    "PublishCommand", "PublishWithContext", "Query", "QueryMapping", "QueueSubscribe", "RabbitListener",
    "ReceiveMessageCommand", "Send", "SendMessageBatchCommand", "SendMessageCommand", "SqsListener", "Subscribe",
    "SubscribeCommand", "SubscribeTopics", "Subscription", "SubscriptionMapping", "Table", "assertQueue",
    "basicConsume", "basicPublish", "basic_consume", "basic_publish", "call_tool", "callTool", "consume", "Consume",
    "convertAndSend", "create_table", "createTable", "define", "emit", "field", "produce", "pgTable", "mysqlTable",
    "sqliteTable", "psubscribe", "publish", "publish_batch", "queue_subscribe", "receive_message", "registerTool",
    "send", "sendAsync", "sendNotification", "sendToQueue", "send_and_wait", "send_message", "send_message_batch",
    "set_field", "subscribe", "to", "tool", "Topic",
];

/// Types of which a literal is read like a call: what their fields have is that of the message or tool.
pub(super) const LITERALS: &[&str] = &[
    "CallToolParams", "CallToolRequestParam", "CallToolRequestParams", "Message", "ProducerMessage", "PublishInput",
    "ReaderConfig", "ReceiveMessageInput", "SendMessageInput", "SubscribeInput", "Tool", "TopicPartition", "Writer",
    "WriterConfig",
];

/// Names of arguments, keys and variables of which texts without a `/` are kept.
const KEYS: &[&str] = &[
    "baseURL", "baseUrl", "base_url", "method", "methods", "name", "prefix", "prefixUrl", "Name", "Topic",
    "GroupTopics", "queue", "queues", "topic", "topics", "url_prefix", "__tablename__", "db_table",
];
/// Words in names of variables whose texts are kept although they are no paths.
const NAME_WORDS: &[&str] = &["topic", "queue", "channel", "subject", "exchange", "routing", "tool_name"];

/// Fills [`FileFacts::texts`] of a file whose other facts are complete.
pub(crate) fn add(language: Language, text: &str, facts: &mut FileFacts) {
    let Some(syntax) = literal::syntax(language) else { return };
    let (mut rows, documents) = scan::scan(syntax, text);
    rows.retain(is_kept);
    rows.truncate(MAX_TEXTS);
    let mut lines = Lines::new(text);
    for row in rows {
        let reference = match row.callee {
            Some((start, _)) => {
                let pos = lines.pos(start);
                match place(facts, pos) {
                    Some(place) => Some(place),
                    None => continue,
                }
            }
            None => None,
        };
        facts.texts.push(TextUse {
            reference,
            place: row.place,
            key: row.key.map(Into::into),
            text: row.text.into(),
            around: row.around.into(),
            pos: lines.pos(row.start),
        });
    }
    facts.texts.shrink_to_fit();
    embedded::add(&documents, text, &mut lines, facts);
}

fn is_kept(row: &scan::Found<'_>) -> bool {
    let says = row.text.contains('/');
    let named = row.key.is_some_and(|key| KEYS.contains(&key));
    match row.callee {
        Some((_, callee)) => {
            says || named || CALLEES.contains(&callee) || NAMED.contains(&callee) || is_variable(&row.text)
        }
        None => row.key.is_some_and(|key| says || names_something(key)),
    }
}

/// Returns whether a text is written like the name of an environment variable of several words.
fn is_variable(text: &str) -> bool {
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns whether a variable or field of this name holds the name of a topic, a queue or a table.
fn names_something(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    NAME_WORDS.iter().any(|word| lower.contains(word)) || matches!(key, "__tablename__" | "db_table")
}

/// The call or decorator whose last name is at a position, or the type of a literal.
fn place(facts: &FileFacts, pos: Pos) -> Option<u32> {
    let start = facts.references.partition_point(|row| row.pos < pos);
    let rows = facts.references[start..].iter().take_while(|row| row.pos == pos);
    let calls = |role| matches!(role, Role::Call | Role::Decorate | Role::Macro);
    let mut rows = rows.enumerate();
    let (at, _) =
        rows.clone().find(|(_, row)| calls(row.role)).or_else(|| rows.find(|(_, row)| row.role == Role::Type))?;
    u32::try_from(start + at).ok()
}

#[cfg(test)]
mod tests;
