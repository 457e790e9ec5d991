import { arcLine, arcOutline, distanceToLine, isNearArc, type Point } from './geometry.ts';
import { type Arc, type Scene, type Spot, spareShare } from './scene.ts';

export type Palette = {
  short: string;
  even: string;
  spare: string;
  text: string;
  page: string;
  accent: string;
  /** Family of the names' font. */
  font: string;
};

/** What is lit: a location, and a move by its key. */
export type Lit = { location?: number | undefined; move?: string | undefined };

export type View = {
  project: (spot: Spot) => Point;
  /** Of the map, in pixels. */
  width: number;
  height: number;
  /** What is drawn beyond the map's edges, in pixels. */
  margin: Point;
  /** Largest demand or capacity of a location, and largest move, of the whole plan: sizes are relative to them. */
  mostDemand: number;
  mostVehicles: number;
};

/** Shades on each side of just enough. */
const SHADES = 4;
/** Largest disc, as a share of the smaller side of the map, and in pixels. */
const RADIUS_SHARE = 1 / 40;
const MAX_RADIUS = 22;
const MIN_RADIUS = 2.5;
const MAX_WIDTH = 11;
const MIN_WIDTH = 2.5;
const FULL = Math.PI * 2;
/** Rings that are nearer to each other than this, in pixels, are one to the eye. */
const SEEN = 0.75;
/** Opacity of arcs that are not due yet. */
const FADED = 0.22;
/** Names of the largest shortages that are written if nothing is lit. */
const NAMED = 6;

function radiusOf(amount: number, { mostDemand, width, height }: View): number {
  const largest = Math.min(MAX_RADIUS, Math.min(width, height) * RADIUS_SHARE);
  return amount <= 0 ? MIN_RADIUS : Math.max(MIN_RADIUS, largest * Math.sqrt(amount / mostDemand));
}
const widthOf = (arc: Arc, { mostVehicles }: View) =>
  Math.max(MIN_WIDTH, MAX_WIDTH * Math.sqrt(arc.vehicles / mostVehicles));

/** Places of the screen by location. */
function pointsOf(scene: Scene, view: View): Map<number, Point> {
  return new Map([...scene.spots.values()].map((spot) => [spot.id, view.project(spot)]));
}

/** Draws a disc of demand for each location, with the rings of its capacity. */
export function drawSpots(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  palette: Palette,
): void {
  const [right, bottom] = [view.width + view.margin.x, view.height + view.margin.y];
  const isVisible = ({ x, y }: Point) =>
    x > -view.margin.x - MAX_RADIUS &&
    y > -view.margin.y - MAX_RADIUS &&
    x < right + MAX_RADIUS &&
    y < bottom + MAX_RADIUS;
  const shown = [...scene.spots.values()]
    .map((spot) => ({ ...spot, at: view.project(spot) }))
    .filter(({ at }) => isVisible(at));
  const colours = new Map<number, string>();
  context.globalAlpha = 0.85;
  // Each by itself: thousands of circles in one path take the browser several times as long.
  for (const spot of shown) {
    const shade = Math.round(spareShare(spot) * SHADES) / SHADES;
    if (!colours.has(shade)) colours.set(shade, shadeColour(shade, palette));
    context.fillStyle = colours.get(shade)!;
    circle(context, spot.at, radiusOf(spot.demand, view));
    context.fill();
  }
  context.lineWidth = 1.25;
  context.strokeStyle = palette.text;
  context.globalAlpha = 0.8;
  for (const { at, after } of shown) {
    circle(context, at, radiusOf(after, view));
    context.stroke();
  }
  context.setLineDash([2, 3]);
  context.globalAlpha = 0.6;
  for (const { at, before, after } of shown) {
    const radius = radiusOf(before, view);
    if (Math.abs(radius - radiusOf(after, view)) < SEEN) continue;
    circle(context, at, radius);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Draws what lies above the discs: arcs, what is lit, and names. */
export function drawMoves(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  lit: Lit,
  palette: Palette,
): void {
  const points = pointsOf(scene, view);
  const isLit = lit.location !== undefined || lit.move !== undefined;
  // A rim of the ground's colour, so that an arc is seen on discs, too.
  context.strokeStyle = palette.page;
  context.lineWidth = 1;
  for (const arc of scene.arcs.values()) {
    const [from, to] = [points.get(arc.from), points.get(arc.to)];
    if (!from || !to || arc.vehicles < 0.01) continue;
    const isOwn = arc.key === lit.move || arc.from === lit.location || arc.to === lit.location;
    context.globalAlpha = isOwn ? 0.95 : arc.isFaded ? FADED : isLit ? 0.25 : 0.85;
    context.fillStyle = isOwn ? palette.accent : palette.text;
    trace(context, arcOutline(arcLine(from, to), widthOf(arc, view)));
    context.stroke();
    context.fill();
  }
  context.globalAlpha = 1;
  const spot = lit.location === undefined ? undefined : scene.spots.get(lit.location);
  if (spot) {
    const radius = Math.max(radiusOf(spot.demand, view), radiusOf(spot.after, view)) + 4;
    circle(context, points.get(spot.id)!, radius);
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.stroke();
  }
  writeNames(context, scene, points, view, lit, palette);
}

/** The colour of a share of spare capacity: orange is short, grey just enough, blue spare. */
function shadeColour(share: number, { short, even, spare }: Palette): string {
  // A small shortage has to be seen at once; spare capacity is ordinary.
  const strength = share < 0 ? Math.min(1, 0.35 + -share * 1.3) : share;
  return `color-mix(in oklab, ${share < 0 ? short : spare} ${Math.round(strength * 100)}%, ${even})`;
}

function writeNames(
  context: CanvasRenderingContext2D,
  scene: Scene,
  points: Map<number, Point>,
  view: View,
  lit: Lit,
  palette: Palette,
): void {
  const move = lit.move === undefined ? undefined : scene.arcs.get(lit.move);
  const ids = [lit.location, move?.from, move?.to].filter((id) => id !== undefined);
  const named = ids.length > 0 ? ids.map((id) => scene.spots.get(id)) : largestShort(scene);
  context.font = `12px ${palette.font}`;
  context.textBaseline = 'middle';
  context.lineWidth = 4;
  context.lineJoin = 'round';
  const taken: { x: number; y: number; width: number }[] = [];
  for (const spot of named) {
    if (!spot) continue;
    const point = points.get(spot.id)!;
    const width = context.measureText(spot.name).width;
    const beside = Math.max(radiusOf(spot.demand, view), radiusOf(spot.after, view)) + 6;
    const isRight = point.x + beside + width < view.width;
    const label = { x: isRight ? point.x + beside : point.x - beside - width, y: point.y, width };
    const isFree = taken.every(
      (other) =>
        Math.abs(other.y - label.y) > 15 ||
        label.x > other.x + other.width ||
        other.x > label.x + label.width,
    );
    if (!isFree) continue;
    taken.push(label);
    context.strokeStyle = palette.page;
    context.strokeText(spot.name, label.x, label.y);
    context.fillStyle = palette.text;
    context.fillText(spot.name, label.x, label.y);
  }
}

function largestShort(scene: Scene): Spot[] {
  const unmet = ({ demand, after }: Spot) => demand - after;
  const short = [...scene.spots.values()].filter((spot) => unmet(spot) > 0.5);
  return short.toSorted((a, b) => unmet(b) - unmet(a)).slice(0, NAMED);
}

/** What is under a point of the screen: a location before a move. */
export function find(scene: Scene, view: View, at: Point): Lit {
  const points = new Map<number, Point>();
  let nearest: { id: number; distance: number } | undefined;
  for (const spot of scene.spots.values()) {
    const point = view.project(spot);
    points.set(spot.id, point);
    const distance = Math.hypot(point.x - at.x, point.y - at.y);
    const isWithin = distance <= Math.max(8, radiusOf(Math.max(spot.demand, spot.after), view));
    if (isWithin && (!nearest || distance < nearest.distance)) nearest = { id: spot.id, distance };
  }
  if (nearest) return { location: nearest.id };
  for (const arc of scene.arcs.values()) {
    const [from, to] = [points.get(arc.from)!, points.get(arc.to)!];
    const reach = widthOf(arc, view) / 2 + 2;
    if (!isNearArc(from, to, at, reach)) continue;
    if (distanceToLine(arcLine(from, to), at) <= reach) return { move: arc.key };
  }
  return {};
}

function circle(context: CanvasRenderingContext2D, { x, y }: Point, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, FULL);
}

function trace(context: CanvasRenderingContext2D, points: Point[]): void {
  context.beginPath();
  context.moveTo(points[0].x, points[0].y);
  for (const { x, y } of points.slice(1)) context.lineTo(x, y);
  context.closePath();
}
