import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '../../console/src');
/** What no reader sees, though it looks like words: names of keys, and parts of styles. */
const NOT_TEXTS = ['Enter', 'Escape', 'Files', 'State', 'px sans-serif', 'color-mix(in oklab,'];
/** Keys that are pressed, and addresses. */
const NOT_WORDS = ['g', '/docs'];
/** Attributes that no reader sees. */
const UNSEEN = /^(class|type|id|href|role|for|rel|target|d|transform)$/;

type Node = { type: string; [key: string]: unknown };

/** Texts in a syntax tree: two words, or one that begins with a capital; of what stands between tags any letter. */
function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, name, value, ...parts } = node as Node;
  const said = type === 'TemplateElement' ? (value as { cooked: string }).cooked : value;
  if (type === 'ImportDeclaration' || type === 'TSLiteralType') return [];
  if (type === 'JSXAttribute' && UNSEEN.test((name as { name: string }).name)) return [];
  if (typeof said === 'string') {
    const text = said.trim();
    const isSeen =
      type === 'JSXText'
        ? /[A-Za-z]/.test(text) && !NOT_WORDS.includes(text)
        : /[A-Za-z]{2,} +[A-Za-z]{2,}|^[A-Z][a-z]+$/.test(text) && !NOT_TEXTS.includes(text);
    return isSeen ? [text] : [];
  }
  return [...textsIn(value), ...Object.values(parts).flatMap(textsIn)];
}

test('every text that a reader of the console sees is in one file', () => {
  const found = globSync('**/*.{ts,tsx}', { cwd: SOURCES, exclude: ['texts.ts'] }).flatMap((file) => {
    const { program, errors } = parseSync(file, readFileSync(path.join(SOURCES, file), 'utf8'));
    expect(errors).toEqual([]);
    return textsIn(program.body).map((text) => `${file}: ${text}`);
  });
  expect(found).toEqual([]);
});

test('a text elsewhere is found, between tags, in attributes and in parts of sentences', () => {
  const { program } = parseSync(
    'page.tsx',
    "export const A = () => <p class='the class' title='Two words'>Moved {`cabs have moved`} {'Saved'}</p>;",
  );
  expect(textsIn(program.body)).toEqual(['Two words', 'Moved', 'cabs have moved', 'Saved']);
});
