import { chmod } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';

/** A log is begun anew at this size … */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** … and so many older ones are kept beside it: `api.log.1` is the newest of them. */
const KEPT_LOGS = 4;

export type LogFile = {
  /** Adds all that a process says, line by line, so that no line is torn apart between two files. */
  follow(source: Readable): void;
  close(): Promise<void>;
};

/**
 * Opens a log that only its owner can read and that does not grow without end.
 * @param limits for tests
 */
export async function openLogFile(
  folder: string,
  name: string,
  { maxBytes, kept }: { maxBytes: number; kept: number } = { maxBytes: MAX_LOG_BYTES, kept: KEPT_LOGS },
): Promise<LogFile> {
  const file = path.join(folder, name);
  // A log of an earlier version may be there for all to read.
  await chmod(file, 0o600).catch(() => {});
  const stream: RotatingFileStream = createStream((index) => (index === null ? name : `${name}.${index}`), {
    path: folder,
    size: `${maxBytes}B`,
    rotate: kept,
    mode: 0o600,
  });
  // A log that cannot be written (the disk is full) is no reason for the service to end, nor to wait.
  stream.on('error', ({ message }) =>
    console.error(`${file}: ${message}; nothing is logged there until the next start`),
  );
  return {
    follow(source) {
      let rest = '';
      source.setEncoding('utf8');
      source.on('data', (text: string) => {
        const end = text.lastIndexOf('\n') + 1;
        if (end > 0) stream.write(rest + text.slice(0, end));
        rest = (end > 0 ? '' : rest) + text.slice(end);
      });
      source.once('end', () => rest && stream.write(`${rest}\n`));
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}
