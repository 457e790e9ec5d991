import { parseArgs } from 'node:util';
import { readApiKey } from '../../api-keys.ts';
import { ROLES, type Role, TIERS, type Tier } from '../../contracts/access.ts';
import { MAX_NAME_LENGTH } from '../../contracts/bounds.ts';

export const KEYS_USAGE = `npm run keys -- create --name <name> --role <role> [--tier <tier>]
npm run keys -- create --replaces <id>
npm run keys -- list
npm run keys -- revoke <id>

API keys of the service at DATABASE_URL, for AUTH=keys. A key is shown once, when it is created; only a hash is stored.

  --name <name>    who or what uses it, 1 to ${MAX_NAME_LENGTH} characters
  --role <role>    viewer:   reads locations, fleet and demand, forecasts, scores risk
                   planner:  also optimizes and decides; sees its own jobs and plans
                   operator: everything
  --tier <tier>    default, premium or enterprise: how many requests it may send; default: default
  --replaces <id>  a new key with name, role, tier and jobs of this one, which stays valid until you revoke it
`;

export type KeysCommand =
  | { act: 'help' }
  | { act: 'list' }
  | { act: 'revoke'; keyId: string }
  | { act: 'replace'; keyId: string }
  | { act: 'create'; name: string; role: Role; tier: Tier };

/** A fault of the command line. */
export class KeysError extends Error {}

/** Reads the command line. @throws KeysError if it is invalid */
export function readKeysCommand(args: string[]): KeysCommand {
  const { values, positionals } = parse(args);
  const { help, name, role, tier, replaces } = values;
  if (help) return { act: 'help' };
  const [verb, ...rest] = positionals;
  const options = Object.keys(values).map((option) => `--${option}`);
  if (verb === 'create') {
    if (rest.length > 0) throw new KeysError(`"${rest[0]}" is one word too many; quote names with spaces`);
    if (replaces !== undefined) {
      if (options.length > 1)
        throw new KeysError('--replaces takes all from the other key; leave the rest out');
      return { act: 'replace', keyId: keyIdOf(replaces) };
    }
    if (name === undefined || role === undefined)
      throw new KeysError('--name and --role are needed, or --replaces');
    if (name.trim() === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
      throw new KeysError(
        `--name: ${JSON.stringify(name)} has to be 1 to ${MAX_NAME_LENGTH} visible characters`,
      );
    return {
      act: 'create',
      name,
      role: oneOf('--role', ROLES, role),
      tier: oneOf('--tier', TIERS, tier ?? 'default'),
    };
  }
  if (options.length > 0) throw new KeysError(`${options[0]} goes with create only`);
  if (verb === 'list' && rest.length === 0) return { act: 'list' };
  if (verb === 'revoke' && rest.length === 1) return { act: 'revoke', keyId: keyIdOf(rest[0]) };
  throw new KeysError(`${positionals.join(' ') || 'nothing'} is none of create, list and revoke <id>`);
}

/** The id; of a whole key, too. */
function keyIdOf(text: string): string {
  return readApiKey(text)?.id ?? text;
}

function oneOf<T extends string>(option: string, names: readonly T[], value: string): T {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new KeysError(`${option}: "${value}" is none of ${names.join(', ')}`);
  return found;
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { name: text, role: text, tier: text, replaces: text, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw new KeysError((error as Error).message);
  }
}
