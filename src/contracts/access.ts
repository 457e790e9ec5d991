/** Roles of callers, each with the rights of those before it. */
export const ROLES = ['viewer', 'planner', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Tiers of callers: how many requests they may send. */
export const TIERS = ['default', 'premium', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];
