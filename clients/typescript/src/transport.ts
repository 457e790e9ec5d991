import { FleetConnectionError, readRetryAfter } from './errors.ts';
import { pause } from './pause.ts';

export type RetryOptions = {
  /** how often a request is sent at most; default 5, 1 for no retries */
  attempts?: number;
  /** seconds to wait at most in total, over all retries of a request; default 60 */
  waitSeconds?: number;
};

export type Fetch = (request: Request) => Promise<Response>;

/** A request whose connection is lost is sent so often at most: a service that is away is soon told. */
const LOST_ATTEMPTS = 3;
const FIRST_LOST_PAUSE_SECONDS = 0.25;
/** Requests that must not be sent twice. A job has its idempotency key, and rows replace themselves. */
const MAKES_ANOTHER = /\/api\/v1\/schedules\/?$/;
/** Jobs may be cancelled twice. A row that the first deletion deleted is not found by a second one. */
const CANCELS = /\/api\/v1\/jobs\/[^/]+$/;

/**
 * Sends a request, again while the service answers 503 or 429 with `Retry-After`, as it does while database or queue
 * are away or full, and after a lost connection. Every POST gets an `Idempotency-Key`, so that no job is made twice.
 * @param make makes the request anew for each attempt, since a body can be read once
 * @param receive what of the answer belongs to the attempt: its head, or all of it
 * @throws FleetConnectionError if no answer comes, or the reason of the request's signal
 */
export async function sendRepeatedly(
  fetch: Fetch,
  { attempts = 5, waitSeconds = 60 }: RetryOptions,
  make: () => Request,
  receive: (response: Response) => Promise<Response> = async (response) => response,
): Promise<Response> {
  const key = newKey();
  let left = waitSeconds;
  for (let attempt = 1; ; attempt++) {
    const request = make();
    const { method, headers, signal, url } = request;
    if (method === 'POST' && !headers.has('idempotency-key')) headers.set('idempotency-key', key);
    const answer = await fetch(request)
      .then(receive)
      .catch((error) => {
        signal.throwIfAborted();
        return new FleetConnectionError(url, error);
      });
    const seconds =
      answer instanceof Response ? pauseAfterAnswer(answer) : pauseAfterLoss(method, url, attempt);
    if (seconds === undefined || seconds > left || attempt >= attempts) {
      if (answer instanceof Response) return answer;
      throw answer;
    }
    left -= seconds;
    if (answer instanceof Response) await answer.body?.cancel();
    await pause(seconds * 1000, signal);
  }
}

/** An answer that is read to its end, so that a connection that is lost meanwhile is lost within the attempt. */
export async function receiveWhole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Seconds until a request is sent again; undefined: this is the answer. */
function pauseAfterAnswer({ status, headers }: Response): number | undefined {
  return status === 503 || status === 429 ? readRetryAfter(headers) : undefined;
}

function pauseAfterLoss(method: string, url: string, attempt: number): number | undefined {
  if (attempt >= LOST_ATTEMPTS) return undefined;
  const { pathname } = new URL(url);
  if (method === 'POST' && MAKES_ANOTHER.test(pathname)) return undefined;
  if (method === 'DELETE' && !CANCELS.test(pathname)) return undefined;
  return FIRST_LOST_PAUSE_SECONDS * 2 ** (attempt - 1);
}

/** 128 random bits as hex. `crypto.randomUUID` does not exist on pages that came over plain HTTP. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
