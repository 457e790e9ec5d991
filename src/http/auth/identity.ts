import { ROLES, type Role, type Tier } from '../../contracts/access.ts';

/** The sender of a request. */
export type Identity = {
  /** whom the jobs of this caller belong to; null: authentication is off */
  owner: string | null;
  /** null: it has none, and may use only what is public */
  role: Role | null;
  tier: Tier;
  /** of the API key, null for tokens */
  keyId: string | null;
  /** when its token expires, ms since 1970; null: never */
  expiresAt: number | null;
};

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyRequest {
    /** null: nothing is proved yet */
    provedIdentity: Identity | null;
    readonly identity: Identity;
  }
}

/** Every caller while authentication is off. */
export const ANYBODY: Identity = Object.freeze({
  owner: null,
  role: 'operator',
  tier: 'enterprise',
  keyId: null,
  expiresAt: null,
});

/** A caller who has not proved anything: nothing belongs to it. */
export const NOBODY: Identity = Object.freeze({ ...ANYBODY, owner: '', role: null, tier: 'default' });

/** Whether a caller has a role or one above it. */
export function hasRole({ role }: Pick<Identity, 'role'>, needed: Role): boolean {
  return role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The owner whose jobs, plans, … a caller may see; undefined: it may see all of them. */
export function onlyOwner(identity: Pick<Identity, 'owner' | 'role'>): string | undefined {
  return hasRole(identity, 'operator') ? undefined : (identity.owner ?? '');
}
