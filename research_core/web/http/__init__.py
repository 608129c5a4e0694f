"""HTTP requests to guarded addresses: client, connections, redirects, robots.txt, pacing."""
