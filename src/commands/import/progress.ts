import { SingleBar } from 'cli-progress';
import type { ImportProgress } from './import-files.ts';

/**
 * Shows the progress of an import: a bar on a terminal, else one line per file and step, so that a log stays readable.
 * @param stream destination (standard error: standard output is for the result)
 */
export function openProgress(stream: NodeJS.WriteStream) {
  return stream.isTTY ? openBar(stream) : openLines(stream);
}

function openBar(stream: NodeJS.WriteStream) {
  const bar = new SingleBar({
    stream,
    format: '{what} [{bar}] {percentage}%{rows}',
    clearOnComplete: true,
    // The bar leaves the terminal's settings alone: an interrupted import has nothing to restore.
    hideCursor: false,
    linewrap: true,
  });
  let isStarted = false;
  return {
    onProgress(progress: ImportProgress) {
      const what = `${progress.phase} ${progress.stage}`;
      if (progress.phase === 'reading') {
        const payload = { what, rows: ` | ${progress.rows} rows` };
        if (isStarted) bar.update(progress.bytes, payload);
        else bar.start(progress.totalBytes, progress.bytes, payload);
        isStarted = true;
      } else {
        // All rows are read. The bar stays full while PostgreSQL works.
        bar.update(bar.getTotal(), { what, rows: '' });
      }
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
