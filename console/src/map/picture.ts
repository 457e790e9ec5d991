import type { Frame } from './frame.ts';
import { type Box, Sheet } from './sheet.ts';

/** Draws a picture, in pieces. */
type Paint = (context: CanvasRenderingContext2D) => Generator<void>;

/**
 * A sheet of the page whose picture can give way to another one. The other one is drawn once, over several frames; then
 * both are mixed in each frame, which takes the same time whatever is on them. Drawing what lies between two plans
 * takes longer than a frame.
 */
export class Picture {
  readonly #shown: Sheet;
  readonly #before = new Sheet();
  readonly #after = new Sheet();
  /** Where both are mixed, and where the second one is. */
  #fading: { part: Box; whole: Box; ratio: number } | undefined;
  /** Of the second one, what is not drawn yet. */
  #rest: Generator<void> | undefined;

  constructor(canvas: HTMLCanvasElement) {
    this.#shown = new Sheet(canvas);
  }

  get context(): CanvasRenderingContext2D {
    return this.#shown.context;
  }

  /** Whether one picture gives way to another, or is about to. */
  get isFading(): boolean {
    return this.#fading !== undefined;
  }

  get isPreparing(): boolean {
    return this.#rest !== undefined;
  }

  /**
   * Draws a new picture of a box, and shows it.
   * @param ratio points of the picture per pixel of the page
   * @param seen if what is shown gives way to it, by `prepare` and `mix`: where that is seen
   */
  draw(box: Box, ratio: number, paint: Paint, seen?: Box): void {
    this.#rest = undefined;
    this.#fading = undefined;
    if (!seen) {
      if (this.#shown.begin(box, ratio)) finish(paint(this.context));
      return;
    }
    const part = common(around(this.#shown.box, box), seen);
    this.#before.begin(part, ratio);
    this.#before.add(this.#shown, 1);
    if (this.#after.begin(box, ratio)) this.#rest = paint(this.#after.context);
    this.#fading = { part, whole: box, ratio };
  }

  /**
   * Goes on to draw the second picture.
   * @param until when to leave the rest to another frame, on the clock of `performance`
   * @returns whether it is whole
   */
  prepare(until: number): boolean {
    while (this.#rest && performance.now() < until) {
      if (this.#rest.next().done) this.#rest = undefined;
      this.#after.settle();
    }
    return !this.#rest;
  }

  /** Shows what is between both pictures; 1 is the second one. */
  mix(share: number): void {
    if (!this.#fading) return;
    const { part, whole, ratio } = this.#fading;
    if (this.#rest) finish(this.#rest);
    this.#rest = undefined;
    this.#shown.begin(share < 1 ? part : whole, ratio);
    if (share < 1) this.#shown.add(this.#before, 1 - share);
    else this.#fading = undefined;
    this.#shown.add(this.#after, share);
  }

  /** Lays it so that the frame in which it was drawn comes where `step` has it. */
  lay(step: Frame): void {
    this.#shown.lay(step);
  }
}

function finish(pieces: Generator<void>): void {
  while (!pieces.next().done);
}

/** What is in both boxes; of no size if nothing is. */
export function common(a: Box, b: Box): Box {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  const [right, bottom] = [Math.min(a.right, b.right), Math.min(a.bottom, b.bottom)];
  return { left, top, right: Math.max(left, right), bottom: Math.max(top, bottom) };
}

/** The smallest box around both; one of no size does not count. */
function around(a: Box, b: Box): Box {
  if (a.left === a.right || a.top === a.bottom) return b;
  if (b.left === b.right || b.top === b.bottom) return a;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}
