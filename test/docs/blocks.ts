/** A fenced block of a Markdown document. */
export type Block = {
  /** what stands after the opening fence: `sh`, `json`, …, or nothing */
  language: string;
  text: string;
  /** line of the opening fence, from 1 */
  line: number;
  /** why the block is not run: the HTML comment `<!-- not run: … -->` right above it, which a reader does not see */
  notRun: string | undefined;
};

/** Commands with the answers that are shown to them, in the order of a document. */
export type Step = { command: Block; answer: Block | undefined };

/** The only reasons for a block that no test runs. */
const ALLOWED_REASONS = ['needs a container engine', 'runs the tests themselves', 'takes ten minutes'];

/** Of a document whose blocks a test of their own runs: that test. */
const OWN_TEST = /^<!-- every block is run by (test\/\S+) -->$/m;

/** Languages that say how to read a picture, and nothing that could be run. */
const PICTURES = new Set(['mermaid']);
const COMMANDS = new Set(['sh']);

/** The fenced blocks of a document, in order. */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let mark: string | undefined;
  for (const [i, line] of markdown.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (open) {
      if (fence) {
        blocks.push(open);
        open = undefined;
      } else open.text += `${line}\n`;
    } else if (fence) {
      open = { language: fence[1], text: '', line: i + 1, notRun: mark };
      mark = undefined;
    } else if (line.trim() !== '') {
      mark = /^<!-- not run: (.*) -->$/.exec(line)?.[1];
    }
  }
  return blocks;
}

/** The lines of a document, those of its fenced blocks left empty, so that line numbers stay. */
export function withoutBlocks(markdown: string): string[] {
  let isInside = false;
  return markdown.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isInside = !isInside;
    return isFence || isInside ? '' : line;
  });
}

/** The test that runs a document's blocks; undefined where it is the one that runs all others. */
export function findOwnTest(markdown: string): string | undefined {
  return OWN_TEST.exec(markdown)?.[1];
}

/**
 * What is to be run of a document, in order.
 * @throws Error for a block that is neither run, nor an answer to the command above it, nor allowed to be left out
 */
export function readSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  let canAnswer = false;
  for (const block of readBlocks(markdown)) {
    const { language, line, notRun } = block;
    if (PICTURES.has(language)) continue;
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
