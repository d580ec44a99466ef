"""Send requests and read responses in a loop: python script.py COUNT SERVER..."""

import sys

from pipe import Server

server = Server(sys.argv[2:])
results = [
    server.ask(number, "tools/call", {"name": "echo", "arguments": {"text": f"step {number}"}})
    for number in range(1, int(sys.argv[1]) + 1)
]
print(len(results))
server.leave()
