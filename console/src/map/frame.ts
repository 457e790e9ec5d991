import type { Point } from './geometry.ts';

/**
 * Part of the world that a map shows: a place of the unit square of Mercator is at `place × scale − (x, y)` pixels.
 */
export type Frame = { scale: number; x: number; y: number };

/** Pixels of the world at zoom 0. */
const WORLD = 512;

/** The place in the unit square of Mercator. @param at in degrees */
function mercator({ longitude, latitude }: { longitude: number; latitude: number }): Point {
  const angle = Math.PI / 4 + (latitude * Math.PI) / 360;
  return { x: (longitude + 180) / 360, y: 0.5 - Math.log(Math.tan(angle)) / (2 * Math.PI) };
}

/** The frame of a map of `width` × `height` pixels around a centre, in degrees. */
export function frameOf(
  centre: { longitude: number; latitude: number },
  zoom: number,
  { width, height }: { width: number; height: number },
): Frame {
  const scale = WORLD * 2 ** zoom;
  const { x, y } = mercator(centre);
  return { scale, x: x * scale - width / 2, y: y * scale - height / 2 };
}

/** The position of a place in a frame, in pixels from its upper left corner. @param at in degrees */
export function place(at: { longitude: number; latitude: number }, { scale, x, y }: Frame): Point {
  const world = mercator(at);
  return { x: world.x * scale - x, y: world.y * scale - y };
}

/** How what was drawn in one frame comes to lie in another: times `scale`, then moved by `x` and `y`. */
export function moved(drawn: Frame, now: Frame): Frame {
  const scale = now.scale / drawn.scale;
  return { scale, x: drawn.x * scale - now.x, y: drawn.y * scale - now.y };
}

/** True if a picture with `margin` around its frame still fills a map of `width` × `height` after it is moved. */
export function isCovered(
  { scale, x, y }: Frame,
  margin: Point,
  size: { width: number; height: number },
): boolean {
  const [left, top] = [x - margin.x * scale, y - margin.y * scale];
  const right = x + (size.width + margin.x) * scale;
  const bottom = y + (size.height + margin.y) * scale;
  return left <= 0 && top <= 0 && right >= size.width && bottom >= size.height;
}
