import type { ComponentType } from 'preact';
import type { PAGES } from '../router.ts';

type Loader = () => Promise<{ default: ComponentType }>;

/** The loaders of pages, by path. Each page has a folder of its own, and its own part of `texts`. */
export const LOADERS: Record<(typeof PAGES)[number]['path'], Loader> = {
  '': () => import('./today/today.tsx'),
  map: () => import('./map/map.tsx'),
  ahead: () => import('./ahead/ahead.tsx'),
  jobs: () => import('./jobs/jobs.tsx'),
  plans: () => import('./plans/plans.tsx'),
  replay: () => import('./replay/replay.tsx'),
  forecast: () => import('./forecast/forecast.tsx'),
  data: () => import('./data/data.tsx'),
  risk: () => import('./risk/risk.tsx'),
  operations: () => import('./operations/operations.tsx'),
};
