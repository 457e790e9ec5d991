/**
 * Loaded into the API process (`--import`): how long its event loop is busy at a time. Told over IPC when asked, as
 * milliseconds since the last question: of the clock, and of the processor that the thread had meanwhile, which other
 * work of the machine does not lengthen.
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
