/** What the caller prefers (RFC 7240): how long to wait, and the preference that was applied. */
export type WaitPreference = { waitSeconds: number; applied: string | undefined };

/**
 * Reads `respond-async` and `wait=N` from a Prefer header. `wait` bounds the wait, alone or beside
 * `respond-async`; `respond-async` alone does not wait at all. What cannot be understood is ignored, as the RFC says.
 * @param limitSeconds the service's own limit
 */
export function readWaitPreference(
  header: string | string[] | undefined,
  limitSeconds: number,
): WaitPreference {
  let async = false;
  let wait: number | undefined;
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name, value] = part
      .split(';')[0]
      .split('=')
      .map((text) => text.trim());
    if (name.toLowerCase() === 'respond-async') async = true;
    // The first one counts where a preference is repeated.
    if (name.toLowerCase() === 'wait' && wait === undefined && /^"?\d{1,9}"?$/.test(value ?? ''))
      wait = Number(value.replaceAll('"', ''));
  }
  const applied = [async && 'respond-async', wait !== undefined && `wait=${wait}`].filter(Boolean).join(', ');
  return {
    waitSeconds: Math.min(wait ?? (async ? 0 : limitSeconds), limitSeconds),
    applied: applied || undefined,
  };
}
