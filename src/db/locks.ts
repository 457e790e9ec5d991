import { eq } from 'drizzle-orm';
import type { Queryable } from './client.ts';
import { type ServiceLock, serviceLocks } from './schema.ts';

const lockOf = (tx: Queryable, name: ServiceLock) =>
  tx.select().from(serviceLocks).where(eq(serviceLocks.name, name));

/**
 * Waits for a lock, and holds it until the transaction ends.
 * @param strength `share`: with others that share it
 */
export async function holdLock(
  tx: Queryable,
  name: ServiceLock,
  strength: 'update' | 'share' = 'update',
): Promise<void> {
  const { length } = await lockOf(tx, name).for(strength);
  if (length === 0) throw new Error(`the table service_locks has no row '${name}'; insert it`);
}

/** As `holdLock`, without waiting. @returns whether it is held now */
export async function tryLock(tx: Queryable, name: ServiceLock): Promise<boolean> {
  return (await lockOf(tx, name).for('update', { skipLocked: true })).length === 1;
}
