/** A fault of one of several CSV texts: on a line, or (line null) of the whole text. */
export type CsvFault = {
  /** position of the text among those that are read together */
  order: number;
  line: number | null;
  message: string;
};

/** All faults that were found. Nothing was stored. */
export class CsvFaults extends Error {
  readonly faults: readonly CsvFault[];
  /** Whether the search stopped early because there are so many. */
  readonly isCut: boolean;
  constructor(faults: readonly CsvFault[], isCut = false) {
    super(faults.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
    this.name = 'CsvFaults';
    this.faults = faults;
    this.isCut = isCut;
  }
}

/** Ends the reading of a text early. Its list of faults says why. */
export class ReadingStopped extends Error {}

/** Collects the faults of a text up to a limit. */
export class CsvFaultList {
  readonly limit: number;
  readonly #order: number;
  readonly #faults: CsvFault[] = [];

  /** @param order position of the text among those that are read together */
  constructor(limit: number, order = 0) {
    this.limit = limit;
    this.#order = order;
  }

  get isFull(): boolean {
    return this.#faults.length >= this.limit;
  }

  get size(): number {
    return this.#faults.length;
  }

  /** The faults in the order of their lines. */
  get faults(): readonly CsvFault[] {
    return this.#faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  /** @param line null: the whole text */
  add(line: number | null, message: string): void {
    if (!this.isFull) this.#faults.push({ order: this.#order, line, message });
  }
}

/** @throws CsvFaults with the faults of all texts, if there are any */
export function throwFaults(lists: readonly CsvFaultList[]): void {
  const faults = lists.flatMap((list) => list.faults);
  if (faults.length > 0)
    throw new CsvFaults(
      faults,
      lists.some((list) => list.isFull),
    );
}

/** A value as the text has it, shortened if it is long. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
