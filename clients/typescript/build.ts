import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Makes `dist`, or the folder named: JavaScript and types that run without this repository, as a package. */
const folder = import.meta.dirname;
const dist = process.argv[2] ?? path.join(folder, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const compiler = path.join(folder, '../../node_modules/.bin/tsc');
const options = ['-p', path.join(folder, 'tsconfig.build.json'), '--outDir', dist];
execFileSync(compiler, options, { stdio: 'inherit' });
const {
  scripts: _,
  private: _own,
  ...own
} = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const exports = { types: './index.d.ts', default: './index.js' };
const about = { ...own, exports, engines: { node: '>=20' } };
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
copyFileSync(path.join(folder, 'README.md'), path.join(dist, 'README.md'));
