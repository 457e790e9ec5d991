import type { ApiKeyRecord } from '../../db/service/api-keys.ts';

const HEADER = ['id', 'name', 'role', 'tier', 'owner', 'created', 'last used', 'revoked'];

/** The keys as a table; times are UTC, `last used` to the hour. */
export function keyTable(keys: readonly ApiKeyRecord[]): string {
  const time = (date: Date | null) => (date ? date.toISOString().slice(0, 16).replace('T', ' ') : '–');
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.role,
    key.tier,
    key.owner,
    time(key.createdAt),
    time(key.lastUsedAt),
    time(key.revokedAt),
  ]);
  const widths = HEADER.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
  return [HEADER, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
