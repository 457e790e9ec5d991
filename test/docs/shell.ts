import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** What a long-running command prints when it is ready. */
const SERVICES: Record<string, string> = {
  'npm start': 'Ctrl-C stops it',
  'npm run api': 'Server listening',
  'npm run worker': 'worker ready',
};

/**
 * A folder that looks like a fresh checkout, so commands do not write into the real one.
 * @param folder an empty folder
 */
export async function linkCheckout(folder: string): Promise<void> {
  const hidden = new Set(['.git', '.data', 'coverage']);
  for (const name of await readdir(ROOT)) {
    if (!hidden.has(name)) await symlink(path.join(ROOT, name), path.join(folder, name));
  }
}

/**
 * A bash that runs the blocks of a document one after the other, as a reader would: variables and the folder persist
 * from block to block. A long-running command (`npm start`) is left running; its output until it is ready is its
 * answer.
 */
export function openShell(folder: string, env: Record<string, string>) {
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      // npm needs its own settings; those of curl come from here, see below.
      HOME: process.env.HOME ?? folder,
      CURL_HOME: folder,
      LC_ALL: 'C.UTF-8',
      npm_config_update_notifier: 'false',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  const heard = new Set<() => void>();
  bash.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
    for (const listener of heard) listener();
  });
  bash.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  bash.stdin.write(PREAMBLE);

  /** Runs a block to its end. @param isAnswerShown if false, curl fails on an HTTP error */
  async function run(
    text: string,
    isAnswerShown: boolean,
  ): Promise<{ code: number; out: string; err: string }> {
    // With an open quote bash would wait forever.
    const syntax = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' });
    if (syntax.status !== 0) return { code: syntax.status ?? 1, out: '', err: syntax.stderr };
    const mark = `end-${randomUUID()}`;
    output.out = '';
    output.err = '';
    await writeFile(path.join(folder, '.curlrc'), isAnswerShown ? '' : 'fail-with-body\n');
    const ended = new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = new RegExp(`${mark} (\\d+)\\n`).exec(output.out);
        if (!found) return;
        heard.delete(look);
        resolve(found);
      };
      heard.add(look);
    });
    bash.stdin.write(`${serveInBackground(text)}\nprintf '%s %d\\n' ${mark} $?\n`);
    const found = await ended;
    return { code: Number(found[1]), out: output.out.slice(0, found.index), err: output.err };
  }

  /** Stops the commands that still run, the latest first, and then the shell. */
  async function close(): Promise<void> {
    const ended = once(bash, 'exit');
    bash.stdin.end();
    await ended;
  }
  return { run, close };
}

/**
 * `serve` waits until a command reports that it is ready, or ends. Commands other than `npm start` get a free port. All
 * are stopped when the shell ends, including when its standard input is closed because its parent was killed. SIGINT
 * goes to the group, as from a terminal.
 */
const PREAMBLE = `
set -o pipefail
services=()
trap stop_services EXIT
serve() {
  local ready=$1 log; log=$(mktemp "$CURL_HOME/served-XXXXXX"); shift
  [ "$*" = 'npm start' ] || local -x PORT=0
  set -m; { "$@"; echo "ended with $?"; } > "$log" 2>&1 < /dev/null & local pid=$!; set +m
  services+=($pid)
  grep -m1 -q -e "$ready" -e '^ended with' < <(exec tail -n +1 -f --pid=$pid "$log")
  cat "$log"
  grep -q -- "$ready" "$log"
}
stop_services() {
  for ((i = \${#services[@]} - 1; i >= 0; i--)); do
    kill -INT -- "-\${services[i]}" && wait "\${services[i]}"
  done
}
`;

function serveInBackground(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, settings, command] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(line.replace(/\s+#.*/, '').trim())!;
      const ready = SERVICES[command!];
      return ready === undefined ? line : `${settings}serve '${ready}' ${command}`;
    })
    .join('\n');
}
