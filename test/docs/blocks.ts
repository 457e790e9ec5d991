/** A fenced block of a Markdown document. */
export type Block = {
  /** text after the opening fence: `sh`, `json`, …, or empty */
  language: string;
  text: string;
  /** line of the opening fence, from 1 */
  line: number;
  /** why the block is not run: the HTML comment `<!-- not run: … -->` directly above it, invisible to readers */
  notRun: string | undefined;
  /** the test that runs it: the HTML comment `<!-- run by test/… -->` directly above it */
  runBy: string | undefined;
};

/** A command with the answer shown for it, if any. */
export type Step = { command: Block; answer: Block | undefined };

/** The only accepted reasons for not running a block. */
const ALLOWED_REASONS = [
  'needs a cluster',
  'needs a container engine',
  'needs systemd',
  'runs the tests themselves',
  'takes ten minutes',
];

/** Names the test that runs all blocks of a document, if it has a test of its own. */
const OWN_TEST = /^<!-- every block is run by (test\/\S+) -->$/m;

/** Languages of pictures: they contain nothing to run. */
const PICTURES = new Set(['mermaid']);
const COMMANDS = new Set(['sh']);

const NO_MARKS = { notRun: undefined, runBy: undefined };

/** The fenced blocks of a document, in order. */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let marks: Pick<Block, 'notRun' | 'runBy'> = NO_MARKS;
  for (const [i, line] of markdown.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (open) {
      if (fence) {
        blocks.push(open);
        open = undefined;
      } else open.text += `${line}\n`;
    } else if (fence) {
      open = { language: fence[1], text: '', line: i + 1, ...marks };
      marks = NO_MARKS;
    } else if (line.trim() !== '') {
      marks = {
        notRun: /^<!-- not run: (.*) -->$/.exec(line)?.[1],
        runBy: /^<!-- run by (test\/\S+) -->$/.exec(line)?.[1],
      };
    }
  }
  return blocks;
}

/** The lines of a document. Lines of fenced blocks are empty, so line numbers stay the same. */
export function withoutBlocks(markdown: string): string[] {
  let isInside = false;
  return markdown.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isInside = !isInside;
    return isFence || isInside ? '' : line;
  });
}

/** The test that runs a document's blocks; undefined if it is the common one. */
export function findOwnTest(markdown: string): string | undefined {
  return OWN_TEST.exec(markdown)?.[1];
}

/**
 * The steps of a document, in order.
 * @throws Error for a block that is neither run, here or by a test of its own, nor an answer to the command above it,
 * nor excused
 */
export function readSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  let canAnswer = false;
  for (const block of readBlocks(markdown)) {
    const { language, line, notRun, runBy } = block;
    if (PICTURES.has(language) || runBy !== undefined) continue;
    if (notRun !== undefined) {
      if (!ALLOWED_REASONS.includes(notRun))
        throw new Error(`line ${line}: "${notRun}" is no allowed reason`);
      canAnswer = false;
    } else if (COMMANDS.has(language)) {
      steps.push({ command: block, answer: undefined });
      canAnswer = true;
    } else {
      if (!canAnswer) throw new Error(`line ${line}: an answer without the command that gives it`);
      steps.at(-1)!.answer = block;
      canAnswer = false;
    }
  }
  return steps;
}
