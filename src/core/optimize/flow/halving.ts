/**
 * Locations in parts that cost about the same from everywhere.
 *
 * Coordinates are not needed: the costs from three sources far apart place a location, as distances from three towers
 * do. Parts come from halving at the median of the coordinate that spreads most. O(m log m).
 */

/** Costs that place a location. */
const TOWERS = 3;

/** The costs of each location from every tower. */
export function placesOf(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
): Float64Array[] {
  const places: Float64Array[] = [];
  /** The least cost from the towers so far. */
  const nearest = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  let tower = sources[0];
  for (let t = 0; t < TOWERS; t++) {
    const row = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      const cost = units[tower * n + j];
      row[j] = cost >= 0 && cost !== Number.POSITIVE_INFINITY ? cost : Number.MAX_VALUE / 4;
    }
    places.push(row);
    let far = sinks[0];
    for (let s = 0; s < sinks.length; s++) {
      const j = sinks[s];
      if (row[j] < nearest[j]) nearest[j] = row[j];
      if (nearest[j] > nearest[far]) far = j;
    }
    for (let s = 0; s < sources.length; s++) {
      const cost = units[sources[s] * n + far];
      if (cost >= 0 && cost < units[tower * n + far]) tower = sources[s];
    }
  }
  return places;
}

function halve(
  sinks: Int32Array,
  places: Float64Array[],
  starts: Int32Array,
  block: number,
  count: number,
): void {
  if (count === 1) return;
  const from = starts[block];
  const end = starts[block + count];
  let widest = places[0];
  let width = -1;
  for (const place of places) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let s = from; s < end; s++) {
      const value = place[sinks[s]];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high - low > width) {
      width = high - low;
      widest = place;
    }
  }
  const middle = (from + end) >> 1;
  select(sinks, widest, from, end - 1, middle);
  starts[block + count / 2] = middle;
  halve(sinks, places, starts, block, count / 2);
  halve(sinks, places, starts, block + count / 2, count / 2);
}

/** Puts the sink of rank `middle` there, nearer ones before it and farther ones after it. Expected O(end − from). */
function select(sinks: Int32Array, key: Float64Array, from: number, end: number, middle: number): void {
  let [low, high] = [from, end];
  while (low < high) {
    const pivot = key[sinks[(low + high) >> 1]];
    let [a, b] = [low, high];
    while (a <= b) {
      while (key[sinks[a]] < pivot) a++;
      while (key[sinks[b]] > pivot) b--;
      if (a > b) break;
      const held = sinks[a];
      sinks[a++] = sinks[b];
      sinks[b--] = held;
    }
    if (middle <= b) high = b;
    else if (middle >= a) low = a;
    else return;
  }
}

/** Locations halved until at most `size` are left in each part. */
export function halved(locations: Int32Array, places: Float64Array[], size: number) {
  let count = 1;
  while (locations.length > count * size) count *= 2;
  const ordered = new Int32Array(locations.length);
  ordered.set(locations);
  const starts = new Int32Array(count + 1);
  starts[count] = locations.length;
  halve(ordered, places, starts, 0, count);
  return { ordered, starts };
}
