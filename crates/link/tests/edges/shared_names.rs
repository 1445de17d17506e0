//! Contracts between programs beside routes: procedures, fields, operations, topics, tools, tables, images, variables.

use std::sync::Arc;

use m1nd_base::{EdgeTier, Relation};
use m1nd_link::{FileLinks, Linker};

use crate::{Files, edges_of};

/// Edges of contracts as `from > to (line)`, with `?` behind what is not certain.
fn contracts(linker: &Linker, links: &[Arc<FileLinks>]) -> Vec<String> {
    let mut rows = Vec::new();
    for links in links {
        for edge in &links.edges {
            let to = linker.text(edge.to);
            let shown = match edge.relation {
                Relation::Requests | Relation::Serves | Relation::DependsOn => true,
                Relation::References => to.contains(".sql") || to.contains("models.py"),
                Relation::ReadsConfig | Relation::SetsConfig => to.starts_with("file::"),
                _ => false,
            };
            if !shown {
                continue;
            }
            let mark = if edge.tier == EdgeTier::Certain { "" } else { "?" };
            let line = links.sites(edge)[0].line;
            rows.push(format!("{} > {} ({line}){mark}", short(linker.text(edge.from)), short(to)));
        }
    }
    rows.sort();
    rows
}

/// An id without the words for kinds.
fn short(id: &str) -> String {
    let mut parts = id.trim_start_matches("file::").split("::");
    let file = parts.next().unwrap_or("").to_owned();
    let rest: Vec<&str> = parts.collect();
    rest.chunks(2).fold(file, |text, pair| text + "::" + pair.last().unwrap_or(&""))
}

const CART: (&str, &str) = (
    "protos/cart.proto",
    "syntax = \"proto3\";\npackage shop;\nservice CartService {\n  rpc AddItem(Item) returns (Empty) {}\n  rpc GetCart(Empty) returns (Cart);\n}\nmessage Item { string id = 1; }\nmessage Cart { repeated Item items = 1; }\nmessage Empty {}\n",
);

const CASES: &[(&str, Files<'_>, &[&str])] = &[
    (
        "gRPC in Go, with a server in C#",
        &[
            CART,
            (
                "src/web/rpc.go",
                "package main\nimport (\n\t\"context\"\n\tpb \"example.com/shop/genproto\"\n)\nfunc add(ctx context.Context, conn any) {\n\tpb.NewCartServiceClient(conn).AddItem(ctx, nil)\n\tc := pb.NewCartServiceClient(conn)\n\tc.GetCart(ctx, nil)\n\tc.Close()\n}\ntype web struct { cart pb.CartServiceClient }\nfunc (w *web) get(ctx context.Context) { w.cart.GetCart(ctx, nil) }\n",
            ),
            (
                "src/cart/CartService.cs",
                "namespace shop {\n  public class CartService : Shop.CartService.CartServiceBase {\n    public override Task<Empty> AddItem(Item item, ServerCallContext c) { return null; }\n    public override Task<Cart> GetCart(Empty e, ServerCallContext c) { return null; }\n  }\n}\n",
            ),
        ],
        &[
            "protos/cart.proto::CartService::AddItem > src/cart/CartService.cs::CartService::AddItem (4)",
            "protos/cart.proto::CartService::GetCart > src/cart/CartService.cs::CartService::GetCart (5)",
            "src/web/rpc.go::add > protos/cart.proto::CartService::AddItem (7)",
            "src/web/rpc.go::add > protos/cart.proto::CartService::GetCart (9)",
            "src/web/rpc.go::web::get > protos/cart.proto::CartService::GetCart (13)",
        ],
    ),
    (
        "gRPC servers in Go",
        &[
            CART,
            (
                "src/cart/main.go",
                "package main\nimport pb \"example.com/shop/genproto\"\ntype server struct { pb.UnimplementedCartServiceServer }\nfunc (s *server) AddItem(x *pb.Item) {}\nfunc main() { svc := &server{}; pb.RegisterCartServiceServer(nil, svc) }\n",
            ),
            ("src/cart/get.go", "package main\nfunc (s *server) GetCart(x any) {}\nfunc (s *server) Other() {}\n"),
        ],
        &[
            "protos/cart.proto::CartService::AddItem > src/cart/main.go::server::AddItem (4)",
            "protos/cart.proto::CartService::GetCart > src/cart/get.go::server::GetCart (5)",
        ],
    ),
    (
        "gRPC in Python and Java",
        &[
            CART,
            (
                "src/cart/server.py",
                "import cart_pb2_grpc\nclass Cart(cart_pb2_grpc.CartServiceServicer):\n    def AddItem(self, request, context): pass\n    def GetCart(self, request, context): pass\ncart_pb2_grpc.add_CartServiceServicer_to_server(Cart(), None)\n",
            ),
            (
                "src/web/client.py",
                "import cart_pb2_grpc\ndef run(channel):\n    stub = cart_pb2_grpc.CartServiceStub(channel)\n    stub.AddItem(1)\n    other.AddItem(1)\nclass Web:\n    def __init__(self, channel):\n        self.stub = cart_pb2_grpc.CartServiceStub(channel)\n    def get(self):\n        return self.stub.GetCart(1)\n",
            ),
            (
                "src/j/Client.java",
                "package j;\nimport shop.CartServiceGrpc;\nclass Client {\n  private final CartServiceGrpc.CartServiceBlockingStub stub;\n  Client(Channel c) { stub = CartServiceGrpc.newBlockingStub(c); }\n  void add() { stub.withDeadlineAfter(1).addItem(null); stub.getCart(null); }\n}\n",
            ),
            (
                "src/j/Server.java",
                "package j;\nimport shop.CartServiceGrpc;\nclass Server extends CartServiceGrpc.CartServiceImplBase {\n  public void addItem(Object a) {}\n}\n",
            ),
        ],
        &[
            "protos/cart.proto::CartService::AddItem > src/cart/server.py::Cart::AddItem (4)",
            "protos/cart.proto::CartService::AddItem > src/j/Server.java::Server::addItem (4)",
            "protos/cart.proto::CartService::GetCart > src/cart/server.py::Cart::GetCart (5)",
            "src/j/Client.java::Client::add > protos/cart.proto::CartService::AddItem (6)",
            "src/j/Client.java::Client::add > protos/cart.proto::CartService::GetCart (6)",
            "src/web/client.py::Web::get > protos/cart.proto::CartService::GetCart (10)",
            "src/web/client.py::run > protos/cart.proto::CartService::AddItem (4)",
        ],
    ),
    (
        "gRPC in JavaScript, Rust and C++",
        &[
            CART,
            (
                "src/js/server.js",
                "const grpc = require('@grpc/grpc-js');\nconst shop = load();\nfunction addItem(call, callback) {}\nfunction main() {\n  const server = new grpc.Server();\n  server.addService(shop.CartService.service, { addItem, getCart: take });\n}\nfunction take(call) {}\n",
            ),
            (
                "src/js/client.js",
                "const grpc = require('@grpc/grpc-js');\nconst client = new shop.CartService('h:1', null);\nfunction run() { client.addItem({}, () => {}); }\n",
            ),
            (
                "src/rs/src/lib.rs",
                "use shop::cart_service_server::{CartService, CartServiceServer};\nuse shop::cart_service_client::CartServiceClient;\npub struct Mine;\nimpl CartService for Mine {\n    async fn add_item(&self) {}\n}\npub async fn go() {\n    let mut c = CartServiceClient::connect(\"h\").await.unwrap();\n    c.get_cart(1).await;\n}\n",
            ),
            ("src/rs/Cargo.toml", "[package]\nname = \"cart\"\nversion = \"0.1.0\"\n"),
            (
                "src/cc/server.cc",
                "#include \"cart.grpc.pb.h\"\nusing shop::CartService;\nclass Impl final : public CartService::Service {\n  Status AddItem(ServerContext* c) override { return Status::OK; }\n};\nclass Client {\n  void Get() { stub_->GetCart(nullptr); }\n  std::unique_ptr<CartService::Stub> stub_;\n};\n",
            ),
        ],
        &[
            "protos/cart.proto::CartService::AddItem > src/cc/server.cc::Impl::AddItem (4)",
            "protos/cart.proto::CartService::AddItem > src/js/server.js::addItem (4)",
            "protos/cart.proto::CartService::AddItem > src/rs/src/lib.rs::CartService for Mine::add_item (4)",
            "protos/cart.proto::CartService::GetCart > src/js/server.js::take (5)",
            "src/cc/server.cc::Client::Get > protos/cart.proto::CartService::GetCart (7)",
            "src/js/client.js::run > protos/cart.proto::CartService::AddItem (3)",
            "src/rs/src/lib.rs::go > protos/cart.proto::CartService::GetCart (9)",
        ],
    ),
    (
        "tables of SQL",
        &[
            ("db/1.sql", "CREATE TABLE users (id INT, org INT);\nCREATE TABLE orgs (id INT);\n"),
            ("db/2.sql", "ALTER TABLE users ADD CONSTRAINT c FOREIGN KEY (org) REFERENCES orgs (id);\n"),
            (
                "app/a.py",
                "def load(db):\n    db.execute(\"SELECT * FROM users WHERE id = 1\")\n    db.execute(\"\"\"\n        UPDATE orgs SET a = 1\n    \"\"\")\ndef other():\n    \"\"\"Select one of users.\"\"\"\n    x = 'select a name from users'\n    return \"DELETE FROM gone\"\n",
            ),
            (
                "app/models.py",
                "from sqlalchemy.orm import DeclarativeBase\nclass User(DeclarativeBase):\n    __tablename__ = \"users\"\nclass Left(DeclarativeBase):\n    __tablename__ = 'lefts'\n",
            ),
            ("app/b.go", "package b\nfunc q(db DB) { db.Query(`SELECT a\n  FROM lefts l`) }\n"),
        ],
        &[
            "app/a.py::load > db/1.sql::orgs (4)",
            "app/a.py::load > db/1.sql::users (2)",
            "app/a.py::other > db/1.sql::users (8)",
            "app/b.go::q > app/models.py::Left (3)",
            "app/models.py::User > db/1.sql::users (3)",
            "db/2.sql > db/1.sql::orgs (1)",
            "db/2.sql > db/1.sql::users (1)",
        ],
    ),
    (
        "topics",
        &[
            (
                "a/send.py",
                "from kafka import KafkaProducer\nTOPIC = 'orders'\nproducer = KafkaProducer()\ndef send():\n    producer.send(TOPIC, b'x')\n    producer.send('other', b'x')\n    mail.send('orders')\n",
            ),
            (
                "b/read.go",
                "package main\nimport \"github.com/segmentio/kafka-go\"\nfunc read() {\n\tkafka.NewReader(kafka.ReaderConfig{Topic: \"orders\"})\n}\n",
            ),
            (
                "c/Listen.java",
                "package c;\nimport org.springframework.kafka.annotation.KafkaListener;\nclass Listen {\n  @KafkaListener(topics = \"orders\")\n  void on(String m) {}\n}\n",
            ),
            (
                "d/bus.js",
                "const amqp = require('amqplib');\nasync function run() {\n  const c = await amqp.connect('x');\n  const ch = await c.createChannel();\n  ch.consume('orders', handle);\n  ch.sendToQueue('orders', 1);\n}\nfunction handle(m) {}\n",
            ),
        ],
        &[
            "a/send.py::send > b/read.go::orders (5)",
            "a/send.py::send > b/read.go::orders (7)?",
            "a/send.py::send > c/Listen.java::orders (5)",
            "a/send.py::send > c/Listen.java::orders (7)?",
            "b/read.go::orders > b/read.go::read (4)",
            "c/Listen.java::orders > c/Listen.java::Listen::on (4)",
            "d/bus.js::orders > d/bus.js::handle (5)",
            "d/bus.js::run > d/bus.js::orders (6)",
        ],
    ),
    (
        "tools",
        &[
            (
                "s/server.py",
                "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n@mcp.tool()\ndef search(q: str): ...\n@mcp.tool(name='find')\ndef other(q: str): ...\n",
            ),
            (
                "c/client.ts",
                "import { Client } from '@modelcontextprotocol/sdk/client/index.js';\nconst client = new Client({ name: 'c' });\nexport async function run() {\n  await client.callTool({ name: 'search', arguments: {} });\n}\n",
            ),
            (
                "c/client.py",
                "from mcp import ClientSession\nasync def run(session: ClientSession):\n    await session.call_tool('find', {})\n    await session.call_tool('gone', {})\n",
            ),
        ],
        &[
            "c/client.py::run > s/server.py::find (3)",
            "c/client.ts::run > s/server.py::search (4)",
            "s/server.py::find > s/server.py::other (5)",
            "s/server.py::search > s/server.py::search (3)",
        ],
    ),
    (
        "operations of OpenAPI",
        &[
            (
                "api/openapi.yaml",
                "openapi: 3.0.0\nservers:\n  - url: https://h/v1\npaths:\n  /users/{id}:\n    get:\n      operationId: getUser\n  /gone/{id}:\n    post: {}\n",
            ),
            (
                "s/app.py",
                "from flask import Flask\napp = Flask(__name__)\n@app.get('/v1/users/<id>')\ndef show(id): pass\n",
            ),
            (
                "c/a.py",
                "import requests\ndef a(id):\n    requests.post(f'http://h/v1/gone/{id}')\n    requests.get(f'http://h/v1/users/{id}')\n",
            ),
        ],
        &[
            "api/openapi.yaml::GET /v1/users/{id} > s/app.py::GET /v1/users/{} (6)",
            "c/a.py::a > api/openapi.yaml::POST /v1/gone/{id} (3)",
            "c/a.py::a > s/app.py::GET /v1/users/{} (4)",
            "s/app.py::GET /v1/users/{} > s/app.py::show (3)",
        ],
    ),
    (
        "fields of GraphQL",
        &[
            (
                "s/schema.graphql",
                "type Query { user(id: ID!): User teams: [Team] }\ntype Mutation { save: User }\ntype User { id: ID! }\n",
            ),
            (
                "s/resolvers.js",
                "const resolvers = {\n  Query: {\n    user: (_, args) => load(args.id),\n    teams: (_) => teams(),\n  },\n  Mutation: { save() { return 1; } },\n};\nfunction teams() {}\nmodule.exports = resolvers;\n",
            ),
            (
                "c/q.ts",
                "import { gql } from '@apollo/client';\nexport const LOAD = gql`\n  query Load { user(id: 1) { id } }\n`;\nexport function save() { return run(gql`mutation { save { id } gone }`); }\n",
            ),
            (
                "p/app.py",
                "import strawberry\n@strawberry.type\nclass Query:\n    @strawberry.field\n    def all_users(self): ...\n",
            ),
            ("c/all.graphql", "query All { allUsers { id } }\n"),
        ],
        &[
            "c/all.graphql::All > p/app.py::Query::all_users (1)",
            "c/q.ts::LOAD > s/schema.graphql::Query::user (3)",
            "c/q.ts::save > s/schema.graphql::Mutation::save (5)",
            "s/schema.graphql::Mutation::save > s/resolvers.js::resolvers::Mutation::save (2)",
            "s/schema.graphql::Query::teams > s/resolvers.js::resolvers::Query::teams (1)",
            "s/schema.graphql::Query::user > s/resolvers.js::resolvers::Query::user (1)",
        ],
    ),
    (
        "images and variables",
        &[
            (
                "compose.yaml",
                "services:\n  web:\n    build: ./web\n    environment:\n      PORT: 80\n      - GONE=1\n    depends_on: [db]\n  db:\n    image: postgres\n    environment: { PORT: 1 }\n",
            ),
            ("web/Dockerfile", "FROM python:3\nENV MODE=x\nCMD [\"python\", \"app.py\"]\n"),
            (
                "web/app.py",
                "import os\ndef run():\n    return os.environ['PORT'], os.getenv('MODE'), os.getenv('NONE')\n",
            ),
            ("other/app.py", "import os\nP = os.environ['PORT']\n"),
            (
                "k8s/web.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: shop/web:1\n        env:\n        - name: PORT\n          value: \"8080\"\n        envFrom:\n        - configMapRef:\n            name: settings\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  MODE: fast\n",
            ),
            (
                "skaffold.yaml",
                "apiVersion: skaffold/v3\nkind: Config\nbuild:\n  artifacts:\n  - image: web\n    context: web\n",
            ),
        ],
        &[
            "compose.yaml::web > compose.yaml::db (7)",
            "compose.yaml::web > web/Dockerfile (3)",
            "k8s/web.yaml::web::server > k8s/web.yaml::settings (16)",
            "k8s/web.yaml::web::server > web/Dockerfile (10)?",
            "skaffold.yaml::web > web/Dockerfile (5)",
            "web/Dockerfile > web/app.py (3)",
            "web/app.py::run > compose.yaml::web::PORT (3)",
            "web/app.py::run > k8s/web.yaml::settings::MODE (3)",
            "web/app.py::run > k8s/web.yaml::web::server::PORT (3)",
            "web/app.py::run > web/Dockerfile::MODE (3)",
        ],
    ),
    (
        "queues of Amazon by address, ARN and name",
        &[
            (
                "p/app.py",
                "import boto3\nORDER_QUEUE = 'https://sqs.eu-west-1.amazonaws.com/1/orders'\nsqs = boto3.client('sqs')\nsns = boto3.client('sns')\ndef put():\n    sqs.send_message(QueueUrl=ORDER_QUEUE, MessageBody='x')\n    sns.publish(TopicArn='arn:aws:sns:eu-west-1:1:news', Message='x')\n    mail.post_message(QueueUrl='orders')\n",
            ),
            (
                "c/get.ts",
                "import { SQSClient, ReceiveMessageCommand } from '@aws-sdk/client-sqs';\nimport { SubscribeCommand } from '@aws-sdk/client-sns';\nexport async function get(client: SQSClient, sns) {\n  await client.send(new ReceiveMessageCommand({ QueueUrl: 'http://localhost:4566/000/orders' }));\n  await sns.send(new SubscribeCommand({ TopicArn: 'arn:aws:sns:eu-west-1:1:news' }));\n}\n",
            ),
            ("g/go.mod", "module example.com/g\n\nrequire github.com/aws/aws-sdk-go-v2/service/sqs v1.38.0\n"),
            (
                "g/main.go",
                "package main\nimport (\n\t\"github.com/aws/aws-sdk-go-v2/aws\"; \"github.com/aws/aws-sdk-go-v2/service/sqs\")\nfunc put(c *sqs.Client) { c.SendMessage(nil, &sqs.SendMessageInput{QueueUrl: aws.String(\"https://h/1/orders\")}) }\n",
            ),
            (
                "j/L.java",
                "package c;\nimport io.awspring.cloud.sqs.annotation.SqsListener;\nclass L {\n  @SqsListener(\"orders\")\n  void on(String m) {}\n}\n",
            ),
        ],
        &[
            "c/get.ts::news > c/get.ts::get (5)",
            "c/get.ts::orders > c/get.ts::get (4)",
            "g/main.go::put > c/get.ts::orders (4)",
            "g/main.go::put > j/L.java::orders (4)",
            "j/L.java::orders > j/L.java::L::on (4)",
            "p/app.py::put > c/get.ts::news (7)",
            "p/app.py::put > c/get.ts::orders (6)",
            "p/app.py::put > j/L.java::orders (6)",
        ],
    ),
    (
        "images through values of a chart",
        &[
            ("compose.yaml", "services:\n  api:\n    image: ghcr.io/shop/api:1\n    build: ./api\n"),
            ("api/Dockerfile", "FROM python:3\nCMD [\"python\", \"app.py\"]\n"),
            ("api/app.py", "import os\nP = os.environ['PORT']\n"),
            ("chart/Chart.yaml", "apiVersion: v2\nname: shop\n"),
            (
                "chart/values.yaml",
                "registry: ghcr.io\nimage:\n  repository: shop/api\n  tag: \"2\"\nother:\n  image:\n    registry: ghcr.io\n    repository: shop/api\n",
            ),
            (
                "chart/templates/api.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include \"shop.name\" . }}\nspec:\n  template:\n    spec:\n      containers:\n      - name: api\n        image: \"{{ .Values.registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\"\n        env:\n        - name: PORT\n          value: \"1\"\n      - name: computed\n        image: {{ include \"shop.image\" . }}\n      - name: unknown\n        image: {{ .Values.gone }}/shop/api\n",
            ),
            // No template of the chart, and no chart.
            (
                "k8s/templates/api.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nspec:\n  containers:\n  - name: api\n    image: {{ .Values.registry }}/{{ .Values.image.repository }}\n",
            ),
        ],
        &[
            "api/Dockerfile > api/app.py (2)",
            "api/app.py > chart/templates/api.yaml::{{ include \"shop.name\" . }}::api::PORT (2)",
            "chart/templates/api.yaml::{{ include \"shop.name\" . }}::api > api/Dockerfile (10)",
            "chart/values.yaml::image > api/Dockerfile (3)?",
            "chart/values.yaml::other.image > api/Dockerfile (8)",
            "compose.yaml::api > api/Dockerfile (4)",
        ],
    ),
    (
        "images that a Kustomization puts in place of others",
        &[
            ("compose.yaml", "services:\n  api:\n    image: ghcr.io/shop/api\n    build: ./api\n"),
            ("api/Dockerfile", "FROM python:3\n"),
            ("api/app.py", "import os\nP = os.environ['PORT'], os.environ['MODE']\n"),
            (
                "k/base/pod.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nspec:\n  containers:\n  - name: api\n    image: app-image:1\n    env:\n    - name: PORT\n      value: \"1\"\n    envFrom:\n    - configMapRef:\n        name: settings\n",
            ),
            ("k/base/kustomization.yaml", "resources:\n- pod.yaml\n- gone.yaml\n"),
            (
                "k/prod/kustomization.yaml",
                "kind: Kustomization\nresources:\n  - ../base\nimages:\n- name: app-image\n  newName: ghcr.io/shop/api\n  newTag: v2\nconfigMapGenerator:\n- name: settings\n  literals:\n  - MODE=fast\n",
            ),
            // Not applied by the one that has another name for the image.
            (
                "other/pod.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nspec:\n  containers:\n  - name: api\n    image: app-image\n",
            ),
        ],
        &[
            "api/app.py > k/base/pod.yaml::pod::api::PORT (2)",
            "api/app.py > k/prod/kustomization.yaml::settings::MODE (2)",
            "compose.yaml::api > api/Dockerfile (4)",
            "k/base/kustomization.yaml > k/base/pod.yaml (2)",
            "k/base/pod.yaml::pod::api > api/Dockerfile (8)",
            "k/base/pod.yaml::pod::api > k/prod/kustomization.yaml::settings (14)",
            "k/prod/kustomization.yaml > k/base/kustomization.yaml (3)",
            "k/prod/kustomization.yaml::app-image > api/Dockerfile (6)",
        ],
    ),
    (
        "names that coincide are no contract",
        &[
            CART,
            ("a.py", "def AddItem(x): ...\nclass Thing:\n    def AddItem(self): ...\nThing().AddItem()\n"),
            ("b.py", "import os\nPORT = os.environ['PORT']\n"),
            ("k/compose.yaml", "services:\n  a:\n    image: a\n    environment:\n      PORT: 1\n"),
            ("c.js", "bus.publish('orders'); queue.subscribe('orders', f); client.callTool({ name: 'x' });\n"),
            ("d.py", "@app.tool()\ndef x(): ...\n"),
        ],
        &[],
    ),
];

#[test]
fn programs_share_names() {
    let mut wrong = Vec::new();
    for (name, files, expected) in CASES {
        let found = edges_of(files, contracts);
        if found != *expected {
            let missing: Vec<&&str> = expected.iter().filter(|row| !found.iter().any(|own| own == *row)).collect();
            let more: Vec<&String> = found.iter().filter(|row| !expected.contains(&row.as_str())).collect();
            wrong.push(format!("{name}:\n  missing {missing:#?}\n  more {more:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
