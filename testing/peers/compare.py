#!/usr/bin/env python3
"""Holds Evergraph's defaults against those of igraph, networkx and scipy.

    testing/peers/compare.py --evergraph target/release/evergraph --data DIR > docs/peers.md

Each graph is imported, each algorithm is run with `-o`, and the values are compared with
what the libraries return on the same file, read here without Evergraph: igraph's graph
has every line of the file as an edge, networkx's is a `Graph` or `DiGraph`, which has
parallel edges once. A cell says `equal`, or with which parameter of ours or of theirs the
values become equal, or the greatest difference.
"""

import argparse
import gzip
import io
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import igraph
import networkx
import numpy
import scipy
from scipy.sparse import csr_array, csgraph

# Edges that networkx searches in about a minute.
MOST_IN_PYTHON = 200_000_000
EXACT = 1e-9
# Both sides iterate until little changes.
ITERATED = 2e-6


class Source:
    """A file of edges, and how it is imported."""

    def __init__(self, name, path, *flags, directed=False, form="pairs", weight=None):
        self.name, self.path, self.flags = name, path, flags
        self.directed, self.form, self.weight = directed, form, weight


GRAPHS = [
    Source("karate", "small-algo/karate.graph", form="metis"),
    Source("lesmis", "small-algo/lesmis.graph", "--weighted", form="metis", weight=1),
    Source("celegans", "small-algo/celegans_metabolic.graph", form="metis"),
    Source("jazz", "small-algo/jazz.graph", form="metis"),
    Source("power", "small-algo/power.graph.gz", form="metis"),
    Source("facebook-combined", "facebook-combined/facebook-combined.jlg.csv.gz",
           "--undirected", form="titled"),
    Source("as-733", "as-733/as-733-events.tsv.zst", "--undirected", form="events"),
    Source("wiki-Vote", "small-algo/wiki-Vote.txt.gz", directed=True),
    Source("bitcoin-otc", "bitcoin-otc/soc-sign-bitcoinotc.csv.gz", directed=True,
           form="titled"),
    Source("collegemsg", "collegemsg/CollegeMsg.txt.gz", directed=True),
    Source("soc-Epinions1", "soc-epinions1/soc-Epinions1.txt.gz", directed=True),
    Source("web-NotreDame", "web-notredame/web-NotreDame.txt.gz", directed=True),
    Source("road-ny", "road-ny-weighted/road-ny.txt.zst", "--weighted", directed=True,
           weight=2),
]


def lines_of(path):
    if path.suffix == ".zst":
        data = subprocess.run(["zstdcat", path], check=True, stdout=subprocess.PIPE).stdout
        return io.StringIO(data.decode())
    return gzip.open(path, "rt") if path.suffix == ".gz" else open(path)


def pairs(rows, weight):
    for row in rows:
        parts = row.replace(",", " ").split()
        if parts and not parts[0].startswith(("#", "%")):
            yield parts[0], parts[1], float(parts[weight]) if weight else 1.0


def titled(rows, weight):
    next(rows)
    yield from pairs(rows, weight)


def metis(rows, weight):
    next(rows)
    step = 2 if weight else 1
    for number, row in enumerate(rows, 1):
        parts = row.split()
        for at in range(0, len(parts), step):
            if number <= int(parts[at]):
                yield str(number), parts[at], float(parts[at + 1]) if weight else 1.0


def events(rows, _weight):
    """The edges that are left after all additions and deletions."""
    left = {}
    for row in rows:
        _, sign, *edge = row.split()
        edge = tuple(edge)
        left[edge] = left.get(edge, 0) + (1 if sign == "+" else -1)
    for (u, v), times in left.items():
        for _ in range(times):
            yield u, v, 1.0


class Graph:
    """A graph as each library has it."""

    def __init__(self, source, path, names):
        read = {"pairs": pairs, "titled": titled, "metis": metis, "events": events}
        self.names, self.directed = names, source.directed
        self.weighted = source.weight is not None
        number = {name: at for at, name in enumerate(names)}
        with lines_of(path) as rows:
            edges = [(number[u], number[v], w)
                     for u, v, w in read[source.form](iter(rows), source.weight)]
        self.edges, n = edges, len(names)
        self.igraph = igraph.Graph(n, [(u, v) for u, v, _ in edges], directed=self.directed)
        self.networkx = (networkx.DiGraph if self.directed else networkx.Graph)()
        self.networkx.add_nodes_from(range(n))
        self.networkx.add_edges_from((u, v) for u, v, _ in edges)
        least = {}
        for u, v, w in edges:
            for ends in ((u, v),) if self.directed else ((u, v), (v, u)):
                least[ends] = min(w, least.get(ends, math.inf))
        u, v = zip(*least)
        self.scipy = csr_array((list(least.values()), (u, v)), shape=(n, n))
        self.weights = least

    def undirected(self):
        """networkx's graph without directions and self-loops."""
        graph = self.networkx.to_undirected()
        graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
        return graph

    def without_loops(self):
        graph = self.networkx.copy()
        graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
        return graph

    def simple(self):
        """igraph's graph without directions, self-loops and parallel edges."""
        return self.igraph.as_undirected(mode="collapse").simplify()

    def with_weights(self):
        graph = self.networkx.copy()
        for (u, v), weight in self.weights.items():
            if graph.has_edge(u, v):
                graph[u][v]["weight"] = weight
        return graph

    def source(self):
        """The vertex with the most out-neighbors, as the file lists them."""
        return int(numpy.argmax(numpy.diff(self.scipy.indptr)))


def by_vertex(graph, values):
    return [values.get(v, math.inf) for v in range(len(graph.names))]


def of_parts(graph, parts):
    labels = [0] * len(graph.names)
    for label, part in enumerate(parts):
        for vertex in part:
            labels[vertex] = label
    return labels


def networkx_weak(graph):
    parts = (networkx.weakly_connected_components if graph.directed
             else networkx.connected_components)
    return of_parts(graph, parts(graph.networkx))


def triangles_of(graph):
    at = [0] * graph.vcount()
    for triangle in graph.list_triangles():
        for vertex in triangle:
            at[vertex] += 1
    return at


def distances(graph, weighted):
    weights = [w for _, _, w in graph.edges] if weighted else None
    return graph.igraph.distances(graph.source(), weights=weights, mode="out")[0]


def networkx_values(call):
    return lambda graph: by_vertex(graph, dict(call(graph)))


class Comparison:
    """An algorithm: parameters of ours to try, and the libraries' calls to try, the
    defaults first; each with the words for the table."""

    def __init__(self, name, libraries, ours=("",), tolerance=EXACT, kind="values", only=None,
                 in_python=0):
        self.name, self.libraries, self.ours = name, libraries, ours
        self.tolerance, self.kind = tolerance, kind
        # Times that networkx looks at an edge for each vertex.
        self.in_python = in_python
        self.only = only or (lambda graph: True)


def small(graph):
    return len(graph.edges) < 200_000


UNWEIGHTED = Comparison("bfs", {
    "igraph": [("", lambda g: distances(g, False))],
    "networkx": [("", networkx_values(
        lambda g: networkx.single_source_shortest_path_length(g.networkx, g.source())))],
    "scipy": [("", lambda g: csgraph.dijkstra(
        g.scipy, directed=True, indices=g.source(), unweighted=True))],
})
COMPARISONS = [
    Comparison("connected-components", {
        "igraph": [("", lambda g: g.igraph.components(mode="weak").membership)],
        "networkx": [("", networkx_weak)],
        "scipy": [("", lambda g: csgraph.connected_components(g.scipy, connection="weak")[1])],
    }, kind="partition"),
    Comparison("strongly-connected-components", {
        "igraph": [("", lambda g: g.igraph.components(mode="strong").membership)],
        "networkx": [("", lambda g: of_parts(
            g, networkx.strongly_connected_components(g.networkx)))],
        "scipy": [("", lambda g: csgraph.connected_components(
            g.scipy, connection="strong")[1])],
    }, kind="partition", only=lambda g: g.directed),
    Comparison("pagerank", {
        "igraph": [("", lambda g: g.igraph.pagerank())],
        "networkx": [("", networkx_values(lambda g: networkx.pagerank(g.networkx))),
                     ("tol=1e-10", networkx_values(
                         lambda g: networkx.pagerank(g.networkx, tol=1e-10))),
                     ("tol=1e-10, without self-loops", networkx_values(
                         lambda g: networkx.pagerank(g.without_loops(), tol=1e-10)))],
    }, ours=("", "graph=simple"), tolerance=ITERATED),
    Comparison("k-core", {
        "igraph": [("", lambda g: g.igraph.coreness()),
                   ("as_undirected().simplify()", lambda g: g.simple().coreness())],
        "networkx": [("", networkx_values(lambda g: networkx.core_number(g.networkx))),
                     ("without self-loops",
                      networkx_values(lambda g: networkx.core_number(g.without_loops()))),
                     ("to_undirected(), without self-loops",
                      networkx_values(lambda g: networkx.core_number(g.undirected())))],
    }, ours=("", "parallel=each")),
    Comparison("betweenness", {
        "igraph": [("", lambda g: g.igraph.betweenness())],
        "networkx": [("", networkx_values(
            lambda g: networkx.betweenness_centrality(g.networkx)))],
    }, ours=("", "normalized=pairs", "normalized=pairs graph=simple"), only=small,
        in_python=10),
    Comparison("closeness", {
        "igraph": [("", lambda g: g.igraph.closeness()),
                   ('mode="in", nan as 0',
                    lambda g: numpy.nan_to_num(g.igraph.closeness(mode="in")))],
        "networkx": [("", networkx_values(lambda g: networkx.closeness_centrality(g.networkx)))],
    }, ours=("", "reached=only"), only=small, in_python=1),
    Comparison("harmonic", {
        "igraph": [("", lambda g: g.igraph.harmonic_centrality()),
                   ('mode="in"', lambda g: g.igraph.harmonic_centrality(mode="in"))],
        "networkx": [("", networkx_values(lambda g: networkx.harmonic_centrality(g.networkx)))],
    }, ours=("", "normalized=true"), only=small, in_python=1),
    Comparison("triangle-count", {
        "igraph": [("", lambda g: triangles_of(g.igraph)),
                   ("as_undirected().simplify()", lambda g: triangles_of(g.simple()))],
        "networkx": [("", networkx_values(lambda g: networkx.triangles(g.networkx))),
                     ("to_undirected()",
                      networkx_values(lambda g: networkx.triangles(g.undirected())))],
    }),
    Comparison("local-clustering", {
        "igraph": [("", lambda g: g.igraph.transitivity_local_undirected()),
                   ('mode="zero"',
                    lambda g: g.igraph.transitivity_local_undirected(mode="zero"))],
        "networkx": [("", networkx_values(lambda g: networkx.clustering(g.networkx))),
                     ("to_undirected()",
                      networkx_values(lambda g: networkx.clustering(g.undirected())))],
    }, ours=("", "directions=ignored"), only=small),
    UNWEIGHTED,
    Comparison("delta-stepping", {
        "igraph": [("", lambda g: distances(g, True))],
        "networkx": [("", networkx_values(
            lambda g: networkx.single_source_dijkstra_path_length(
                g.with_weights(), g.source())))],
        "scipy": [("", lambda g: csgraph.dijkstra(
            g.scipy, directed=True, indices=g.source()))],
    }, only=lambda g: g.weighted),
]


class Evergraph:
    """A database, and the program."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory

    def call(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def load(self, path, flags):
        self.call("import", self.directory, path, "--ids", "map", *flags)

    def run(self, algorithm, parameters):
        flags = [part for text in parameters for part in ("--param", text)]
        rows = self.call("run", self.directory, algorithm, *flags, "-o", "-")
        return dict(row.split(None, 1) for row in rows.splitlines())


def numbers(values):
    return numpy.array([math.nan if value is None else float(value) for value in values])


def same_partition(ours, theirs):
    pairs = set(zip(ours, theirs))
    return len(pairs) == len(set(ours)) == len(set(theirs))


def difference(comparison, ours, theirs):
    """The greatest difference, relative where values are above 1; 0 if equal."""
    if comparison.kind == "partition":
        return 0.0 if same_partition(ours, list(theirs)) else math.inf
    ours, theirs = numbers(ours), numbers(theirs)
    if (numpy.isfinite(ours) != numpy.isfinite(theirs)).any():
        return math.inf
    finite = numpy.isfinite(ours)
    ours, theirs = ours[finite], theirs[finite]
    scale = numpy.maximum(1.0, numpy.maximum(abs(ours), abs(theirs)))
    apart = float((abs(ours - theirs) / scale).max(initial=0.0))
    return 0.0 if apart <= comparison.tolerance else apart


def cell(comparison, graph, runs, calls):
    """What a library says: the words of the first pair of calls that agree, ours tried
    before theirs."""
    least = math.inf
    for theirs_words, call in calls:
        try:
            theirs = call(graph)
        except (networkx.NetworkXException, igraph.InternalError) as error:
            theirs_words = theirs_words or str(error).split(".")[0]
            continue
        for ours_words, ours in runs:
            apart = difference(comparison, ours, theirs)
            if apart == 0.0:
                words = [f"ours `{ours_words}`"] if ours_words else []
                words += [f"theirs `{theirs_words}`"] if theirs_words else []
                return "equal with " + ", ".join(words) if words else "equal"
            least = min(least, apart)
    return f"differs by {least:.1g}" if math.isfinite(least) else "differs"


def skips(comparison, graph, library):
    work = graph.networkx.number_of_nodes() * graph.networkx.number_of_edges()
    return library == "networkx" and comparison.in_python * work > MOST_IN_PYTHON


def compare(program, data, only, is_wanted):
    """Rows of the table, as they are found."""
    for source in (known for known in GRAPHS if not only or known.name in only):
        with tempfile.TemporaryDirectory() as place:
            database = Evergraph(program, Path(place) / "db")
            database.load(data / source.path, source.flags)
            names = list(database.run("connected-components", []))
            graph = Graph(source, data / source.path, names)
            for comparison in COMPARISONS:
                if comparison.only(graph) and is_wanted(comparison.name):
                    yield row(comparison, graph, source, database)


def row(comparison, graph, source, database):
    runs = []
    for words in comparison.ours:
        parameters = words.split()
        if "source" in comparison.name or comparison.name in ("bfs", "delta-stepping"):
            parameters.append(f"source={graph.names[graph.source()]}")
        values = database.run(comparison.name, parameters)
        ours = [values[name] for name in graph.names]
        runs.append((words, ours))
    cells = []
    for library in ("igraph", "networkx", "scipy"):
        calls = comparison.libraries.get(library)
        if calls is None:
            cells.append("–")
        elif skips(comparison, graph, library):
            cells.append("not run")
        else:
            cells.append(cell(comparison, graph, runs, calls))
    return [source.name, f"`{comparison.name}`", *cells]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--evergraph", required=True, help="the program")
    arguments.add_argument("--data", required=True, type=Path, help="directory of the graphs")
    arguments.add_argument("--skip", action="append", default=[], metavar="ALGORITHM",
                           help="leave an algorithm out; may be repeated")
    arguments.add_argument("--only", action="append", default=[], metavar="ALGORITHM",
                           help="run this algorithm alone; may be repeated")
    arguments.add_argument("graphs", nargs="*", help="only these")
    given = arguments.parse_args()

    def is_wanted(name):
        return name not in given.skip and (not given.only or name in given.only)

    versions = f"igraph {igraph.__version__}, networkx {networkx.__version__}"
    print(f"<!-- {versions}, scipy {scipy.__version__} -->")
    print("| Graph | Algorithm | igraph | networkx | scipy |")
    print("|---|---|---|---|---|")
    apart = 0
    for cells in compare(given.evergraph, given.data, given.graphs, is_wanted):
        apart += any(text.startswith("differs") for text in cells)
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"{apart} rows differ", file=sys.stderr)
    return int(apart > 0)


if __name__ == "__main__":
    sys.exit(main())
