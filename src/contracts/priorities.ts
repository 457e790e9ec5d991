/** From the least urgent to the most: PostgreSQL's enum sorts in this order. */
export const JOB_PRIORITIES = ['low', 'normal', 'high'] as const;
export type JobPriority = (typeof JOB_PRIORITIES)[number];
