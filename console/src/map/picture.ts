import type { Frame } from './frame.ts';
import { type Box, Sheet } from './sheet.ts';

/** Draws a picture, in pieces. */
export type Paint = (context: CanvasRenderingContext2D) => Generator<void>;

/** A picture in one layer or two. */
type Layers = { below?: Paint; above: Paint };

/** How what is shown gives way to another picture, by `prepare` and `mix`. */
type Change = {
  /** The box in which that is seen. */
  seen: Box;
  /** The part of the upper layer that stays: the rest of the old one goes before the rest of the new one comes. */
  kept: Paint;
};

/**
 * A sheet of the page whose picture can give way to another one. Between them is a third one: the lower layer of the
 * other one, and of the upper layer what both have. Both are drawn once, over several frames. Then two pictures are
 * mixed in each frame, which takes the same time whatever is on them. Drawing what lies between two plans takes longer
 * than a frame.
 */
export class Picture {
  readonly #shown: Sheet;
  readonly #before = new Sheet();
  readonly #between = new Sheet();
  readonly #after = new Sheet();
  /** The part in which they are mixed, and the whole of the last picture. */
  #fading: { part: Box; whole: Box; ratio: number } | undefined;
  /** The parts of the other picture and of the one between that are not drawn yet. */
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
   * @param change if what is shown gives way to it
   */
  draw(box: Box, ratio: number, layers: Layers, change?: Change): void {
    this.#rest = undefined;
    this.#fading = undefined;
    if (!change) {
      if (!this.#shown.begin(box, ratio)) return;
      if (layers.below) finish(layers.below(this.context));
      finish(layers.above(this.context));
      return;
    }
    const part = common(around(this.#shown.box, box), change.seen);
    this.#before.begin(part, ratio);
    this.#before.add(this.#shown, 1);
    this.#between.begin(part, ratio);
    if (this.#after.begin(box, ratio)) this.#rest = this.#paint(layers, change.kept);
    this.#fading = { part, whole: box, ratio };
  }

  *#paint({ below, above }: Layers, kept: Paint): Generator<void> {
    if (below) yield* below(this.#after.context);
    this.#between.add(this.#after, 1);
    yield* kept(this.#between.context);
    yield* above(this.#after.context);
  }

  /**
   * Goes on to draw the other picture.
   * @param until when to leave the rest to another frame, on the clock of `performance`
   * @returns whether it is whole
   */
  prepare(until: number): boolean {
    while (this.#rest && performance.now() < until) {
      if (this.#rest.next().done) this.#rest = undefined;
      this.#between.settle();
      this.#after.settle();
    }
    return !this.#rest;
  }

  /** Shows what lies between both pictures: 0 is the old one, 0.5 the one between, 1 the other one. */
  mix(share: number): void {
    if (!this.#fading) return;
    const { part, whole, ratio } = this.#fading;
    if (this.#rest) finish(this.#rest);
    this.#rest = undefined;
    this.#shown.begin(share < 1 ? part : whole, ratio);
    if (share < 0.5) this.#mixTwo(this.#before, this.#between, 2 * share);
    else if (share < 1) this.#mixTwo(this.#between, this.#after, 2 * share - 1);
    else {
      this.#shown.add(this.#after, 1);
      this.#fading = undefined;
    }
  }

  #mixTwo(one: Sheet, other: Sheet, share: number): void {
    this.#shown.add(one, 1 - share);
    this.#shown.add(other, share);
  }

  /** Lays it so that the frame in which it was drawn comes where `step` has it. */
  lay(step: Frame): void {
    this.#shown.lay(step);
  }
}

function finish(pieces: Generator<void>): void {
  while (!pieces.next().done);
}

/** The intersection of two boxes; of no size if they do not meet. */
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
