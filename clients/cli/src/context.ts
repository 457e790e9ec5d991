import type { Command } from 'commander';
import { createFleetClient, type FleetClient } from 'fleet-client';
import { InputError } from './exit-codes.ts';
import { createOutput, type Output } from './output.ts';

/** The address on which `npm start` listens. */
export const DEFAULT_URL = 'http://127.0.0.1:8000';

/** The context of every command. `apiKey` is that of the client. */
export type CliContext = { fleet: FleetClient; output: Output; apiKey: string | undefined };

/** Options of the program, before or after the name of a command. */
export type ProgramOptions = { url: string; apiKey?: string; json: boolean; retry: boolean };

/**
 * Turns a command's work into what commander calls.
 * @param work gets the context, then arguments and options
 * @param isPatient whether requests are sent again where the service is away
 */
export function action<Args extends unknown[]>(
  work: (context: CliContext, ...args: Args) => Promise<void>,
  isPatient = true,
) {
  return async (...args: [...Args, Command]) => {
    const command = args.pop() as Command;
    const { url, apiKey, json, retry } = command.optsWithGlobals<ProgramOptions>();
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new InputError(
        `"${url}" is no address of a service; give --url or FLEET_URL one such as ${DEFAULT_URL}`,
      );
    }
    const fleet = createFleetClient({
      url,
      apiKey,
      retry: retry && isPatient ? {} : { attempts: 1 },
      clientId: 'fleet-cli',
    });
    await work({ fleet, output: createOutput(json), apiKey }, ...(args as unknown as Args));
  };
}
