import { CommanderError } from 'commander';
import { FleetConnectionError, FleetError } from 'fleet-client';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { emphasize, note, print } from './output.ts';
import { createProgram } from './program.ts';

// A reader that has seen enough (`fleet plans | head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });
}

const program = createProgram(process.env);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Says what went wrong. @returns the exit code */
function report(error: unknown): number {
  // Commander has written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongInput;
  const { json } = program.opts<{ json: boolean }>();
  if (error instanceof FleetError) {
    if (json)
      print(
        JSON.stringify({ status: 'error', data: null, errors: error.details, request_id: error.requestId }),
      );
    const lines = error.details.map(({ field, message, detail }) =>
      [field, message, detail].filter((part) => part !== null).join(': '),
    );
    const said = lines.length > 0 ? lines : [error.message];
    note([emphasize('red', error.code, process.stderr as never), ...said].join('\n  '));
    if (error.requestId) note(`  request ${error.requestId}`);
  } else {
    note((error as Error).message);
    if (error instanceof FleetConnectionError)
      note('  start the service with `npm start`, or set FLEET_URL; `fleet doctor` checks it');
    else if (exitCodeOf(error) === EXIT.failed) note((error as Error).stack ?? '');
  }
  return exitCodeOf(error);
}
