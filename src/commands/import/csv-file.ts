import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createCsvParser } from '../../csv/parser.ts';
import type { CsvStreams } from '../../csv/read-stage.ts';

/**
 * The streams that read a CSV file, plain or gzip (told by its first bytes, whatever its name). The last stream
 * gives `CsvRow`s.
 * @param onBytes hears how many bytes of the file have been read
 * @throws the error of the file system where the file cannot be opened (`describeFileError`)
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

/** Size of a file in bytes. @throws the error of the file system where it cannot be read */
export async function fileSize(file: string): Promise<number> {
  await using handle = await open(file);
  return (await handle.stat()).size;
}

async function hasGzipHeader(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

/** What a failed read says to the person who gave the file; undefined where the file is not to blame. */
export function describeFileError(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_')) return `the gzip data is damaged or truncated (${code})`;
  // Only what the file system says: a socket to the database has error codes too.
  if (!syscall || !/^(open|read|stat|fstat)$/.test(syscall)) return undefined;
  const reasons: Record<string, string> = {
    ENOENT: 'no such file',
    EACCES: 'the file may not be read by this user',
    EISDIR: 'this is a folder; give a file',
  };
  return reasons[code ?? ''] ?? `cannot be read (${code})`;
}
