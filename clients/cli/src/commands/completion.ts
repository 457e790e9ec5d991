import type { Command, Option } from 'commander';
import { print } from '../output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The words that may follow a command: its commands, choices of its arguments, and options, the program's too. */
type Place = { path: string; words: string[]; options: Option[] };

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('completion of commands and options in a shell')
    .description(
      'For bash and zsh: eval "$(npx fleet completion bash)"; for fish: npx fleet completion fish | source. ' +
        'It completes the word fleet: `alias fleet="npx fleet"`.',
    )
    .addArgument(program.createArgument('<shell>', SHELLS.join(', ')).choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      const places = placesOf(program);
      print(shell === 'fish' ? fish(places) : bash(places, shell));
    });
}

function placesOf(command: Command, path: string[] = [], above: readonly Option[] = []): Place[] {
  const options = [...command.options.filter(({ hidden }) => !hidden), ...above];
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [...command.commands.map((child) => child.name()), ...choices];
  const children = command.commands.flatMap((child) => placesOf(child, [...path, child.name()], options));
  return [{ path: path.join(' '), words, options }, ...children];
}

/** The words before the cursor that are commands say where we are; zsh runs the same by its bash layer. */
function bash(places: Place[], shell: 'bash' | 'zsh'): string {
  const cases = places.map(({ path, words, options }) => {
    const all = [...words, ...options.map(({ long }) => long!), '--help'];
    return `    '${path}') words='${all.join(' ')}' ;;`;
  });
  const known = places.slice(1).map(({ path }) => `'${path}'`);
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_fleet() {
  local at='' word words=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${at:+$at }$word" in
    ${known.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fleet fleet
`;
}

/** Each line holds at one place only, so that the options of `jobs list` are not those of `plans list`. */
function fish(places: Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const at = `complete -c fleet -n '__fish_fleet_at ${JSON.stringify(path)}'`;
    return [
      ...(words.length > 0 ? [`${at} -f -a '${words.join(' ')}'`] : []),
      ...options.map(
        ({ short, long, required, description, argChoices }) =>
          `${at}${short ? ` -s ${short.slice(1)}` : ''} -l ${long!.slice(2)}${required ? ' -r' : ''}` +
          `${argChoices ? ` -f -a '${argChoices.join(' ')}'` : ''} -d ${quoted(description)}`,
      ),
    ];
  });
  return `function __fish_fleet_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- $next ${places
          .slice(1)
          .map(({ path }) => `'${path}'`)
          .join(' ')}; and set at $next
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
complete -c fleet -s h -l help -d 'what a command does, and its options'
`;
}

/** A text for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
