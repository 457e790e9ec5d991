import createClient, { type Client, type ClientPathsWithMethod, type MaybeOptionalInit } from 'openapi-fetch';
import { errorOf, FleetError } from './errors.ts';
import type { components, paths } from './schema.ts';
import type { SocketClass } from './subscription.ts';
import { type Fetch, type RetryOptions, receiveWhole, sendRepeatedly } from './transport.ts';
import { type FleetJob, type WatchOptions, watchJob } from './watch.ts';

type Json = Client<paths, 'application/json'>;
type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
type Init<Own> = undefined extends Own ? [init?: Own] : [init: Own];
type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
/** The JSON of an operation's success answers; a text if the caller asked for one. */
type AnswerOf<Operation, Own> = Own extends { parseAs: 'text' }
  ? string
  : Operation extends { responses: infer Answers }
    ? JsonOf<Answers[keyof Answers]>
    : never;

/**
 * Calls an operation of the service: its path as in the OpenAPI document, then `body`, `params` (`path`, `query`,
 * `header`), `headers`, `signal`; `parseAs: 'text'` with `headers: { accept: 'text/csv' }` for CSV.
 * @returns the envelope: `status`, `data`, `metadata`
 * @throws FleetError, FleetConnectionError, or the signal's reason
 */
export type FleetCall<M extends Method> = <
  Path extends ClientPathsWithMethod<Json, M>,
  Own extends MaybeOptionalInit<paths[Path], M>,
>(
  path: Path,
  ...init: Init<Own>
) => Promise<AnswerOf<paths[Path][M], Own>>;

/** The operations that are jobs: they can be accepted at once and waited for later. */
export type JobPath = {
  [P in keyof paths]: paths[P] extends { post: { responses: { 202: unknown } } } ? P : never;
}[keyof paths];
type PostOf<P extends JobPath> = paths[P] extends { post: infer Post } ? Post : never;
/** The body of a job's request. */
export type PostBody<P extends JobPath> =
  PostOf<P> extends { requestBody: infer Body } ? JsonOf<Body> : never;
/** The answer of a job that ended well. */
export type PostAnswer<P extends JobPath> =
  PostOf<P> extends { responses: { 200: infer Answer } } ? JsonOf<Answer> : never;

type Result = NonNullable<FleetJob['result']>;
type Success = Exclude<Result, components['schemas']['ErrorEnvelope']>;
/** An accepted job. It remembers the type of its answer. */
export type SubmittedJob<Answer = Success> = { readonly job_id: string; readonly answer?: Answer };
type Accepted = components['schemas']['AcceptedJob'];
type Named<Answer> = string | SubmittedJob<Answer>;

export type SubmitOptions = {
  /** default: a random one; the same key and body give the same job for a day */
  idempotencyKey?: string;
  signal?: AbortSignal;
};

export type WaitOptions = WatchOptions & { onProgress?: (job: FleetJob) => void };

export type FleetClientOptions = {
  /** address of the service; default: the page's own in a browser, http://127.0.0.1:8000 elsewhere */
  url?: string | undefined;
  /** sent as `Authorization: Bearer` */
  apiKey?: string | undefined;
  /** name of this client (`X-Client-Id`): the clients of an address take turns */
  clientId?: string | undefined;
  retry?: RetryOptions;
  /** how long the service may be away while a job is watched; default 60 */
  awaySeconds?: number;
  /** default: the platform's `fetch` */
  fetch?: Fetch;
  /** default: the platform's. null: jobs are polled, as on Node 20, which has none; that of the package `ws` fits */
  WebSocket?: SocketClass | null;
};

export type FleetClient = {
  readonly url: string;
  readonly get: FleetCall<'get'>;
  readonly post: FleetCall<'post'>;
  readonly put: FleetCall<'put'>;
  readonly patch: FleetCall<'patch'>;
  readonly delete: FleetCall<'delete'>;
  /**
   * Sends any request, with the same key, retries and errors: for bodies and answers that are too large for memory. A
   * body that is a stream can be sent only once, so it is not retried; a Blob can.
   * @param path from the root of the service, with its query
   */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a job and returns as soon as the service has accepted it. */
  submit<P extends JobPath>(
    path: P,
    body: PostBody<P>,
    options?: SubmitOptions,
  ): Promise<SubmittedJob<PostAnswer<P>>>;
  /** The states of a job, from the present one to the final one, with its `result`. Leaving the loop ends it. */
  watch(job: Named<unknown>, options?: WatchOptions): AsyncGenerator<FleetJob, void, undefined>;
  /**
   * Waits until a job has ended.
   * @returns the answer that a waiting call would have got
   * @throws FleetError if there is none: `INFEASIBLE_PROBLEM`, `JOB_CANCELLED`, `SOLVER_ERROR`, …
   */
  waitFor<Answer = Success>(job: Named<Answer>, options?: WaitOptions): Promise<Answer>;
};

/** A client of a running service. It holds no connection, so there is nothing to close. */
export function createFleetClient(options: FleetClientOptions = {}): FleetClient {
  const { url = defaultUrl(), apiKey, clientId, retry = {}, awaySeconds = 60 } = options;
  const Socket = options.WebSocket === undefined ? platformSocket() : options.WebSocket;
  const fetch: Fetch = options.fetch ?? ((request) => globalThis.fetch(request));
  const headers = {
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...(clientId && { 'x-client-id': clientId }),
  };
  const checked = async (response: Response) => {
    if (!response.ok) throw await errorOf(response);
    return response;
  };

  const api = createClient<paths, 'application/json'>({
    baseUrl: url,
    headers,
    fetch: async (request) =>
      checked(await sendRepeatedly(fetch, retry, () => request.clone(), receiveWhole)),
  });
  const call =
    (method: Method) =>
    // biome-ignore lint/suspicious/noExplicitAny: the types are those of FleetCall
    async (path: string, init?: object): Promise<any> =>
      (await api.request(method, path as never, init as never)).data;
  const get = call('get') as FleetCall<'get'>;
  const post = call('post') as FleetCall<'post'>;

  const readJob = async (jobId: string, signal: AbortSignal | undefined) =>
    (await get('/api/v1/jobs/{job_id}', { params: { path: { job_id: jobId } }, ...(signal && { signal }) }))
      .data;
  const watch = (job: Named<unknown>, how?: WatchOptions) =>
    watchJob({ url, apiKey, Socket, readJob, awaySeconds }, typeof job === 'string' ? job : job.job_id, how);

  return {
    url,
    get,
    post,
    put: call('put') as FleetCall<'put'>,
    patch: call('patch') as FleetCall<'patch'>,
    delete: call('delete') as FleetCall<'delete'>,
    watch,
    async send(path, init = {}) {
      const all = new Headers(headers);
      for (const [name, value] of new Headers(init.headers)) all.set(name, value);
      const isStream = init.body instanceof ReadableStream;
      const make = () => new Request(`${url.replace(/\/$/, '')}${path}`, { ...init, headers: all });
      return checked(await sendRepeatedly(fetch, isStream ? { ...retry, attempts: 1 } : retry, make));
    },
    async submit(path, body, { idempotencyKey, signal } = {}) {
      const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const { data, metadata }: { data: object; metadata: object } = await call('post')(path, {
        body,
        headers: { prefer: 'respond-async', ...key },
        ...(signal && { signal }),
      });
      // A job that ended before, under the same key, is answered at once: its envelope has the id in the metadata.
      return { job_id: (data as Accepted).job_id ?? (metadata as Accepted).job_id };
    },
    async waitFor<Answer>(job: Named<Answer>, { signal, onProgress }: WaitOptions = {}) {
      let result: Result | undefined;
      for await (const state of watch(job, { signal })) {
        onProgress?.(state);
        result = state.result;
      }
      if (result?.status !== 'success') throw new FleetError(result ?? {});
      return result as Answer;
    },
  };
}

function platformSocket(): SocketClass | null {
  return (globalThis as { WebSocket?: SocketClass }).WebSocket ?? null;
}

function defaultUrl(): string {
  return (globalThis as { location?: { origin: string } }).location?.origin ?? 'http://127.0.0.1:8000';
}
