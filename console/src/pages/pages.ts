import type { ComponentType } from 'preact';
import { texts } from '../texts.ts';

export type Page = {
  /** In the address, after /console/. */
  path: string;
  title: string;
  /** Pressed after `g`, it opens the page. */
  key: string;
  load: () => Promise<{ default: ComponentType }>;
};

/** The pages, in the order of the navigation. Each has a folder of its own, and its own part of `texts`. */
export const PAGES: Page[] = [
  { path: '', title: texts.today.title, key: 't', load: () => import('./today/today.tsx') },
  { path: 'map', title: texts.map.title, key: 'm', load: () => import('./map/map.tsx') },
  { path: 'ahead', title: texts.ahead.title, key: 'a', load: () => import('./ahead/ahead.tsx') },
  { path: 'jobs', title: texts.jobs.title, key: 'j', load: () => import('./jobs/jobs.tsx') },
  { path: 'plans', title: texts.plans.title, key: 'p', load: () => import('./plans/plans.tsx') },
  { path: 'replay', title: texts.replay.title, key: 'r', load: () => import('./replay/replay.tsx') },
  { path: 'forecast', title: texts.forecast.title, key: 'f', load: () => import('./forecast/forecast.tsx') },
  { path: 'data', title: texts.data.title, key: 'd', load: () => import('./data/data.tsx') },
  { path: 'risk', title: texts.risk.title, key: 'k', load: () => import('./risk/risk.tsx') },
  {
    path: 'operations',
    title: texts.operations.title,
    key: 'o',
    load: () => import('./operations/operations.tsx'),
  },
];
