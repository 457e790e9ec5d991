import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createCsvParser } from '../csv/parser.ts';
import { ImportError } from './faults.ts';

/**
 * The streams that read a CSV file, plain or gzip (told by its first bytes, whatever its name). The last stream
 * gives `CsvRow`s.
 * @param onBytes hears how many bytes of the file have been read
 * @throws ImportError where the file cannot be opened
 */
export async function openCsv(
  file: string,
  onBytes: (bytes: number) => void,
): Promise<[Readable, ...NodeJS.ReadWriteStream[]]> {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  const isGzip = await hasGzipHeader(file);
  return [createReadStream(file), counter, ...(isGzip ? [createGunzip()] : []), createCsvParser()];
}

/** Size of a file in bytes. @throws ImportError where it cannot be read */
export async function fileSize(file: string): Promise<number> {
  return withFile(file, async (handle) => (await handle.stat()).size);
}

async function hasGzipHeader(file: string): Promise<boolean> {
  return withFile(file, async (handle) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  });
}

async function withFile<T>(
  file: string,
  use: (handle: Awaited<ReturnType<typeof open>>) => Promise<T>,
): Promise<T> {
  try {
    await using handle = await open(file);
    return await use(handle);
  } catch (error) {
    throw describeFileError(file, error) ?? error;
  }
}

/** What a failed read says to the person who gave the file; undefined where the file is not to blame. */
export function describeFileError(file: string, error: unknown): ImportError | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const nothing = 'nothing was stored';
  if (code?.startsWith('Z_'))
    return new ImportError([`${file}: the gzip data is damaged or cut short (${code})`, nothing]);
  // Only what the file system says: a socket to the database has error codes too.
  if (!syscall || !/^(open|read|stat|fstat)$/.test(syscall)) return undefined;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'the file may not be read by this user',
    EISDIR: 'this is a folder; give a file',
  };
  return new ImportError([`${file}: ${reasons[code ?? ''] ?? `cannot be read (${code})`}`, nothing]);
}
