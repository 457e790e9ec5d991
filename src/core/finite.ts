/**
 * No number that leaves the core is NaN or infinite. JSON writes such a number as null, and a reader may take null for
 * 0 and plan with it. So such a number is an error here, at the one place that every result passes.
 */

/** A result of the core contains a number that is not finite: a fault of our own code. */
export class NotFiniteError extends Error {
  constructor(path: string, value: unknown) {
    super(`${path} is ${value}; a number that leaves the core has to be finite`);
    this.name = 'NotFiniteError';
  }
}

/**
 * Checks a result that leaves the core. O(numbers in it).
 * @param what names the result in the error
 * @param result plain data: objects, arrays, typed arrays, numbers, texts
 * @returns the result itself
 * @throws NotFiniteError with the path of the first number that is not finite
 */
export function requireFinite<T>(what: string, result: T): T {
  const found = findNotFinite(result);
  if (found) throw new NotFiniteError(`${what}${found.path}`, found.value);
  return result;
}

type Found = { path: string; value: number };

function findNotFinite(value: unknown): Found | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : { path: '', value };
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || value instanceof Float64Array) return findInList(value);
  if (ArrayBuffer.isView(value)) return null; // whole numbers
  for (const key in value) {
    const found = findNotFinite((value as Record<string, unknown>)[key]);
    if (found) return { ...found, path: `.${key}${found.path}` };
  }
  return null;
}

function findInList(list: ArrayLike<unknown>): Found | null {
  for (let i = 0; i < list.length; i++) {
    const found = findNotFinite(list[i]);
    if (found) return { ...found, path: `[${i}]${found.path}` };
  }
  return null;
}
