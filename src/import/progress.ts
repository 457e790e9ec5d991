import { SingleBar } from 'cli-progress';
import type { ImportProgress } from './import-files.ts';

/**
 * Shows how far an import is: a bar on a terminal, else one line per file and step, so that a log stays readable.
 * @param stream where to (standard error: standard output is for the result)
 */
export function openProgress(stream: NodeJS.WriteStream) {
  return stream.isTTY ? openBar(stream) : openLines(stream);
}

function openBar(stream: NodeJS.WriteStream) {
  const bar = new SingleBar({
    stream,
    format: '{what} [{bar}] {percentage}% | {rows} rows',
    hideCursor: true,
    clearOnComplete: true,
  });
  let isStarted = false;
  return {
    onProgress({ phase, stage, rows, bytes, totalBytes }: ImportProgress) {
      const payload = { what: `${phase} ${stage}`, rows };
      if (!isStarted) bar.start(totalBytes, bytes, payload);
      isStarted = true;
      // Storing comes last: the bar stays full.
      bar.update(phase === 'reading' ? bytes : bar.getTotal(), payload);
    },
    close: () => bar.stop(),
  };
}

function openLines(stream: NodeJS.WriteStream) {
  let last: string | undefined;
  return {
    onProgress({ phase, stage }: ImportProgress) {
      const line = `${phase} ${stage} …`;
      if (line !== last) stream.write(`${line}\n`);
      last = line;
    },
    close: () => {},
  };
}
