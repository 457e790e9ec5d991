import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { InputError } from './exit-codes.ts';

/** The JSON in a file, or on standard input for `-`. @throws InputError */
export async function readJson(file: string): Promise<never> {
  const content = await readText(file);
  try {
    return JSON.parse(content) as never;
  } catch (error) {
    throw new InputError(`${nameOf(file)} is not JSON: ${(error as Error).message}`);
  }
}

async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  return readFile(file, 'utf8').catch((error) => {
    throw new InputError(`${file} cannot be read: ${error.message}`);
  });
}

/** The bytes of a file without reading it into memory; standard input, for `-`, is read whole. @throws InputError */
export async function readBytes(file: string): Promise<Blob> {
  if (file === '-') return new Blob([await buffer(process.stdin)]);
  try {
    return await openAsBlob(file);
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** Reads a number of the command line. */
export function numberOption(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || Number.isNaN(number)) throw new InvalidArgumentError('It is not a number.');
  return number;
}

/** Reads the id of a location. */
export function locationArgument(value: string, others: number[] = []): number[] {
  return [...others, numberOption(value)];
}
