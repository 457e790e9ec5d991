/**
 * Binary heap of numbered items by key; each item is in it at most once. Ties go to the lower number, so that
 * searches are reproducible.
 */
export class KeyHeap {
  #items: Int32Array;
  #keys: Float64Array;
  /** Position of each item in the heap; −1: not in the heap. */
  #places: Int32Array;
  #size = 0;

  /** @param items initial room for items 0 … items − 1; it grows on demand */
  constructor(items: number) {
    this.#items = new Int32Array(items);
    this.#keys = new Float64Array(items);
    this.#places = new Int32Array(items).fill(-1);
  }

  clear(): void {
    for (let at = 0; at < this.#size; at++) this.#places[this.#items[at]] = -1;
    this.#size = 0;
  }

  size(): number {
    return this.#size;
  }

  /** The item of the smallest key, or −1. */
  first(): number {
    return this.#size === 0 ? -1 : this.#items[0];
  }

  /** Adds an item, or moves it up to a smaller key. */
  push(item: number, key: number): void {
    if (item >= this.#places.length) this.#makeRoom(2 * item + 1);
    const at = this.#places[item] < 0 ? this.#size++ : this.#places[item];
    this.#keys[item] = key;
    this.#rise(at, item);
  }

  /** @returns the item of the smallest key, or −1 */
  pop(): number {
    if (this.#size === 0) return -1;
    const top = this.#items[0];
    this.#places[top] = -1;
    const last = this.#items[--this.#size];
    if (this.#size > 0) this.#sink(0, last);
    return top;
  }

  /** All items, in no order. */
  items(): Int32Array {
    return this.#items.slice(0, this.#size);
  }

  /** The key of the item's last insertion; still readable after the item has left the heap. */
  keyOf(item: number): number {
    return this.#keys[item];
  }

  #makeRoom(items: number): void {
    const [listed, keys, places] = [this.#items, this.#keys, this.#places];
    this.#items = new Int32Array(items);
    this.#keys = new Float64Array(items);
    this.#places = new Int32Array(items).fill(-1);
    this.#items.set(listed);
    this.#keys.set(keys);
    this.#places.set(places);
  }

  #isBefore(a: number, b: number): boolean {
    return this.#keys[a] < this.#keys[b] || (this.#keys[a] === this.#keys[b] && a < b);
  }

  #rise(from: number, item: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(item, this.#items[above])) break;
      this.#put(at, this.#items[above]);
      at = above;
    }
    this.#put(at, item);
  }

  #sink(from: number, item: number): void {
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(this.#items[child + 1], this.#items[child])) child++;
      if (!this.#isBefore(this.#items[child], item)) break;
      this.#put(at, this.#items[child]);
      at = child;
    }
    this.#put(at, item);
  }

  #put(at: number, item: number): void {
    this.#items[at] = item;
    this.#places[item] = at;
  }
}
