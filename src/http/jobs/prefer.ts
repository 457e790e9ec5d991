/** The preference of the caller (RFC 7240): how long to wait, and the preference as it was applied. */
export type WaitPreference = { waitSeconds: number; applied: string | undefined };

/** A part between commas (or semicolons, below); those inside a quoted string do not separate parts. */
const BETWEEN_COMMAS = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
const BETWEEN_SEMICOLONS = /(?:"(?:[^"\\]|\\.)*"?|[^";])+/g;
const SECONDS = /^(?:\d{1,9}|"\d{1,9}")$/;

/**
 * Reads `respond-async` and `wait=N` from a Prefer header. `wait` limits the wait, alone or with `respond-async`;
 * `respond-async` alone means no wait. Unknown preferences are ignored. If a preference is repeated, the first one
 * counts (RFC 7240).
 * @param limitSeconds the service's own limit
 */
export function readWaitPreference(
  header: string | string[] | undefined,
  limitSeconds: number,
): WaitPreference {
  const preferences = new Map<string, string>();
  for (const preference of [header ?? []].flat().join(',').match(BETWEEN_COMMAS) ?? []) {
    // Parameters (`; name=value`) are ignored.
    const [word = ''] = preference.match(BETWEEN_SEMICOLONS) ?? [];
    const equals = word.indexOf('=');
    const name = (equals < 0 ? word : word.slice(0, equals)).trim().toLowerCase();
    const value = equals < 0 ? '' : word.slice(equals + 1).trim();
    if (!preferences.has(name)) preferences.set(name, value);
  }
  const async = preferences.has('respond-async');
  const value = preferences.get('wait') ?? '';
  const wait = SECONDS.test(value)
    ? Math.min(Number(value.replaceAll('"', '')), Math.floor(limitSeconds))
    : undefined;
  const applied = [async && 'respond-async', wait !== undefined && `wait=${wait}`].filter(Boolean).join(', ');
  return {
    waitSeconds: wait ?? (async ? 0 : limitSeconds),
    applied: applied || undefined,
  };
}
