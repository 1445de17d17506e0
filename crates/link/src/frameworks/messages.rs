//! Topics, queues and tools that programs share by name: which calls name them, as data.

use m1nd_lang::facts::TextUse;

/// What is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Point {
    /// A topic, queue or channel of a broker.
    Topic(&'static str),
    /// A tool that a server of the Model Context Protocol offers.
    Tool,
}

impl Point {
    /// The word in ids of nodes.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Topic(_) => "topic",
            Self::Tool => "tool",
        }
    }

    /// The word under which those of a name are found.
    pub(crate) fn index_word(self, name: &str) -> String {
        match self {
            Self::Topic(broker) => format!("topic {broker} {name}"),
            Self::Tool => format!("tool {name}"),
        }
    }

    /// The name in what code gives: queues and topics of Amazon are named by address or ARN as well.
    pub(crate) fn name_in(self, written: &str) -> &str {
        match self {
            SQS | SNS if written.starts_with("arn:") => written.rsplit(':').next().unwrap_or(written),
            SQS | SNS if written.contains("://") => written.rsplit('/').next().unwrap_or(written),
            _ => written,
        }
    }
}

/// Where the name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The argument at this place, counted from 0, or one of these keys.
    Argument(u8, &'static [&'static str]),
    /// Only under one of these keys.
    Key(&'static [&'static str]),
    /// The name of the decorated function, if none is given at this place or under the key `name`.
    Decorated(u8),
}

/// One way of naming something shared.
#[derive(Debug)]
pub(crate) struct MessageRow {
    pub(crate) point: Point,
    /// Package of the callee, decorator or type, including its subpackages.
    pub(crate) package: &'static str,
    pub(crate) names: &'static [&'static str],
    pub(crate) place: Place,
    /// It receives, or offers the tool; else it sends, or calls it.
    pub(crate) serves: bool,
}

impl MessageRow {
    /// Returns whether a text given to a callee of the row is the name.
    pub(crate) fn takes(&self, text: &TextUse) -> bool {
        match (self.place, text.key.as_deref()) {
            (Place::Argument(place, _), None) => text.place == place,
            (Place::Argument(_, keys) | Place::Key(keys), Some(key)) => keys.contains(&key),
            (Place::Decorated(place), None) => text.place == place,
            (Place::Decorated(_), Some(key)) => key == "name",
            (Place::Key(_), None) => false,
        }
    }
}

const KAFKA: Point = Point::Topic("kafka");
const AMQP: Point = Point::Topic("amqp");
const NATS: Point = Point::Topic("nats");
const REDIS: Point = Point::Topic("redis");
const JMS: Point = Point::Topic("jms");
const SQS: Point = Point::Topic("sqs");
const SNS: Point = Point::Topic("sns");
const NEST: Point = Point::Topic("nest");

const fn sends(point: Point, package: &'static str, names: &'static [&'static str], place: Place) -> MessageRow {
    MessageRow { point, package, names, place, serves: false }
}

const fn serves(point: Point, package: &'static str, names: &'static [&'static str], place: Place) -> MessageRow {
    MessageRow { point, package, names, place, serves: true }
}

const fn at(place: u8) -> Place {
    Place::Argument(place, &["topic", "topics"])
}

const QUEUE: &[&str] = &["queue", "queues", "routing_key"];
const QUEUE_URL: &[&str] = &["QueueUrl", "queueUrl"];
const TOPIC_ARN: &[&str] = &["TopicArn"];
const NAME: &[&str] = &["name", "Name"];
const TOPIC: &[&str] = &["Topic", "GroupTopics", "topic", "topics"];

/// The rows of all languages: packages tell them apart.
pub(crate) const ROWS: &[MessageRow] = &[
    // Python.
    sends(KAFKA, "kafka", &["send"], at(0)),
    serves(KAFKA, "kafka", &["KafkaConsumer", "subscribe"], at(0)),
    sends(KAFKA, "aiokafka", &["send", "send_and_wait"], at(0)),
    serves(KAFKA, "aiokafka", &["AIOKafkaConsumer", "subscribe"], at(0)),
    sends(KAFKA, "confluent_kafka", &["produce"], at(0)),
    serves(KAFKA, "confluent_kafka", &["subscribe"], at(0)),
    sends(AMQP, "pika", &["basic_publish"], Place::Argument(1, QUEUE)),
    serves(AMQP, "pika", &["basic_consume"], Place::Argument(0, QUEUE)),
    sends(NATS, "nats", &["publish", "request"], Place::Argument(0, &["subject"])),
    serves(NATS, "nats", &["subscribe"], Place::Argument(0, &["subject"])),
    sends(REDIS, "redis", &["publish"], Place::Argument(0, &["channel"])),
    serves(REDIS, "redis", &["subscribe"], Place::Argument(0, &[])),
    sends(SQS, "boto3", &["send_message", "send_message_batch"], Place::Key(QUEUE_URL)),
    serves(SQS, "boto3", &["receive_message"], Place::Key(QUEUE_URL)),
    sends(SNS, "boto3", &["publish", "publish_batch"], Place::Key(TOPIC_ARN)),
    serves(SNS, "boto3", &["subscribe"], Place::Key(TOPIC_ARN)),
    // JavaScript.
    sends(KAFKA, "kafkajs", &["send"], Place::Key(TOPIC)),
    serves(KAFKA, "kafkajs", &["subscribe"], Place::Key(TOPIC)),
    sends(AMQP, "amqplib", &["sendToQueue"], at(0)),
    sends(AMQP, "amqplib", &["publish"], at(1)),
    serves(AMQP, "amqplib", &["consume"], at(0)),
    sends(NATS, "nats", &["publish", "request"], at(0)),
    sends(REDIS, "ioredis", &["publish"], at(0)),
    serves(REDIS, "ioredis", &["subscribe", "psubscribe"], at(0)),
    serves(REDIS, "redis", &["psubscribe"], at(0)),
    sends(NEST, "@nestjs/microservices", &["emit", "send"], Place::Argument(0, &["cmd"])),
    serves(NEST, "@nestjs/microservices", &["EventPattern", "MessagePattern"], Place::Argument(0, &["cmd"])),
    sends(SQS, "@aws-sdk/client-sqs", &["SendMessageCommand", "SendMessageBatchCommand"], Place::Key(QUEUE_URL)),
    serves(SQS, "@aws-sdk/client-sqs", &["ReceiveMessageCommand"], Place::Key(QUEUE_URL)),
    sends(SNS, "@aws-sdk/client-sns", &["PublishCommand", "PublishBatchCommand"], Place::Key(TOPIC_ARN)),
    serves(SNS, "@aws-sdk/client-sns", &["SubscribeCommand"], Place::Key(TOPIC_ARN)),
    // Go.
    sends(KAFKA, "github.com/segmentio/kafka-go", &["Message", "Writer", "WriterConfig"], Place::Key(TOPIC)),
    serves(KAFKA, "github.com/segmentio/kafka-go", &["ReaderConfig"], Place::Key(TOPIC)),
    sends(KAFKA, "github.com/IBM/sarama", &["ProducerMessage"], Place::Key(TOPIC)),
    serves(KAFKA, "github.com/IBM/sarama", &["ConsumePartition"], at(0)),
    serves(KAFKA, "github.com/IBM/sarama", &["Consume"], at(1)),
    sends(KAFKA, "github.com/Shopify/sarama", &["ProducerMessage"], Place::Key(TOPIC)),
    serves(KAFKA, "github.com/Shopify/sarama", &["ConsumePartition"], at(0)),
    serves(KAFKA, "github.com/Shopify/sarama", &["Consume"], at(1)),
    serves(KAFKA, "github.com/confluentinc/confluent-kafka-go", &["Subscribe", "SubscribeTopics"], at(0)),
    sends(KAFKA, "github.com/confluentinc/confluent-kafka-go", &["TopicPartition"], Place::Key(TOPIC)),
    sends(AMQP, "github.com/rabbitmq/amqp091-go", &["Publish"], at(1)),
    sends(AMQP, "github.com/rabbitmq/amqp091-go", &["PublishWithContext"], at(2)),
    serves(AMQP, "github.com/rabbitmq/amqp091-go", &["Consume"], at(0)),
    sends(AMQP, "github.com/streadway/amqp", &["Publish"], at(1)),
    serves(AMQP, "github.com/streadway/amqp", &["Consume"], at(0)),
    sends(NATS, "github.com/nats-io/nats.go", &["Publish", "Request"], at(0)),
    serves(NATS, "github.com/nats-io/nats.go", &["Subscribe", "QueueSubscribe"], at(0)),
    sends(REDIS, "github.com/redis/go-redis", &["Publish"], at(1)),
    serves(REDIS, "github.com/redis/go-redis", &["Subscribe"], at(1)),
    sends(REDIS, "github.com/go-redis/redis", &["Publish"], at(1)),
    serves(REDIS, "github.com/go-redis/redis", &["Subscribe"], at(1)),
    sends(SQS, "github.com/aws/aws-sdk-go-v2/service/sqs", &["SendMessageInput"], Place::Key(QUEUE_URL)),
    serves(SQS, "github.com/aws/aws-sdk-go-v2/service/sqs", &["ReceiveMessageInput"], Place::Key(QUEUE_URL)),
    sends(SNS, "github.com/aws/aws-sdk-go-v2/service/sns", &["PublishInput"], Place::Key(TOPIC_ARN)),
    serves(SNS, "github.com/aws/aws-sdk-go-v2/service/sns", &["SubscribeInput"], Place::Key(TOPIC_ARN)),
    // Java.
    sends(KAFKA, "org.springframework.kafka", &["send"], at(0)),
    sends(KAFKA, "org.apache.kafka", &["ProducerRecord"], at(0)),
    serves(KAFKA, "org.apache.kafka", &["subscribe"], at(0)),
    serves(KAFKA, "org.springframework.kafka", &["KafkaListener"], Place::Key(TOPIC)),
    sends(AMQP, "org.springframework.amqp", &["convertAndSend"], at(0)),
    serves(AMQP, "org.springframework.amqp", &["RabbitListener"], Place::Key(QUEUE)),
    sends(AMQP, "com.rabbitmq", &["basicPublish"], at(1)),
    serves(AMQP, "com.rabbitmq", &["basicConsume"], at(0)),
    sends(JMS, "org.springframework.jms", &["convertAndSend"], at(0)),
    serves(JMS, "org.springframework.jms", &["JmsListener"], Place::Key(&["destination"])),
    sends(SQS, "io.awspring.cloud", &["send", "sendAsync", "convertAndSend"], at(0)),
    serves(SQS, "io.awspring.cloud", &["SqsListener"], Place::Argument(0, &["value", "queueNames"])),
    sends(SNS, "io.awspring.cloud", &["sendNotification"], at(0)),
    // Rust.
    sends(KAFKA, "rdkafka", &["to"], at(0)),
    serves(KAFKA, "rdkafka", &["subscribe"], at(0)),
    sends(AMQP, "lapin", &["basic_publish"], at(1)),
    serves(AMQP, "lapin", &["basic_consume"], at(0)),
    sends(NATS, "async_nats", &["publish"], at(0)),
    serves(NATS, "async_nats", &["subscribe", "queue_subscribe"], at(0)),
    sends(REDIS, "redis", &["publish"], at(0)),
    // Servers and clients of the Model Context Protocol.
    serves(Point::Tool, "mcp", &["tool"], Place::Decorated(0)),
    serves(Point::Tool, "fastmcp", &["tool"], Place::Decorated(0)),
    serves(Point::Tool, "mcp", &["tool"], Place::Argument(0, NAME)),
    serves(Point::Tool, "fastmcp", &["tool"], Place::Argument(0, NAME)),
    serves(Point::Tool, "mcp", &["Tool"], Place::Key(NAME)),
    serves(Point::Tool, "@modelcontextprotocol/sdk", &["tool", "registerTool"], Place::Argument(0, &[])),
    serves(Point::Tool, "rmcp", &["tool"], Place::Decorated(9)),
    serves(Point::Tool, "github.com/modelcontextprotocol/go-sdk", &["Tool"], Place::Key(NAME)),
    serves(Point::Tool, "github.com/mark3labs/mcp-go", &["NewTool"], Place::Argument(0, &[])),
    sends(Point::Tool, "mcp", &["call_tool"], Place::Argument(0, NAME)),
    sends(Point::Tool, "fastmcp", &["call_tool"], Place::Argument(0, NAME)),
    sends(Point::Tool, "@modelcontextprotocol/sdk", &["callTool"], Place::Key(NAME)),
    sends(Point::Tool, "rmcp", &["CallToolRequestParam", "CallToolRequestParams"], Place::Key(NAME)),
    sends(Point::Tool, "github.com/modelcontextprotocol/go-sdk", &["CallToolParams"], Place::Key(NAME)),
];
