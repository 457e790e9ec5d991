/**
 * Loaded into the API process (`--import`): measures how long its event loop is busy at a time. On request it reports
 * over IPC, in milliseconds since the last request: wall time, and CPU time of the thread, which other work on the
 * machine does not affect.
 */
const EVERY_MS = 2;

let longest = { clock: 0, processor: 0 };
let last = read();

setInterval(() => {
  const now = read();
  longest.clock = Math.max(longest.clock, now.clock - last.clock - EVERY_MS);
  longest.processor = Math.max(longest.processor, now.processor - last.processor);
  last = now;
}, EVERY_MS).unref();

process.on('message', (question) => {
  if (question !== 'turns') return;
  process.send!(longest);
  longest = { clock: 0, processor: 0 };
});

function read() {
  const { user, system } = process.threadCpuUsage();
  return { clock: performance.now(), processor: (user + system) / 1000 };
}
