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

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.context = canvas.getContext('2d', { willReadFrequently: true })!;
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
    this.#box = box;
    const { context } = this;
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      Object.assign(this.#canvas, { width, height });
      Object.assign(this.#canvas.style, { width: `${wide}px`, height: `${high}px` });
    } else {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, width, height);
    }
    context.setTransform(ratio, 0, 0, ratio, -box.left * ratio, -box.top * ratio);
    return width > 0 && height > 0;
  }

  /** Lays the canvas so that the frame in which it was drawn comes where `step` has it. */
  lay({ scale, x, y }: Frame): void {
    const [left, top] = [x + this.#box.left * scale, y + this.#box.top * scale];
    this.#canvas.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }
}
