"""Uses a running server with the official Python MCP client, and validates the OpenAPI document of its REST face.

Usage: python_http.py URL TOKEN
Exits with 1 and says what is wrong at the first difference.
"""

import asyncio
import json
import sys
import urllib.request

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from openapi_spec_validator import OpenAPIV31SpecValidator

URL, TOKEN = sys.argv[1], sys.argv[2]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
CLIENTS = 3


async def use(name):
    """One client: it lists the tools and asks for callers."""
    async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as http:
        async with streamable_http_client(f"{URL}/mcp", http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                tools = await session.list_tools()
                assert len(tools.tools) > 50, len(tools.tools)
                answer = await session.call_tool("callers", {"agent_id": name, "node_id": "shop/price.py::gross"})
                assert not answer.is_error and "shop/order.py" in answer.content[0].text, answer


async def use_all():
    await asyncio.gather(*(use(f"python-{number}") for number in range(CLIENTS)))


def get(path):
    """The answer of the REST face."""
    with urllib.request.urlopen(urllib.request.Request(URL + path, headers=HEADERS)) as answer:
        return json.load(answer)


document = get("/api/openapi.json")
OpenAPIV31SpecValidator(document).validate()
asyncio.run(use_all())
print(f"passed  Python client over HTTP, {CLIENTS} at once; OpenAPI document of {len(document['paths'])} paths")
