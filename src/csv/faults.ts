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

/** Collects faults up to a limit. */
export class FaultList {
  readonly limit: number;
  readonly #faults: CsvFault[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get isFull(): boolean {
    return this.#faults.length >= this.limit;
  }

  get size(): number {
    return this.#faults.length;
  }

  add(fault: CsvFault): void {
    if (!this.isFull) this.#faults.push(fault);
  }

  /** @throws CsvFaults where there is any, by text and line */
  throwIfAny(): void {
    if (this.#faults.length === 0) return;
    const sorted = this.#faults.toSorted((a, b) => a.order - b.order || (a.line ?? 0) - (b.line ?? 0));
    throw new CsvFaults(sorted, this.isFull);
  }
}

/** A value as it stands in the text, cut where it is long. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
