import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { App } from './deps.ts';

/** An answer below this is sent as it is: it fits one packet. */
const THRESHOLD_BYTES = 1024;

/**
 * Compresses answers for callers who take it, streams as they come, off the event loop. A plan of 90,000 vehicles
 * (9.5 MB) takes 40 ms of a thread and becomes a ninth; the next levels take twice as long for a tenth less. The
 * small window keeps what a stream needs below 1 MB.
 */
export async function compressAnswers(app: App): Promise<void> {
  await app.register(compress, {
    // Bodies of requests are unpacked by their readers, which bound them.
    globalDecompression: false,
    threshold: THRESHOLD_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: 3,
        [constants.BROTLI_PARAM_LGWIN]: 18,
      },
    },
    zlibOptions: { level: 3 },
  });
}
