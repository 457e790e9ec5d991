import { Compile } from 'typebox/compile';
import type { WebSocket } from 'ws';
import type { ErrorCode } from '../../contracts/errors.ts';
import { type ProgressMessage, SubscribeMessage, UnsubscribeMessage } from '../../contracts/events.ts';
import { isEnded } from '../../contracts/jobs.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import { type JobAnswer, type Progress, readAnswer, readTrace } from '../../db/jobs/jobs.ts';
import type { SocketCaller } from '../auth/socket-caller.ts';
import { findFaults } from '../bodies/faults.ts';
import { insertJson } from '../bodies/raw-json.ts';
import type { Turns } from '../bodies/turns.ts';
import type { Deps } from '../deps.ts';
import { openOutbox } from './outbox.ts';
import type { Unread } from './unread.ts';

const subscribeMessage = Compile(SubscribeMessage);
const unsubscribeMessage = Compile(UnsubscribeMessage);

/**
 * Messages of a socket that wait for their turn, as a multiple of its subscriptions: at so many it is read no further.
 * Heartbeats come in order with the messages, and are answered up to there. So a client may begin all its subscriptions
 * at once, and end them all, without being taken for silent.
 */
const WAITING_PER_SUBSCRIPTION = 2;
/** At least so many may wait, however few subscriptions a socket may have. */
const MIN_WAITING = 2000;

/** Above this many unread bytes progress is skipped; the next message supersedes it. */
const SKIP_PROGRESS_BYTES = 64 * 1024;

type SessionDeps = Pick<Deps, 'config' | 'database' | 'watch' | 'tracing'> & {
  unread: Unread;
  turns: Turns;
  /** who takes turns with others */
  address: string;
  onError: (error: unknown) => void;
  /** who opened the socket; absent: everybody may follow everything */
  caller?: SocketCaller;
};

/**
 * One client of `/ws/optimization`. It attaches to the socket at once, so no message is missed, and releases everything
 * when the socket closes.
 */
export function openSocketSession(socket: WebSocket, deps: SessionDeps): void {
  const { config, database, watch, tracing, caller } = deps;
  const { send, sendPieces, isBusy } = openOutbox(socket, deps.unread, deps.turns, deps.address);
  /** Whether anything came from the client since the last heartbeat. */
  let alive = true;
  const noteLife = () => {
    alive = true;
  };
  const maxWaiting = Math.max(MIN_WAITING, WAITING_PER_SUBSCRIPTION * config.WEBSOCKET_MAX_SUBSCRIPTIONS);
  const inTurn = takeTurns(socket, maxWaiting, noteLife, deps.onError);
  const unfollow = caller?.follow(() => refuse());
  /** job id → ends the subscription. A job is in here from `subscribe` until `complete`, `unsubscribe` or close. */
  const subscriptions = new Map<string, () => void>();

  const fail = (code: ErrorCode, message: string, jobId: string | null) =>
    send(JSON.stringify({ type: 'error', job_id: jobId, code, message }));

  const notFound = (jobId: string) => fail('RESOURCE_NOT_FOUND', `job "${jobId}" not found`, jobId);
  const refuse = () => socket.close(1008, 'the key was revoked, or the token has expired');

  /** Subscribes if the caller may follow the job. Nothing of a job may be sent before that is known. */
  const subscribeAs = async (caller: SocketCaller, jobId: string) => {
    try {
      if (!(await caller.isValid())) return refuse();
      if (!(await caller.mayFollow(jobId))) return notFound(jobId);
    } catch (error) {
      deps.onError(error);
      return fail('SERVICE_UNAVAILABLE', 'the job cannot be read now; subscribe again later', jobId);
    }
    if (socket.readyState === socket.OPEN) await subscribe(jobId);
  };

  const subscribe = async (jobId: string) => {
    if (subscriptions.has(jobId)) return;
    if (subscriptions.size >= config.WEBSOCKET_MAX_SUBSCRIPTIONS) {
      const limit = config.WEBSOCKET_MAX_SUBSCRIPTIONS;
      return fail(
        'VALIDATION_ERROR',
        `a socket may have at most ${limit} subscriptions; unsubscribe from others first`,
        jobId,
      );
    }
    let open = true;
    let trace: TraceContext | undefined;
    /** The job's place in its trace, unless an event has told it: the span that its request or schedule began. */
    const findTrace = async () => {
      // Without it messages are the same: no reason to end a subscription.
      if (tracing) trace ??= await readTrace(database.db, jobId).catch(() => undefined);
    };
    const tell = (known: Progress, at?: TraceContext) => {
      trace = at ?? trace;
      if (!open || isBusy() || socket.bufferedAmount > SKIP_PROGRESS_BYTES) return;
      send(progressText(jobId, known, tracing && trace));
    };
    const close = () => {
      open = false;
      watched.end();
      if (subscriptions.get(jobId) === close) subscriptions.delete(jobId);
    };
    const complete = async (read: () => Promise<JobAnswer | undefined>, at?: TraceContext) => {
      if (!open) return;
      close();
      trace = at ?? trace;
      await findTrace();
      const span =
        trace &&
        tracing?.start('send complete', trace, { kind: 'producer', attributes: { 'fleet.job.id': jobId } });
      const answer = await read();
      if (typeof answer?.body === 'string') send(completeText(jobId, answer, span?.context));
      else if (answer)
        await sendPieces(insertJson(completeHead(jobId, span?.context), 'result', answer.body));
      span?.end();
    };
    const broken = (error: unknown) => {
      deps.onError(error);
      close();
      fail('SERVICE_UNAVAILABLE', 'the job cannot be read now; subscribe again later', jobId);
    };
    // Watch first, then read the job: an event in between is seen by one of the two.
    const watched = watch.watch(jobId, {
      progress: tell,
      ended: (answer, at) => void complete(answer, at).catch(broken),
    });
    subscriptions.set(jobId, close);
    try {
      await findTrace();
      const { job, known } = await watched.read();
      if (!open) return;
      if (!job) {
        close();
        return notFound(jobId);
      }
      if (isEnded(job.status)) await complete(() => readAnswer(database.db, jobId));
      else tell(known);
    } catch (error) {
      broken(error);
    }
  };

  socket.on('message', (data, isBinary) => {
    // It was on its way while this side closed the socket.
    if (socket.readyState !== socket.OPEN) return;
    noteLife();
    let message: unknown;
    try {
      message = isBinary ? undefined : JSON.parse(String(data));
    } catch {
      // reported below, like everything else that is no message
    }
    if (subscribeMessage.Check(message)) {
      const { job_id: jobId } = message;
      // One after the other: a second message about the job finds the subscription.
      inTurn(() => (caller ? subscribeAs(caller, jobId) : subscribe(jobId)));
    } else if (unsubscribeMessage.Check(message)) {
      const { job_id: jobId } = message;
      inTurn(async () => subscriptions.get(jobId)?.());
    } else fail('VALIDATION_ERROR', describeMessage(message), jobIdOf(message));
  });

  const heartbeat = setInterval(() => {
    // A socket that this side does not read is no less alive for its silence.
    if (!alive && !socket.isPaused) return socket.terminate();
    alive = false;
    socket.ping();
  }, config.WEBSOCKET_HEARTBEAT_SECONDS * 1000);
  socket.on('pong', noteLife);
  socket.on('error', deps.onError);
  socket.on('close', () => {
    clearInterval(heartbeat);
    unfollow?.();
    for (const close of [...subscriptions.values()]) close();
  });
}

/**
 * Handles the messages of a socket one after the other. Who sends faster than that waits in its own connection, not in
 * this process: it is read no further until some messages are handled.
 * @param maxWaiting messages that may wait
 * @param onResume called when it is read again: what the client sent meanwhile comes after that
 * @returns handles a message when its turn comes
 */
function takeTurns(
  socket: WebSocket,
  maxWaiting: number,
  onResume: () => void,
  onError: (error: unknown) => void,
) {
  let turn = Promise.resolve();
  let waiting = 0;
  return (work: () => Promise<void>): void => {
    if (++waiting === maxWaiting) socket.pause();
    turn = turn
      .then(() => (socket.readyState === socket.OPEN ? work() : undefined))
      .catch(onError)
      .finally(() => {
        if (waiting-- !== maxWaiting) return;
        onResume();
        socket.resume();
      });
  };
}

const progressTexts = new WeakMap<Progress, string>();
const completeTexts = new WeakMap<JobAnswer, string>();

/** A message is made once, however many sockets it goes to; one with a place in a trace is made for its socket. */
function made<K extends object>(
  texts: WeakMap<K, string>,
  of: K,
  trace: TraceContext | undefined,
  make: () => string,
): string {
  if (trace) return make();
  const text = texts.get(of) ?? make();
  texts.set(of, text);
  return text;
}

const progressText = (jobId: string, known: Progress, trace: TraceContext | undefined) =>
  made(progressTexts, known, trace, () => {
    const { progress, stage, incumbent, bound, gap, iterations } = known;
    const message: ProgressMessage = {
      ...{ type: 'progress', job_id: jobId },
      ...{ progress, stage, incumbent, bound, gap, iterations },
      ...(trace && { traceparent: trace.traceparent }),
    };
    return JSON.stringify(message);
  });

const completeText = (jobId: string, answer: JobAnswer, trace: TraceContext | undefined) =>
  made(
    completeTexts,
    answer,
    trace,
    () => `${completeHead(jobId, trace).slice(0, -1)},"result":${answer.body}}`,
  );

/** The message without the answer. */
const completeHead = (jobId: string, trace: TraceContext | undefined) =>
  JSON.stringify({ type: 'complete', job_id: jobId, ...(trace && { traceparent: trace.traceparent }) });

function describeMessage(message: unknown): string {
  const example = 'send {"type":"subscribe","job_id":"opt_…"}';
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return `the message is not a JSON object; ${example}`;
  }
  const { type } = message as { type?: unknown };
  if (type !== 'subscribe' && type !== 'unsubscribe') {
    return `type ${JSON.stringify(type) ?? 'is missing and'} must be "subscribe" or "unsubscribe"; ${example}`;
  }
  const [fault] = findFaults(SubscribeMessage, { ...message, type: 'subscribe' }, 1);
  return `${fault.field ?? 'message'}: ${fault.message}`;
}

function jobIdOf(message: unknown): string | null {
  const id = (message as { job_id?: unknown } | null | undefined)?.job_id;
  return typeof id === 'string' ? id : null;
}
