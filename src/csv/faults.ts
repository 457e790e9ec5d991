/** What is wrong with one of several CSV texts: on a line, or (line null) with all of it. */
export type CsvFault = {
  /** place of the text among those that are read together */
  order: number;
  line: number | null;
  message: string;
};

/** All faults that were found; nothing was stored. */
export class CsvFaults extends Error {
  readonly faults: readonly CsvFault[];
  /** Whether the search was given up because there are so many. */
  readonly isCut: boolean;
  constructor(faults: readonly CsvFault[], isCut = false) {
    super(faults.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
    this.name = 'CsvFaults';
    this.faults = faults;
    this.isCut = isCut;
  }
}

/** Ends the reading of a text before its end; why is in its list of faults. */
export class ReadingStopped extends Error {}

/** Collects the faults of a text up to a limit. */
export class CsvFaultList {
  readonly limit: number;
  readonly #order: number;
  readonly #faults: CsvFault[] = [];

  /** @param order place of the text among those that are read together */
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

  /** By line. */
  get faults(): readonly CsvFault[] {
    return this.#faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  /** @param line null: of all of the text */
  add(line: number | null, message: string): void {
    if (!this.isFull) this.#faults.push({ order: this.#order, line, message });
  }
}

/** @throws CsvFaults with the faults of all texts, where there is any */
export function throwFaults(lists: readonly CsvFaultList[]): void {
  const faults = lists.flatMap((list) => list.faults);
  if (faults.length > 0)
    throw new CsvFaults(
      faults,
      lists.some((list) => list.isFull),
    );
}

/** A value as it stands in the text, cut where it is long. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
