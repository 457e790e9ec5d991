import { existsSync } from 'node:fs';
import path from 'node:path';

/** A program on the path of this machine; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(existsSync);
}
