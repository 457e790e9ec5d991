/** An import stops looking for further faults after this many. */
export const MAX_IMPORT_FAULTS = 20;

/** What is wrong with the files, one line per fault; nothing was stored. */
export class ImportError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ImportError';
    this.problems = problems;
  }
}

/** Collects faults of all files of an import. */
export class FaultList {
  readonly #faults: { order: number; line: number; text: string }[] = [];

  get isFull(): boolean {
    return this.#faults.length >= MAX_IMPORT_FAULTS;
  }

  get size(): number {
    return this.#faults.length;
  }

  /** @param order place of the file among the files; its faults stand together, by line */
  add(order: number, file: string, line: number, message: string): void {
    if (this.isFull) return;
    this.#faults.push({ order, line, text: `${file}:${line}: ${message}` });
  }

  /** @throws ImportError where there is any fault */
  throwIfAny(): void {
    if (this.#faults.length === 0) return;
    const lines = this.#faults.toSorted((a, b) => a.order - b.order || a.line - b.line);
    const end = this.isFull
      ? `stopped after ${MAX_IMPORT_FAULTS} faults; nothing was stored`
      : 'nothing was stored';
    throw new ImportError([...lines.map((fault) => fault.text), end]);
  }
}

/** A value as it stands in the file, cut where it is long. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
