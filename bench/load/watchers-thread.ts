import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';

/**
 * Many WebSocket watchers in a thread of their own. Each message to the thread is the id of a job: the next watcher
 * subscribes to it. `count` is answered with how many subscriptions were told the end of their job.
 */
const { api, watchers } = workerData as { api: string; watchers: number };
// Of this thread: it measures no time, and must take none from the service.
setPriority(0, 10);
const sockets: WebSocket[] = [];
let told = 0;
let lost = 0;
let next = 0;

for (let opened = 0; opened < watchers; ) {
  const some = Math.min(50, watchers - opened);
  await Promise.all(Array.from({ length: some }, open));
  opened += some;
}
parentPort!.on('message', (message: string) => {
  if (message === 'count') return parentPort!.postMessage({ told, lost });
  sockets[next++ % sockets.length].send(JSON.stringify({ type: 'subscribe', job_id: message }));
});
parentPort!.postMessage('ready');

function open(): Promise<void> {
  const socket = new WebSocket(`${api.replace('http', 'ws')}/ws/optimization`);
  sockets.push(socket);
  socket.on('message', (data) => {
    if (String(data).includes('"type":"complete"')) told++;
  });
  socket.on('close', () => lost++);
  return new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
}
