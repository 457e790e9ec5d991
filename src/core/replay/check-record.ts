/**
 * Checks of a replay that share no code with the simulator: no vehicle appears or vanishes, nobody serves who is not
 * there, and no more is served than was asked for.
 */
import type { ReplayedPast, ReplayRecord } from './types.ts';

/** In vehicles, for the whole fleet: sums of shares are not exact. */
const MAX_ERROR = 1e-4;

/**
 * @param fleet n: vehicles by location when the first hour begins
 * @returns what is wrong, a sentence each; none if the record is consistent. O(T n + moves)
 */
export function checkRecord(past: ReplayedPast, fleet: ArrayLike<number>, record: ReplayRecord): string[] {
  const { hours, demand, tripsPerHour, travel } = past;
  const n = past.locationIds.length;
  const { vehicles, serving, served, ended, moves } = record;
  const wrong: string[] = [];
  const differs = (a: number, b: number) => !(Math.abs(a - b) <= MAX_ERROR);
  const left = new Float64Array(hours * n);
  const arrived = new Float64Array((hours + 1) * n);
  const onTheWay = new Float64Array(hours + 1);
  for (const { hour, from, to, vehicles: count } of moves) {
    if (from === to || count <= 0)
      wrong.push(`hour ${hour}: a move of ${count} vehicles from ${from} to ${to}`);
    left[hour * n + from] += count;
    const taken = Math.max(1, Math.ceil(travel.minutes[from * n + to] / 60));
    for (let t = hour + 1; t < Math.min(hours + 1, hour + taken); t++) onTheWay[t] += count;
    if (hour + taken <= hours) arrived[(hour + taken) * n + to] += count;
  }
  let total = 0;
  for (let j = 0; j < n; j++) total += fleet[j];
  for (let t = 0; t < hours; t++) {
    let present = onTheWay[t];
    let gone = 0;
    let back = 0;
    for (let j = 0; j < n; j++) {
      const u = t * n + j;
      const before = t === 0 ? fleet[j] : vehicles[u - n] - left[u - n] - serving[u - n];
      if (differs(vehicles[u], before + ended[u] + arrived[u]))
        wrong.push(`hour ${t}, location ${j}: ${vehicles[u]} vehicles do not follow from the hour before`);
      if (!(serving[u] >= 0 && serving[u] <= vehicles[u] - left[u] + MAX_ERROR))
        wrong.push(`hour ${t}, location ${j}: ${serving[u]} vehicles serve of ${vehicles[u] - left[u]}`);
      if (!(served[u] >= 0 && served[u] <= demand[u] && served[u] <= tripsPerHour * serving[u] + MAX_ERROR))
        wrong.push(`hour ${t}, location ${j}: ${served[u]} trips served of ${demand[u]}`);
      present += vehicles[u];
      gone += serving[u];
      back += ended[u + n];
    }
    if (differs(present, total)) wrong.push(`hour ${t}: ${present} vehicles of ${total}`);
    if (differs(gone, back)) wrong.push(`hour ${t}: ${gone} vehicles serve, and ${back} come back`);
  }
  return wrong;
}
