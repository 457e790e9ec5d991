import { Piscina } from 'piscina';
import { AppError, type Fault } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import { optimizeSettings, riskSettings } from '../../inputs/settings.ts';
import type { IntakeResult, IntakeTask } from './intake-thread.ts';
import type { Checkable, IntakeSettings, Operation, OperationFacts } from './operations.ts';
import { type Outcome, readBody } from './read-body.ts';

/** Bodies up to this size are read on the event loop, in some milliseconds. A thread would take longer to start. */
export const MAX_LOOP_BODY_BYTES = 256 * 1024;
/** An idle thread ends after this time and gives its memory back. */
const IDLE_MS = 10_000;

export type Intake = {
  /**
   * Reads a JSON body: a small one on the event loop, a large one in a thread. The intake owns `bytes` from then on.
   * @param isHashed as in `ReadContext`
   */
  read<O extends Operation>(operation: O, bytes: Uint8Array, isHashed?: boolean): Promise<ReceivedBody<O>>;
  close(): Promise<void>;
};

/** A body that has been read. */
export class ReceivedBody<O extends Operation = Operation> {
  readonly operation: O;
  /** the faults that the schema found; there are no facts then */
  readonly error: AppError | undefined;
  /** called by `release` */
  onRelease: (() => void) | undefined;
  #facts: OperationFacts<O> | undefined;
  #readAgain: ((known: ReadonlySet<number>) => Promise<Outcome<O>>) | undefined;

  constructor(
    operation: O,
    { facts, refused }: Outcome<O>,
    readAgain: (known: ReadonlySet<number>) => Promise<Outcome<O>>,
  ) {
    this.operation = operation;
    this.error = refused && new AppError(refused.code, refused.faults);
    this.#facts = facts;
    this.#readAgain = readAgain;
  }

  get facts(): OperationFacts<O> {
    if (!this.#facts) throw new Error('the facts of the body have been released');
    return this.#facts;
  }

  /**
   * Finds the faults that the schema cannot express. The body is read again only if a location is not stored.
   * @param known the stored ones among the locations that the body names
   */
  async findFaults(known: ReadonlySet<number>): Promise<Fault[]> {
    const { locationIds, faults } = this.facts as Checkable;
    if (locationIds.every((id) => known.has(id))) return faults;
    const { facts } = await this.#readAgain!(known);
    return (facts as Checkable).faults;
  }

  /** @throws AppError VALIDATION_ERROR with the faults of `findFaults` */
  async check(known: ReadonlySet<number>): Promise<void> {
    const faults = await this.findFaults(known);
    if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
  }

  /** Drops the reference to the body: its request may wait for minutes. */
  release(): void {
    this.#facts = undefined;
    this.#readAgain = undefined;
    this.onRelease?.();
  }
}

/** Opens the threads that read large bodies. The first one starts with the first of them. */
export function openIntake(config: Config, { idleMs = IDLE_MS } = {}): Intake {
  const settings: IntakeSettings = {
    risk: riskSettings(config),
    optimize: optimizeSettings(config),
  };
  let pool: Piscina<IntakeTask, IntakeResult> | undefined;
  const openPool = () =>
    new Piscina<IntakeTask, IntakeResult>({
      filename: new URL('./intake-thread.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
    });
  const runInThread = (task: IntakeTask): Promise<IntakeResult> => {
    pool ??= openPool();
    return pool.run(task, { transferList: [task.bytes.buffer] as never });
  };
  const run = async (task: IntakeTask): Promise<IntakeResult> =>
    task.bytes.length <= MAX_LOOP_BODY_BYTES
      ? { outcome: readBody(task.operation, task.bytes, task), bytes: task.bytes }
      : runInThread(task);

  return {
    async read<O extends Operation>(
      operation: O,
      body: Uint8Array,
      isHashed = false,
    ): Promise<ReceivedBody<O>> {
      let bytes = body;
      const readWith = async (known: ReadonlySet<number> | null) => {
        // The first chunk may be these very bytes, which would move to the thread.
        const given = known === null ? bytes : new Uint8Array(bytes);
        const result = await run({ operation, bytes: given, settings, known, isHashed });
        bytes = result.bytes;
        return result.outcome as Outcome<O>;
      };
      return new ReceivedBody(operation, await readWith(null), readWith);
    },
    async close() {
      await pool?.destroy();
    },
  };
}
