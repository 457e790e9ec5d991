/** From the least urgent to the most urgent, which is the order of PostgreSQL's enum. */
export const JOB_PRIORITIES = ['low', 'normal', 'high'] as const;
export type JobPriority = (typeof JOB_PRIORITIES)[number];
