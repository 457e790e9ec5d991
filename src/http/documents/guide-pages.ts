import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Heading, type Page, parse, type Section } from './guide-markdown.ts';

/** The first page, which names the others. Its list of links is the navigation. */
export const FIRST_PAGE = 'docs/README.md';
const PICTURES = /\.(svg|webp)$/;

/** A link of the navigation, under a heading that names its readers. */
type NavigationGroup = {
  readers: string;
  links: { title: string; file: string }[];
};

/** The pages and pictures to which the first page leads, directly or by others. Paths are relative to the root. */
export type Guide = {
  /** By path, for example `docs/client/api.md`. */
  pages: ReadonlyMap<string, Page>;
  /** Paths of pictures, for example `docs/planner/replay-week.svg`. */
  pictures: ReadonlySet<string>;
  navigation: NavigationGroup[];
};

/** A section under a heading: the unit of the search. */
export type SearchEntry = {
  id: number;
  /** Path of the page, with the anchor of the section. */
  link: string;
  page: string;
  heading: string;
  text: string;
};

/**
 * Reads the guide from its Markdown files. A file that is missing (a container image may leave some out) has no page,
 * and links to it become text.
 *
 * @param root folder of the project
 */
export function readGuide(root: string): Guide {
  const found = new Map<string, Page>();
  const pictures = new Set<string>();
  const waiting = [FIRST_PAGE];
  for (const file of waiting) {
    if (found.has(file) || !isInside(file) || !existsSync(path.join(root, file))) continue;
    const page = parse(readFileSync(path.join(root, file), 'utf8'));
    found.set(file, page);
    for (const target of page.targets.map((link) => resolveTarget(file, link))) {
      if (target.endsWith('.md')) waiting.push(target);
      else if (PICTURES.test(target) && isInside(target) && existsSync(path.join(root, target))) {
        pictures.add(target);
      }
    }
  }
  return { pages: found, pictures, navigation: navigationOf(found.get(FIRST_PAGE)) };
}

/** @returns the file that a link of a page leads to, without its anchor, relative to the root */
export function resolveTarget(page: string, link: string): string {
  const file = link.split('#')[0]!;
  return file === '' ? page : path.posix.join(path.posix.dirname(page), file);
}

/** The page that stood at this path before the pages were sorted by reader. */
export function movedPage(guide: Guide, file: string): string | undefined {
  const name = file === 'docs/analysts.md' ? 'sql.md' : /^docs\/((?:adr\/)?[\w-]+\.md)$/.exec(file)?.[1];
  if (name === undefined) return undefined;
  return [...guide.pages.keys()].find((page) => /^docs\/\w+\/(.*)/.exec(page)?.[1] === name);
}

/** The sections of all pages, in the order in which the pages were found. */
export function searchEntries(guide: Guide): SearchEntry[] {
  let id = 0;
  return [...guide.pages].flatMap(([file, page]) =>
    page.sections.map(({ anchor, heading, text }: Section) => ({
      id: id++,
      link: anchor === undefined ? file : `${file}#${anchor}`,
      page: page.title,
      heading,
      text,
    })),
  );
}

/** The headings that the table of contents of a page shows. */
export function contentsOf(page: Page): Heading[] {
  return page.headings.filter(({ level }) => level === 2);
}

/** A list of links right below a heading of the third level is a group of the navigation. */
function navigationOf(first: Page | undefined): NavigationGroup[] {
  return (first?.lists ?? []).map(({ heading, links }) => ({
    readers: heading,
    links: links.map(({ text, target }) => ({ title: text, file: resolveTarget(FIRST_PAGE, target) })),
  }));
}

function isInside(file: string): boolean {
  return !file.startsWith('..') && !path.posix.isAbsolute(file);
}
