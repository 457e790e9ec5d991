import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

type Answer = {
  data: { job_id: string; phases: { phase: string; ms: number | null }[] };
  metadata: { job_id: string };
  errors: unknown;
};

const agent = new Agent({ keepAlive: true });

/**
 * A client with little cost of its own: connections persist, and answers are parsed after the clock has stopped.
 */
export async function sendTimed(
  url: string,
  method: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; ms: number }> {
  const startedMs = performance.now();
  const call = request(url, {
    method,
    agent,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
  });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const text = await buffer(response);
  const ms = performance.now() - startedMs;
  const answer = JSON.parse(text.toString()) as Answer;
  if ((response.statusCode ?? 500) >= 300) throw new Error(JSON.stringify(answer.errors));
  return { answer, ms };
}
