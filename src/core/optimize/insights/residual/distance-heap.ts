/** Binary heap of nodes by distance, each at most once; ties go to the node of lower number, so that searches repeat. */
export class DistanceHeap {
  readonly #nodes: Int32Array;
  readonly #keys: Float64Array;
  /** Place of each node in the heap, −1: not in it. */
  readonly #places: Int32Array;
  #size = 0;

  constructor(nodes: number) {
    this.#nodes = new Int32Array(nodes);
    this.#keys = new Float64Array(nodes);
    this.#places = new Int32Array(nodes).fill(-1);
  }

  clear(): void {
    for (let at = 0; at < this.#size; at++) this.#places[this.#nodes[at]] = -1;
    this.#size = 0;
  }

  /** Adds a node, or moves it up to a smaller key. */
  push(node: number, key: number): void {
    const at = this.#places[node] < 0 ? this.#size++ : this.#places[node];
    this.#keys[node] = key;
    this.#rise(at, node);
  }

  /** @returns the nearest node, or −1 */
  pop(): number {
    if (this.#size === 0) return -1;
    const top = this.#nodes[0];
    this.#places[top] = -1;
    const last = this.#nodes[--this.#size];
    if (this.#size > 0) this.#sink(0, last);
    return top;
  }

  #isBefore(a: number, b: number): boolean {
    return this.#keys[a] < this.#keys[b] || (this.#keys[a] === this.#keys[b] && a < b);
  }

  #rise(from: number, node: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(node, this.#nodes[above])) break;
      this.#put(at, this.#nodes[above]);
      at = above;
    }
    this.#put(at, node);
  }

  #sink(from: number, node: number): void {
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(this.#nodes[child + 1], this.#nodes[child])) child++;
      if (!this.#isBefore(this.#nodes[child], node)) break;
      this.#put(at, this.#nodes[child]);
      at = child;
    }
    this.#put(at, node);
  }

  #put(at: number, node: number): void {
    this.#nodes[at] = node;
    this.#places[node] = at;
  }
}
