import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';

/** A larger body is kept in a file. */
const MAX_MEMORY_BYTES = 64 * 1024 ** 2;
const READ_BYTES = 256 * 1024;

/**
 * A CSV body on its way in: the bytes as they were received. Memory holds up to 64 MiB of it, and a temporary file
 * without a name the rest: not even a crash leaves it behind. Not in PostgreSQL at once, since a slow sender would
 * hold a connection.
 */
export class CsvBody {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #file: FileHandle | undefined;
  #isRead = false;

  /** Adds a chunk. @returns null, or a promise if the sender has to wait for the file */
  add(chunk: Buffer): Promise<void> | null {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > MAX_MEMORY_BYTES ? this.#spill() : null;
  }

  async #spill(): Promise<void> {
    this.#file ??= await openNameless();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#bytes = 0;
    await this.#file.writev(chunks);
  }

  /** The bytes, once. Closes the file at the end. */
  async *read(): AsyncGenerator<Buffer> {
    this.#isRead = true;
    try {
      if (this.#file) {
        for (let at = 0; ; ) {
          const { bytesRead, buffer } = await this.#file.read(
            Buffer.allocUnsafe(READ_BYTES),
            0,
            READ_BYTES,
            at,
          );
          if (bytesRead === 0) break;
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      }
      yield* this.#chunks;
    } finally {
      await this.#close();
    }
  }

  /** Frees what is kept, unless somebody reads it. */
  async drop(): Promise<void> {
    if (!this.#isRead) await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#chunks = [];
    await file?.close();
  }
}

async function openNameless(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `fleet-body-${uuidv7()}`);
  const file = await open(name, 'wx+', 0o600);
  await unlink(name);
  return file;
}
