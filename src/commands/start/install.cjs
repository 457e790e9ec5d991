// Installs the npm packages if they are missing or older than the lock file. It runs before `npm start`, `npm test` and
// `npm run check`, on any Node that the machine has, so it deliberately uses old JavaScript. Everything after it runs
// on the Node from the package `node`.
'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const root = path.join(__dirname, '..', '..', '..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.installed-lock');
const wanted = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .update(process.platform + process.arch)
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('installing packages …');
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it refuses a lock file that was made without access to the packages of other platforms.
  const args = ['install', '--include=dev', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (result.status !== 0) {
    console.error('npm install failed; its messages above say why');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
