import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { answerTo, type Golden, KINDS } from './golden-requests.ts';

/** Money is printed with four decimals; prices of unmet demand make sums that are not whole units. */
const NOISE = 2e-4;

const answers: Record<string, (Golden | null)[]> = JSON.parse(
  readFileSync(new URL('answers.json', import.meta.url), 'utf8'),
);

/** What an answer no longer keeps; a search that time ended is judged by its figures alone. */
function faultsOf(before: Golden, now: Golden, gap: number): string[] {
  const isPlan = now.objective !== null;
  if (isPlan !== (before.objective !== null)) return [`${now.verdict}, not ${before.verdict}`];
  if (!isPlan) {
    const isSame = now.verdict === before.verdict && now.conflicts.join() === before.conflicts.join();
    return isSame ? [] : [`${now.verdict}: ${now.conflicts}, not ${before.verdict}: ${before.conflicts}`];
  }
  const [objective, bound] = [now.objective!, now.bound!];
  const noise = NOISE + 1e-9 * before.objective!;
  const wrong: string[] = [];
  if (now.verdict === 'optimal' && objective > before.objective! / (1 - gap) + noise)
    wrong.push(`costs ${objective}; ${before.objective} was found, and ${gap} asked`);
  if (objective < before.bound! - noise) wrong.push(`costs ${objective}, below the bound ${before.bound}`);
  if (bound > before.objective! + noise) wrong.push(`bound ${bound}, above a plan of ${before.objective}`);
  return wrong;
}

for (const [kind, { count, gap, input }] of Object.entries(KINDS)) {
  test(`${kind}: verdict, named conflicts and the promised cost are those of earlier answers`, {
    tags: 'slow',
  }, async () => {
    expect(answers[kind]).toHaveLength(count);
    const wrong: unknown[] = [];
    for (const seed of seeds(0, count - 1)) {
      const asked = input(seed);
      const before = answers[kind][seed];
      expect(asked === null, `seed ${seed} is refused before it is solved`).toBe(before === null);
      if (!asked || !before) continue;
      const faults = faultsOf(before, await answerTo(asked, threadCache), gap);
      if (faults.length > 0) wrong.push({ seed, faults });
    }
    expect(wrong).toEqual([]);
  });
}
