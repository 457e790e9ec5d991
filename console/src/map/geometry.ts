/** A point on the screen, in pixels. */
export type Point = { x: number; y: number };

/** How far an arc bends, as a share of its length; always to the left of its direction, so both directions are seen. */
const BEND = 0.18;
const PIECES = 16;

/**
 * The middle line of an arc from one point to another: a quadratic curve that bends to the left of its direction.
 * @returns `PIECES + 1` points
 */
export function arcLine(from: Point, to: Point): Point[] {
  const bend = { x: (to.y - from.y) * BEND, y: (from.x - to.x) * BEND };
  const middle = { x: (from.x + to.x) / 2 + bend.x * 2, y: (from.y + to.y) / 2 + bend.y * 2 };
  return Array.from({ length: PIECES + 1 }, (_, i) => {
    const t = i / PIECES;
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    return { x: a * from.x + b * middle.x + c * to.x, y: a * from.y + b * middle.y + c * to.y };
  });
}

/** The outline of an arc that is `width` pixels wide where it begins and tapers towards its target. */
export function arcOutline(line: Point[], width: number): Point[] {
  const left: Point[] = [];
  const right: Point[] = [];
  for (const [i, at] of line.entries()) {
    const before = line[Math.max(0, i - 1)];
    const after = line[Math.min(line.length - 1, i + 1)];
    const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
    const half = (width / 2) * (1 - (0.85 * i) / (line.length - 1));
    const across = { x: (-(after.y - before.y) / length) * half, y: ((after.x - before.x) / length) * half };
    left.push({ x: at.x + across.x, y: at.y + across.y });
    right.push({ x: at.x - across.x, y: at.y - across.y });
  }
  return [...left, ...right.toReversed()];
}

/** Distance of a point from a line of points, in pixels. */
export function distanceToLine(line: Point[], point: Point): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    const along = { x: b.x - a.x, y: b.y - a.y };
    const square = along.x ** 2 + along.y ** 2 || 1;
    const share = ((point.x - a.x) * along.x + (point.y - a.y) * along.y) / square;
    const t = Math.max(0, Math.min(1, share));
    least = Math.min(least, Math.hypot(a.x + t * along.x - point.x, a.y + t * along.y - point.y));
  }
  return least;
}

/** The box around the arc from one point to another, with `margin` pixels around it. */
export function boxOfArc(from: Point, to: Point, margin: number) {
  const reach = Math.hypot(to.x - from.x, to.y - from.y) * BEND + margin;
  return {
    left: Math.min(from.x, to.x) - reach,
    top: Math.min(from.y, to.y) - reach,
    right: Math.max(from.x, to.x) + reach,
    bottom: Math.max(from.y, to.y) + reach,
  };
}
