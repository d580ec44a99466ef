"""Read, parse, dump and write notifications in a loop: python follow.py COUNT SERVER..."""

import json
import sys

from pipe import Server

server = Server(sys.argv[2:])
server.ask(1, "logging/setLevel", {"level": "info"})
write = sys.stdout.write
for _ in range(int(sys.argv[1])):
    write(json.dumps(json.loads(server.stdout.readline())) + "\n")
server.leave()
