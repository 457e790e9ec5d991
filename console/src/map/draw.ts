import { arcLine, arcOutline, boxOfArc, distanceToLine, type Point } from './geometry.ts';
import { type Arc, type Scene, type Spot, spareShare } from './scene.ts';
import type { Box } from './sheet.ts';

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

/** The lit parts: a location, and a move by its key. */
export type Lit = { location?: number | undefined; move?: string | undefined };

export type View = {
  project: (spot: Spot) => Point;
  /** Size of the map, in pixels. */
  width: number;
  height: number;
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
/** Locations and arcs that are drawn without a pause. */
const SPOTS_A_PIECE = 100;
const ARCS_A_PIECE = 20;
/** Names of the largest shortages that are written. */
const NAMED = 6;
/** The ring of a lit location, beyond its disc, with half its line; around a name, and half the height of one. */
const RING = 5;
const HALO = 4;
const LINE = 12;

function radiusOf(amount: number, { mostDemand, width, height }: View): number {
  const largest = Math.min(MAX_RADIUS, Math.min(width, height) * RADIUS_SHARE);
  return amount <= 0 ? MIN_RADIUS : Math.max(MIN_RADIUS, largest * Math.sqrt(amount / mostDemand));
}
const widthOf = (arc: Arc, { mostVehicles }: View) =>
  Math.max(MIN_WIDTH, MAX_WIDTH * Math.sqrt(arc.vehicles / mostVehicles));

function piecesOf<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

type Points = ReadonlyMap<number, Point>;

/** Places of the screen by location. */
function pointsOf(scene: Scene, view: View): Points {
  return new Map([...scene.spots.values()].map((spot) => [spot.id, view.project(spot)]));
}

/**
 * Draws the locations of a plan that are within a box: discs and rings.
 * @returns pieces of the work, each of a few milliseconds at most
 */
export function* drawPlaces(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  box: Box,
  palette: Palette,
): Generator<void> {
  const points = pointsOf(scene, view);
  const isVisible = ({ id }: Spot) => meets(around(points.get(id)!, MAX_RADIUS), box);
  yield* drawSpots(context, [...scene.spots.values()].filter(isVisible), points, view, palette);
}

/** Draws the moves of a plan that are within a box, and above them names of the largest shortages. In pieces, too. */
export function* drawMoves(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  box: Box,
  palette: Palette,
): Generator<void> {
  const points = pointsOf(scene, view);
  context.fillStyle = palette.text;
  for (const piece of piecesOf([...scene.arcs.values()], ARCS_A_PIECE)) {
    for (const arc of piece) {
      context.globalAlpha = arc.isFaded ? FADED : 0.85;
      drawArc(context, arc, points, view, palette, box);
    }
    yield;
  }
  context.globalAlpha = 1;
  const names = largestShort(scene);
  writeNames(context, labelsOf(context, names, points, view, palette), palette);
}

/** Draws a disc of demand for each location, with the rings of its capacity. */
function* drawSpots(
  context: CanvasRenderingContext2D,
  spots: Spot[],
  points: Points,
  view: View,
  palette: Palette,
): Generator<void> {
  const pieces = piecesOf(spots, SPOTS_A_PIECE);
  const colours = new Map<number, string>();
  context.globalAlpha = 0.85;
  // Each by itself: thousands of circles in one path take the browser several times as long.
  for (const piece of pieces) {
    for (const spot of piece) {
      const shade = Math.round(spareShare(spot) * SHADES) / SHADES;
      if (!colours.has(shade)) colours.set(shade, shadeColour(shade, palette));
      context.fillStyle = colours.get(shade)!;
      circle(context, points.get(spot.id)!, radiusOf(spot.demand, view));
      context.fill();
    }
    yield;
  }
  context.lineWidth = 1.25;
  context.strokeStyle = palette.text;
  context.globalAlpha = 0.8;
  for (const piece of pieces) {
    for (const { id, after } of piece) {
      circle(context, points.get(id)!, radiusOf(after, view));
      context.stroke();
    }
    yield;
  }
  context.setLineDash([2, 3]);
  context.globalAlpha = 0.6;
  for (const piece of pieces) {
    for (const { id, before, after } of piece) {
      const radius = radiusOf(before, view);
      if (Math.abs(radius - radiusOf(after, view)) < SEEN) continue;
      circle(context, points.get(id)!, radius);
      context.stroke();
    }
    yield;
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Draws an arc in the colour that the context has, unless it is outside of the box. */
function drawArc(
  context: CanvasRenderingContext2D,
  arc: Arc,
  points: Points,
  view: View,
  palette: Palette,
  box?: Box,
): void {
  const [from, to] = [points.get(arc.from), points.get(arc.to)];
  if (!from || !to || arc.vehicles < 0.01) return;
  if (box && !meets(boxOfArc(from, to, MAX_WIDTH), box)) return;
  // A rim of the ground's colour, so that an arc is seen on discs, too.
  context.strokeStyle = palette.page;
  context.lineWidth = 1;
  trace(context, arcOutline(arcLine(from, to), widthOf(arc, view)));
  context.stroke();
  context.fill();
}

/** The lit parts of a scene: its arcs, and the locations that they join. */
function litOf(scene: Scene, lit: Lit): { arcs: Arc[]; spots: Spot[]; named: Spot[] } {
  const arcs = [...scene.arcs.values()].filter(
    ({ key, from, to }) => key === lit.move || from === lit.location || to === lit.location,
  );
  const spotsOf = (ids: Iterable<number | undefined>) =>
    [...new Set(ids)].flatMap((id) => (id === undefined ? [] : (scene.spots.get(id) ?? [])));
  const move = lit.move === undefined ? undefined : scene.arcs.get(lit.move);
  return {
    arcs,
    spots: spotsOf([lit.location, ...arcs.flatMap(({ from, to }) => [from, to])]),
    named: spotsOf([lit.location, move?.from, move?.to]),
  };
}

/** The part of the map that `drawLit` needs; undefined if nothing is lit. */
export function litBox(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  lit: Lit,
  palette: Palette,
): Box | undefined {
  const { arcs, spots, named } = litOf(scene, lit);
  if (spots.length === 0) return undefined;
  const points = pointsOf(scene, view);
  const boxes = [
    ...spots.map(({ id }) => around(points.get(id)!, MAX_RADIUS + RING)),
    ...arcs.flatMap(({ from, to }) => {
      const [a, b] = [points.get(from), points.get(to)];
      return a && b ? boxOfArc(a, b, MAX_WIDTH) : [];
    }),
    ...labelsOf(context, named, points, view, palette).map(({ x, y, width }) => ({
      left: x - HALO,
      right: x + width + HALO,
      top: y - LINE,
      bottom: y + LINE,
    })),
  ];
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** Draws what is lit, as it lies above the rest of the plan: its discs, arcs and names. In pieces, too. */
export function* drawLit(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  lit: Lit,
  palette: Palette,
): Generator<void> {
  const { arcs, spots, named } = litOf(scene, lit);
  const points = pointsOf(scene, view);
  yield* drawSpots(context, spots, points, view, palette);
  context.fillStyle = palette.accent;
  context.globalAlpha = 0.95;
  for (const arc of arcs) drawArc(context, arc, points, view, palette);
  context.globalAlpha = 1;
  const spot = lit.location === undefined ? undefined : scene.spots.get(lit.location);
  if (spot) {
    const radius = Math.max(radiusOf(spot.demand, view), radiusOf(spot.after, view)) + 4;
    circle(context, points.get(spot.id)!, radius);
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.stroke();
  }
  writeNames(context, labelsOf(context, named, points, view, palette), palette);
}

/** The colour of a share of spare capacity: orange is short, grey just enough, blue spare. */
function shadeColour(share: number, { short, even, spare }: Palette): string {
  // A small shortage has to be seen at once; spare capacity is ordinary.
  const strength = share < 0 ? Math.min(1, 0.35 + -share * 1.3) : share;
  return `color-mix(in oklab, ${share < 0 ? short : spare} ${Math.round(strength * 100)}%, ${even})`;
}

type Label = { text: string; x: number; y: number; width: number };

/** The places of names: beside their discs, and none over another. */
function labelsOf(
  context: CanvasRenderingContext2D,
  named: Spot[],
  points: Points,
  view: View,
  palette: Palette,
): Label[] {
  context.font = fontOf(palette);
  const labels: Label[] = [];
  for (const spot of named) {
    const point = points.get(spot.id)!;
    const width = context.measureText(spot.name).width;
    const beside = Math.max(radiusOf(spot.demand, view), radiusOf(spot.after, view)) + 6;
    const isRight = point.x + beside + width < view.width;
    const x = isRight ? point.x + beside : point.x - beside - width;
    const label = { text: spot.name, x, y: point.y, width };
    const isFree = labels.every(
      (other) =>
        Math.abs(other.y - label.y) > 15 ||
        label.x > other.x + other.width ||
        other.x > label.x + label.width,
    );
    if (isFree) labels.push(label);
  }
  return labels;
}

function writeNames(context: CanvasRenderingContext2D, labels: Label[], palette: Palette): void {
  context.font = fontOf(palette);
  context.textBaseline = 'middle';
  context.lineWidth = HALO;
  context.lineJoin = 'round';
  context.strokeStyle = palette.page;
  context.fillStyle = palette.text;
  for (const { text, x, y } of labels) {
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}

const fontOf = ({ font }: Palette) => `13px ${font}`;

function largestShort(scene: Scene): Spot[] {
  const unmet = ({ demand, after }: Spot) => demand - after;
  const short = [...scene.spots.values()].filter((spot) => unmet(spot) > 0.5);
  return short.toSorted((a, b) => unmet(b) - unmet(a)).slice(0, NAMED);
}

/** The part under a point of the screen: a location before a move. */
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
    if (!meets(boxOfArc(from, to, reach), around(at, 0))) continue;
    if (distanceToLine(arcLine(from, to), at) <= reach) return { move: arc.key };
  }
  return {};
}

const around = ({ x, y }: Point, reach: number): Box => ({
  left: x - reach,
  top: y - reach,
  right: x + reach,
  bottom: y + reach,
});

const meets = (a: Box, b: Box) =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

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
