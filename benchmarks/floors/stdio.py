"""Send one request over stdio, using only the standard library: python stdio.py METHOD PARAMS SERVER..."""

import json
import sys

from pipe import Server

server = Server(sys.argv[3:])
result = server.ask(1, sys.argv[1], json.loads(sys.argv[2]))
sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
server.leave()
