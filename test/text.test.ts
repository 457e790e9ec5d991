import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutBlocks } from './docs/blocks.ts';

const ROOT = path.join(import.meta.dirname, '..');
const FOLDERS = '{src,workers,clients,console,test,bench,docs,data,deploy}';
/** Generated, built, or installed. */
const EXCLUDED = { exclude: ['clients/typescript/src/schema.ts', '**/{dist,node_modules}/**'] };
const MAX_COMMENT_COLUMNS = 120;
const MAX_MARKDOWN_COLUMNS = 200;
/** Of the README of a room of the service: short enough to be read at once. */
const MAX_ROOM_LINES = 80;
const MAX_ROOM_COLUMNS = 120;

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const sources = globSync([`${FOLDERS}/**/*.{ts,tsx,js,cjs}`, '*.ts'], { cwd: ROOT, ...EXCLUDED });
const documents = globSync([`${FOLDERS}/**/*.md`, '*.md'], { cwd: ROOT, ...EXCLUDED });

/** The lines of a file that are longer than `columns`, as `file:line`. */
function longLines(file: string, lines: string[], columns: number): string[] {
  return lines.flatMap((line, i) => ([...line].length > columns ? [`${file}:${i + 1}`] : []));
}

/** The anchor that a heading of Markdown gets. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** What is wrong with a relative link of a document, or nothing. */
function faultOf(link: string, document: string): string[] {
  const [file, anchor] = link.split('#') as [string, string | undefined];
  const target = file === '' ? document : path.normalize(path.join(path.dirname(document), file));
  if (target.startsWith('..')) return [`${document}: ${link} leaves the repository`];
  if (!existsSync(path.join(ROOT, target))) return [`${document}: there is no ${link}`];
  if (anchor === undefined || !target.endsWith('.md')) return [];
  const anchors = withoutBlocks(read(target)).flatMap((line) => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    return heading === undefined ? [] : [anchorOf(heading)];
  });
  return anchors.includes(anchor) ? [] : [`${document}: ${link} names no heading`];
}

describe('every source file', () => {
  /** The formatter keeps code within its own width; it leaves comments as they are. */
  test(`has comments of at most ${MAX_COMMENT_COLUMNS} columns`, () => {
    expect(sources.length).toBeGreaterThan(400);
    const isComment = (line: string) => /^\s*(\/\/|\/\*|\*)/.test(line);
    const found = sources.flatMap((file) => {
      const lines = read(file).split('\n');
      return longLines(
        file,
        lines.map((line) => (isComment(line) ? line : '')),
        MAX_COMMENT_COLUMNS,
      );
    });
    expect(found).toEqual([]);
  });
});

describe('every Markdown file', () => {
  test(`has lines of at most ${MAX_MARKDOWN_COLUMNS} columns outside of tables and blocks`, () => {
    const found = documents.flatMap((file) =>
      longLines(
        file,
        withoutBlocks(read(file)).map((line) => (line.startsWith('|') ? '' : line)),
        MAX_MARKDOWN_COLUMNS,
      ),
    );
    expect(found).toEqual([]);
  });

  test('links to files and headings that exist, within the repository', () => {
    const faults = documents.flatMap((document) => {
      const text = withoutBlocks(read(document)).join('\n');
      const links = [...text.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map((match) => match[1]);
      return links.flatMap((link) => faultOf(link, document));
    });
    expect(faults).toEqual([]);
  });
});

describe('the README of every room', () => {
  const readmes = globSync('{src,workers,console}/**/README.md', { cwd: ROOT, ...EXCLUDED });

  test(`has at most ${MAX_ROOM_LINES} lines`, () => {
    expect(readmes.length).toBeGreaterThan(20);
    const lengths = readmes.map((file) => [file, read(file).split('\n').length - 1]);
    expect(lengths.filter(([, lines]) => Number(lines) > MAX_ROOM_LINES)).toEqual([]);
  });

  test(`has lines of at most ${MAX_ROOM_COLUMNS} columns outside of tables`, () => {
    const isWide = (line: string) => line.startsWith('|') || line.startsWith('![');
    const found = readmes.flatMap((file) =>
      longLines(
        file,
        read(file)
          .split('\n')
          .map((line) => (isWide(line) ? '' : line)),
        MAX_ROOM_COLUMNS,
      ),
    );
    expect(found).toEqual([]);
  });
});

describe('the README of every room of the optimizer', () => {
  const optimizer = 'src/core/optimize';
  const rooms = globSync(`${optimizer}/*/`, { cwd: ROOT });
  const readmeOf = (room: string) => path.join(room, 'README.md');

  test('names every file of the room, and only files that exist', () => {
    const faults = rooms.flatMap((room) => {
      const names = [...read(readmeOf(room)).matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1]);
      const named = new Set(names.map((name) => path.join(room, name)));
      const files = globSync(`${room}/**/*.ts`, { cwd: ROOT });
      return [
        ...files.filter((file) => !named.has(file)).map((file) => `${readmeOf(room)} does not name ${file}`),
        ...[...named]
          .filter((file) => !existsSync(path.join(ROOT, file)))
          .map((file) => `${readmeOf(room)} names ${file}, which does not exist`),
      ];
    });
    expect(faults).toEqual([]);
  });
});
