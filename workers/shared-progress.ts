/** Progress of a thread; `progress` from 0 to 1, never falling. */
export type ThreadProgress = {
  stage: string;
  progress: number;
  incumbent?: number | null;
  bound?: number | null;
  gap?: number | null;
  iterations?: number | null;
};

const FIGURES = ['progress', 'incumbent', 'bound', 'gap', 'iterations'] as const;

/** Longest name of a stage, in characters; names are ASCII. */
const MAX_STAGE = 48;
const HEAD_BYTES = 8;
const STAGE_AT = HEAD_BYTES + 8 * FIGURES.length;

/**
 * The newest progress of a thread, in memory that it shares with its worker: it writes as often as it likes, and the
 * worker looks when it wants to know. A message for each report cost more than a small solve. Figures stay until newer
 * ones are written.
 */
export type SharedProgress = SharedArrayBuffer;

export const createSharedProgress = (): SharedProgress => new SharedArrayBuffer(STAGE_AT + MAX_STAGE);

function open(memory: SharedProgress) {
  // The version, which is odd while the rest is written, and the length of the stage.
  const head = new Int32Array(memory, 0, 2);
  const figures = new Float64Array(memory, HEAD_BYTES, FIGURES.length);
  const stage = new Uint8Array(memory, STAGE_AT, MAX_STAGE);
  return { head, figures, stage };
}

/** The side of the thread. */
export function openProgressWriter(memory: SharedProgress): (progress: ThreadProgress) => void {
  const { head, figures, stage } = open(memory);
  figures.fill(Number.NaN);
  return (told) => {
    Atomics.add(head, 0, 1);
    FIGURES.forEach((name, f) => {
      figures[f] = told[name] ?? figures[f];
    });
    head[1] = Math.min(told.stage.length, MAX_STAGE);
    for (let c = 0; c < head[1]; c++) stage[c] = told.stage.charCodeAt(c);
    Atomics.add(head, 0, 1);
  };
}

/** The side of the worker. @returns a function for the newest progress; null if nothing was written since */
export function openProgressReader(memory: SharedProgress): () => Required<ThreadProgress> | null {
  const { head, figures, stage } = open(memory);
  let seen = 0;
  return () => {
    const version = Atomics.load(head, 0);
    if (version === seen || version % 2 === 1) return null;
    const [progress, incumbent, bound, gap, iterations] = [...figures].map((figure) =>
      Number.isNaN(figure) ? null : figure,
    );
    const name = String.fromCharCode(...stage.subarray(0, head[1]));
    // Written meanwhile: the next look finds it whole.
    if (Atomics.load(head, 0) !== version) return null;
    seen = version;
    return { progress: progress ?? 0, stage: name, incumbent, bound, gap, iterations };
  };
}
