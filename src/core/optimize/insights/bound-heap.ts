/** The binary heap of a best-first search: what has the least bound comes first. O(log n). */

/** @param from to begin with */
export function createBoundHeap<T extends { bound: number }>(from: readonly T[]) {
  const list = [...from].sort((a, b) => a.bound - b.bound);
  const up = (at: number) => {
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (list[above].bound <= list[at].bound) return;
      [list[above], list[at]] = [list[at], list[above]];
      at = above;
    }
  };
  const down = () => {
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < list.length && list[child].bound < list[least].bound) least = child;
      }
      if (least === at) return;
      [list[least], list[at]] = [list[at], list[least]];
      at = least;
    }
  };
  return {
    size: () => list.length,
    /** Of the least bound; there has to be one. */
    first: () => list[0],
    all: () => list,
    push(item: T) {
      list.push(item);
      up(list.length - 1);
    },
    pop(): T {
      const first = list[0];
      const last = list.pop()!;
      if (list.length > 0) {
        list[0] = last;
        down();
      }
      return first;
    },
  };
}
