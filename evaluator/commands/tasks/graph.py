"""`codriver tasks graph`: which edges between tools the tasks use, and how often."""

from pathlib import Path

from evaluator.task.selection import load_tasks, load_world
from evaluator.task_making.tool_graph import Edge, tool_graph, uses
from evaluator.views.printing import print_json, print_rows
from vehicle_bus.tools import TOOLS


def graph(tasks_from: Path | None, world: Path | None, *, as_json: bool) -> None:
    """Print every tool and edge with the number of tasks that use it; a table has those used."""
    opened = load_world(tasks_from, world)
    tasks, known = load_tasks(tasks_from, opened), tool_graph(opened)
    tools, edges = uses(tasks, known, opened)
    if as_json:
        print_json(
            {
                "tasks": len(tasks),
                "tools": {tool.name: tools[tool.name] for tool in TOOLS},
                "edges": [
                    {"source": e.source, "kind": e.kind, "target": e.target, "tasks": edges[e]}
                    for e in sorted(known.edges, key=lambda edge: (-edges[edge], _named(edge)))
                ],
            }
        )
        return
    never = ", ".join(tool.name for tool in TOOLS if not tools[tool.name])
    rows = [(*_named(edge), str(number)) for edge, number in edges.most_common()]
    every = len(list(known.edges))
    below = f"{len(tasks)} tasks use {len(rows)} of {every} edges; never needed: {never or 'none'}"
    print_rows(("tool", "tells", "to", "tasks"), rows, below)


def _named(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.kind, edge.target
