"""The options that the pytest plug-in adds, and its marker."""

MARKER = "codriver"
OPTIONS = {
    "agent": "rules, null, claims, refuse, openai:MODEL, realtime:MODEL, a2a:URL, or ws: your own",
    "agent-command": "starts your own agent; {url} becomes the gateway's address (implies ws)",
    "agent-wait": "seconds to wait for an agent of your own",
    "gateway-port": "where an agent of your own connects; 0 is any free port",
    "base-url": "where the agent's model is",
    "broker": "auto, embedded, mosquitto, or mqtt(s)://HOST:PORT",
    "world": "world file or folder",
    "pace": "fast (no waiting for speech) or live",
    "latency-profile": "how long agents that ship seem to think",
    "tool-timeout": "seconds until a car that does not answer is given up",
}
