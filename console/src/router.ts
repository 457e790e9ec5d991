import { computed, signal } from '@preact/signals';
import { SERVICE } from './service.ts';
import { texts } from './texts.ts';

const BASE = new URL(`${SERVICE}/console`).pathname;

/** The pages in the order of the navigation. `path` follows /console/; `key`, pressed after `g`, opens the page. */
export const PAGES = [
  { path: '', title: texts.today.title, key: 't' },
  { path: 'map', title: texts.map.title, key: 'm' },
  { path: 'ahead', title: texts.ahead.title, key: 'a' },
  { path: 'jobs', title: texts.jobs.title, key: 'j' },
  { path: 'plans', title: texts.plans.title, key: 'p' },
  { path: 'replay', title: texts.replay.title, key: 'r' },
  { path: 'forecast', title: texts.forecast.title, key: 'f' },
  { path: 'data', title: texts.data.title, key: 'd' },
  { path: 'risk', title: texts.risk.title, key: 'k' },
  { path: 'operations', title: texts.operations.title, key: 'o' },
] as const;

type Query = Record<string, string | undefined>;

const href = signal(window.location.pathname + window.location.search);

/** The part of the path after /console/: the name of the page; empty at its root. */
export const page = computed(() => href.value.split('?')[0].slice(BASE.length).replaceAll('/', ''));

/** The part of the address after the page: date, plan, selection, sliders. */
export const query = computed(() => new URLSearchParams(href.value.split('?')[1] ?? ''));

/** The address of a page. Values that are undefined or empty are left out. */
export function addressOf(name: string, values: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value) search.set(key, value);
  const text = search.toString();
  return `${BASE}/${name}${text ? `?${text}` : ''}`;
}

export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  if (address === href.peek()) return;
  window.history[`${how}State`](null, '', address);
  href.value = address;
}

/** Changes values of the address and keeps the others, without a step in the history. */
export function changeQuery(values: Query, how: 'push' | 'replace' = 'replace'): void {
  const all: Query = Object.fromEntries(query.peek());
  navigate(addressOf(page.peek(), { ...all, ...values }), how);
}

/** Follows links within the console without loading it again; everything else is left to the browser. */
export function startRouter(): void {
  window.addEventListener('popstate', () => {
    href.value = window.location.pathname + window.location.search;
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = (event.target as Element).closest?.('a');
    // One with a hash leads to a part of this page: the browser goes there.
    if (
      !link ||
      link.hash ||
      link.target ||
      link.hasAttribute('download') ||
      link.origin !== window.location.origin
    )
      return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
    window.scrollTo(0, 0);
  });
}
