import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';

/** A log of this size is rotated … */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** … and this many older files are kept: `api.log.1` is the newest of them. */
const KEPT_LOGS = 4;

export type LogFile = {
  /** Appends the output of a process, line by line, so that no line is split between two files. */
  follow(source: Readable): void;
  close(): Promise<void>;
};

/** Ends a line that a full disk, or the end of a process, cut. */
function endCutLine(file: string): void {
  const last = Buffer.from('\n');
  try {
    const opened = openSync(file, 'r');
    try {
      readSync(opened, last, 0, 1, Math.max(0, fstatSync(opened).size - 1));
    } finally {
      closeSync(opened);
    }
    if (last.toString('latin1') !== '\n') appendFileSync(file, '\n');
  } catch {
    // The file is not there yet, or the log cannot be written, as its stream will say.
  }
}

/**
 * Opens a log that only its owner can read, and that has a limited size.
 * @param limits for tests
 */
export async function openLogFile(
  folder: string,
  name: string,
  { maxBytes, kept }: { maxBytes: number; kept: number } = { maxBytes: MAX_LOG_BYTES, kept: KEPT_LOGS },
): Promise<LogFile> {
  const file = path.join(folder, name);
  let isFailing = false;
  const open = () => {
    endCutLine(file);
    const opened = createStream((index) => (index === null ? name : `${name}.${index}`), {
      path: folder,
      size: `${maxBytes}B`,
      rotate: kept,
      mode: 0o600,
    });
    // If a log cannot be written (the disk is full), the service must neither end nor wait. The next lines try again.
    opened.on('error', ({ message }) => {
      if (stream === opened) stream = undefined;
      if (!isFailing) console.error(`${file}: ${message}; lines are lost until it can be written again`);
      isFailing = true;
    });
    return opened;
  };
  let stream: RotatingFileStream | undefined = open();
  const write = (text: string) => {
    stream ??= open();
    stream.write(text, (error) => {
      if (!error) isFailing = false;
    });
  };
  return {
    follow(source) {
      let rest = '';
      source.setEncoding('utf8');
      source.on('data', (text: string) => {
        const end = text.lastIndexOf('\n') + 1;
        if (end > 0) write(rest + text.slice(0, end));
        rest = (end > 0 ? '' : rest) + text.slice(end);
      });
      source.once('end', () => rest && write(`${rest}\n`));
    },
    close: () => new Promise((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}
