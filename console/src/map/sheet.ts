import type { Frame } from './frame.ts';

/** Part of a map, in pixels from the upper left corner of the map. */
export type Box = { left: number; top: number; right: number; bottom: number };

/**
 * A canvas above the map with a picture of a part of it. The processor draws it: as fast on every machine, where
 * drawing by a software GPU takes seconds. What a browser then pays for a new picture grows with its size, so a
 * sheet is no larger than what is on it.
 */
export class Sheet {
  readonly context: CanvasRenderingContext2D;
  readonly #canvas: HTMLCanvasElement;
  #box: Box = { left: 0, top: 0, right: 0, bottom: 0 };
  /** Points of the picture from the upper left corner of the map to its own. */
  #corner = { x: 0, y: 0 };

  /** @param canvas of the page; without one, the sheet is kept in memory, to be laid on others */
  constructor(canvas: HTMLCanvasElement = document.createElement('canvas')) {
    this.#canvas = canvas;
    this.context = canvas.getContext('2d', { willReadFrequently: true })!;
  }

  /** The box of the picture. */
  get box(): Box {
    return this.#box;
  }

  /**
   * Clears it for a new picture. From here on, the context counts in pixels of the map, from its upper left corner.
   * @param ratio points of the picture per pixel of the page
   * @returns false if it has no size: there is nothing to draw on
   */
  begin({ left, top, right, bottom }: Box, ratio: number): boolean {
    const box = {
      left: Math.floor(left),
      top: Math.floor(top),
      right: Math.ceil(right),
      bottom: Math.ceil(bottom),
    };
    const [wide, high] = [Math.max(0, box.right - box.left), Math.max(0, box.bottom - box.top)];
    const [width, height] = [Math.round(wide * ratio), Math.round(high * ratio)];
    const corner = { x: Math.round(box.left * ratio), y: Math.round(box.top * ratio) };
    this.#box = box;
    this.#corner = corner;
    const { context } = this;
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      Object.assign(this.#canvas, { width, height });
      Object.assign(this.#canvas.style, { width: `${wide}px`, height: `${high}px` });
    } else {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, width, height);
    }
    context.setTransform(ratio, 0, 0, ratio, -corner.x, -corner.y);
    return width > 0 && height > 0;
  }

  /**
   * Adds what another sheet of the same ratio shows here. Shares of two pictures that sum up to 1 mix them: what is the
   * same in both stays as it is.
   */
  add(other: Sheet, share: number): void {
    const { context } = this;
    // A browser refuses to draw a canvas of no size.
    if (other.#canvas.width === 0 || other.#canvas.height === 0) return;
    const [x, y] = [other.#corner.x - this.#corner.x, other.#corner.y - this.#corner.y];
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalCompositeOperation = 'lighter';
    context.globalAlpha = share;
    context.drawImage(other.#canvas, x, y);
    context.restore();
  }

  /** Waits until all is drawn: a browser notes what to draw, and draws when somebody looks at it. */
  settle(): void {
    if (this.#canvas.width === 0 || this.#canvas.height === 0) return;
    this.context.getImageData(0, 0, 1, 1);
  }

  /** Lays the canvas so that the frame in which it was drawn comes where `step` has it. */
  lay({ scale, x, y }: Frame): void {
    const [left, top] = [x + this.#box.left * scale, y + this.#box.top * scale];
    this.#canvas.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }
}
