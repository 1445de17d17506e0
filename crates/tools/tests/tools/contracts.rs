//! Contracts between repositories: the edges that `federate` lists, and `why` and `impact` through them.

use serde_json::{Value, json};

use crate::harness::Project;

/// A service with its procedures, tools, table and image; a program that uses them; and how both are deployed.
const SHOP: &str = "\
//- cart/protos/cart.proto
syntax = \"proto3\";
package shop;
service CartService {
  rpc AddItem(Item) returns (Item);
}
message Item { string id = 1; }
//- cart/server.py
import os
import cart_pb2_grpc
from mcp.server.fastmcp import FastMCP

tools = FastMCP(\"cart\")


class Cart(cart_pb2_grpc.CartServiceServicer):
    def AddItem(self, request, context):
        return store(request, os.environ[\"CART_SIZE\"])


@tools.tool()
def clear_cart(user: str):
    return store(user, 0)


def store(item, size):
    return item
//- cart/db/schema.sql
CREATE TABLE cart_items (id INT);
//- cart/Dockerfile
FROM python:3
CMD [\"python\", \"server.py\"]
//- cart/compose.yaml
services:
  cart:
    build: .
    image: shop/cart
//- web/client.py
import cart_pb2_grpc
from mcp import ClientSession


def add(channel, item):
    return cart_pb2_grpc.CartServiceStub(channel).AddItem(item)


async def clear(session: ClientSession):
    await session.call_tool(\"clear_cart\", {})


def count(db):
    return db.execute(\"SELECT count(*) FROM cart_items\")
//- ops/cart.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cart
spec:
  template:
    spec:
      containers:
      - name: server
        image: shop/cart:2
        env:
        - name: CART_SIZE
          value: \"10\"
";

fn federate_members(project: &Project) -> Value {
    let repos: Value = ["cart", "ops", "web"].iter().map(|name| json!({"name": name, "path": name})).collect();
    let answer = project.call_federated("federate", json!({"repos": repos}));
    answer.unwrap_or_else(|error| panic!("{}", error.to_json()))
}

#[test]
fn contracts_are_edges_between_repositories_with_evidence_at_both_ends() {
    let project = Project::open_unindexed(SHOP);
    let answer = federate_members(&project);
    let rows = answer["cross_repo_edges"].as_array().expect("rows");
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    let mut found: Vec<String> = rows
        .iter()
        .map(|row| {
            let (from, to) = (&row["evidence"]["source"], &row["evidence"]["target"]);
            let place = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            format!("{} {} {} {}", text(row, "edge_type"), place(from), text(row, "relation"), place(to))
        })
        .collect();
    found.sort();
    let expected = [
        "api_contract web/client.py:6 requests cart/protos/cart.proto:4",
        "deployment_dep ops/cart.yaml:10 depends_on cart/Dockerfile:1",
        "mcp_contract web/client.py:10 requests cart/server.py:13",
        "shared_config cart/server.py:10 reads_config ops/cart.yaml:12",
        "shared_type web/client.py:14 references cart/db/schema.sql:1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_change_of_a_server_reaches_its_clients() {
    let project = Project::open_unindexed(SHOP);
    federate_members(&project);
    let ask = |tool: &str, arguments: Value| {
        let answer = project.call_federated(tool, arguments);
        answer.unwrap_or_else(|error| panic!("{tool}: {}", error.to_json())).to_string()
    };
    let why = ask("why", json!({"source": "web::file::client.py::fn::add", "target": "store"}));
    assert!(why.contains("cart.proto") && why.contains("serves"), "{why}");
    let impact = ask("impact", json!({"node_id": "cart::file::server.py::class::Cart::fn::AddItem"}));
    assert!(impact.contains("web::file::client.py::fn::add"), "{impact}");
    let impact = ask("impact", json!({"node_id": "cart::file::server.py::fn::clear_cart"}));
    assert!(impact.contains("web::file::client.py::fn::clear"), "{impact}");
}
