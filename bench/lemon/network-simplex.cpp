// LEMON's network simplex on an instance of bench/optimizer.ts, for comparison. Needs the LEMON headers (Debian:
// liblemon-dev). Reads from standard input, little-endian: int32 n, repeats, netted, required; int32[n] supply, demand;
// double[n*n] costs in whole units, infinite where there is no arc. Prints the optimal cost, then the milliseconds of each repeat (graph and solve).
//
// Transportation form as in src/core/optimize/flow: sources i (supply) and "unserved" (demand not required), sinks j
// (demand) and "nobody" (vehicles that serve none), all arcs without bounds. `netted`: what vehicles serve where they
// stand is taken off first, and only locations with vehicles or demand left over have arcs.
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using Graph = lemon::SmartDigraph;
using Simplex = lemon::NetworkSimplex<Graph, int64_t, int64_t>;

template <typename T>
static void readAll(T *into, size_t count) {
  if (fread(into, sizeof(T), count, stdin) != count) {
    fprintf(stderr, "the instance is cut short\n");
    exit(2);
  }
}

int main() {
  int32_t head[4];
  readAll(head, 4);
  const int n = head[0], repeats = head[1];
  const bool netted = head[2] != 0;
  std::vector<int32_t> supply(n), demand(n);
  std::vector<double> cost(size_t(n) * n);
  readAll(supply.data(), n);
  readAll(demand.data(), n);
  readAll(cost.data(), cost.size());

  for (int r = -1; r < repeats; r++) {
    const auto started = std::chrono::steady_clock::now();
    std::vector<int> sources, sinks;
    std::vector<int64_t> s(n), d(n);
    int64_t required = head[3], fleet = 0, wanted = 0;
    for (int i = 0; i < n; i++) {
      const int64_t own = netted ? std::min(supply[i], demand[i]) : 0;
      s[i] = supply[i] - own;
      d[i] = demand[i] - own;
      required -= own;
      if (s[i] > 0) sources.push_back(i);
      if (d[i] > 0) sinks.push_back(i);
      fleet += s[i];
      wanted += d[i];
    }
    if (required < 0) required = 0;
    Graph graph;
    graph.reserveNode(sources.size() + sinks.size() + 2);
    graph.reserveArc((sources.size() + 1) * (sinks.size() + 1));
    std::vector<Graph::Node> from, to;
    for (size_t k = 0; k <= sources.size(); k++) from.push_back(graph.addNode());
    for (size_t k = 0; k <= sinks.size(); k++) to.push_back(graph.addNode());
    Graph::ArcMap<int64_t> arcCost(graph, 0);
    Graph::NodeMap<int64_t> amount(graph, 0);
    for (size_t a = 0; a < sources.size(); a++) {
      const double *row = &cost[size_t(sources[a]) * n];
      for (size_t b = 0; b < sinks.size(); b++) {
        const bool isStay = sources[a] == sinks[b];
        if (!isStay && std::isinf(row[sinks[b]])) continue;
        const auto arc = graph.addArc(from[a], to[b]);
        arcCost[arc] = isStay ? 0 : int64_t(row[sinks[b]]);
      }
      graph.addArc(from[a], to.back());
      amount[from[a]] = s[sources[a]];
    }
    for (size_t b = 0; b < sinks.size(); b++) {
      graph.addArc(from.back(), to[b]);
      amount[to[b]] = -d[sinks[b]];
    }
    graph.addArc(from.back(), to.back());
    amount[from.back()] = wanted - required;
    amount[to.back()] = -(fleet - required);
    Simplex simplex(graph);
    const auto status = simplex.costMap(arcCost).supplyMap(amount).run();
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    if (r < 0) {
      if (status != Simplex::OPTIMAL) {
        printf("infeasible\n");
        return 0;
      }
      printf("%lld\n", (long long)simplex.totalCost());
    } else {
      printf("%.6f\n", ms);
    }
  }
}
