import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createCsvParser } from '../../csv/parser.ts';
import type { CsvStreams } from '../../csv/read-stage.ts';

/**
 * The streams that read a CSV file, plain or gzip (recognized by its first bytes, whatever its name). The last stream
 * yields `CsvRow`s.
 * @param onBytes called with the number of bytes read so far
 * @throws the file system's error if the file cannot be opened (`describeFileError`)
 */
export async function openCsv(file: string, onBytes: (bytes: number) => void): Promise<CsvStreams> {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  const isGzip = await hasGzipHeader(file);
  return [createReadStream(file), counter, ...(isGzip ? [createGunzip()] : []), createCsvParser()];
}

/** Size of a file in bytes. @throws the file system's error if it cannot be read */
export async function fileSize(file: string): Promise<number> {
  await using handle = await open(file);
  return (await handle.stat()).size;
}

async function hasGzipHeader(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

/** The message of a failed read for the user of the file; undefined if the file is not to blame. */
export function describeFileError(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_')) return `the gzip data is damaged or truncated (${code})`;
  // Only errors of the file system: a socket to the database has error codes too.
  if (!syscall || !/^(open|read|stat|fstat)$/.test(syscall)) return undefined;
  const reasons: Record<string, string> = {
    ENOENT: 'no such file',
    EACCES: 'the file may not be read by this user',
    EISDIR: 'this is a folder; give a file',
  };
  return reasons[code ?? ''] ?? `cannot be read (${code})`;
}
