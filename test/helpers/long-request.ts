/** A problem that keeps the solver busy until its time limit: several capacity classes, gap 0. */
export function longRequest(seconds: number) {
  const n = 120;
  const ids = Array.from({ length: n }, (_, i) => i + 100);
  let state = 7;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const points = ids.map(() => [random() * 50, random() * 50]);
  const costs = points.map(([x, y]) =>
    points.map(([u, v]) => Math.round(Math.hypot(x - u, y - v) * 1000) / 1000),
  );
  return {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, [random() * 40]])),
    fleet_state: {
      vehicles: Array.from({ length: 1300 }, (_, i) => ({
        id: `V${i}`,
        location: ids[Math.floor(random() * n * 0.5)],
        capacity: [1, 1.7, 2.9, 4.3][Math.floor(4 * random())],
      })),
    },
    constraints: { max_distance: 100, max_rebalancing_cost: null },
    network: { location_ids: ids, costs },
    options: { optimality_gap: 0, time_limit_seconds: seconds },
  };
}
