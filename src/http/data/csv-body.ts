import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../answers/errors.ts';

/** A larger body is kept in a file. */
const MAX_MEMORY_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;
export const HUNG_UP = 'the connection closed before the body was complete';

/**
 * A CSV body on its way in: the bytes as they were received. Memory holds up to 64 KiB of it, and a temporary file
 * without a name the rest: not even a crash leaves it behind. Not in PostgreSQL at once, since a slow sender would
 * hold a connection.
 */
export class CsvBody {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #file: Promise<FileHandle> | undefined;
  #isRead = false;
  #isDropped = false;

  /** Adds a chunk. @returns null, or a promise if the sender has to wait for the file */
  add(chunk: Buffer): Promise<void> | null {
    if (this.#isDropped) return null;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > MAX_MEMORY_BYTES ? this.#spill() : null;
  }

  async #spill(): Promise<void> {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#bytes = 0;
    this.#file ??= openNameless();
    await (await this.#file).appendFile(Buffer.concat(chunks));
  }

  /** The bytes, once. Closes the file at the end. @throws AppError VALIDATION_ERROR if the body was dropped */
  async *read(): AsyncGenerator<Buffer> {
    if (this.#isDropped) throw new AppError('VALIDATION_ERROR', HUNG_UP);
    this.#isRead = true;
    try {
      const file = await this.#file;
      for (let at = 0; file; ) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
      yield* this.#chunks;
    } finally {
      await this.#close();
    }
  }

  /** Frees what is kept, unless somebody reads it. Further chunks are not kept. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    if (!this.#isRead) await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#chunks = [];
    // A caller may have hung up while it was being opened. If that failed, whoever adds a chunk is told.
    await file?.then(
      (opened) => opened.close(),
      () => {},
    );
  }
}

async function openNameless(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `fleet-body-${uuidv7()}`);
  const file = await open(name, 'wx+', 0o600);
  await unlink(name);
  return file;
}
