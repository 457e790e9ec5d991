import { HOUR_MS } from '../../city-time.ts';
import { count, dayInWords, percent } from '../../format.ts';
import { texts } from '../../texts.ts';
import { type Ahead, hourOf, shortIn, spanOf, sumOf } from './outlook.ts';

const words = texts.ahead;

/** The answer of the page in one sentence: what comes, what is served of it, who moves when, what stays short when. */
export function sentenceOf(ahead: Ahead): string {
  const { steps, moves, hours, stepHours } = ahead;
  const demand = steps.reduce((sum, step) => sum + step.demand, 0);
  const served = steps.reduce((sum, step) => sum + step.served, 0);
  const day = new Date(hours[0] * HOUR_MS).toISOString().slice(0, '2017-05-04'.length);
  const begin = `${dayInWords(day, 'short')}, ${hourOf({ ...ahead, hours: hours.slice(0, 1) }, 0)}`;
  const what = words.sentence(
    begin,
    count(steps.length * stepHours),
    count(demand),
    percent(demand > 0 ? served / demand : 1),
  );
  const now = sumOf(moves.filter(({ due }) => due === 0));
  const later = sumOf(moves) - now;
  return `${what}; ${words.whoMoves(count(now), count(later))}; ${shortPart(ahead)}.`;
}

function shortPart(ahead: Ahead): string {
  const { steps } = ahead;
  const worst = steps.reduce((most, step, t) => (step.unmet > steps[most].unmet ? t : most), 0);
  const { unmet } = steps[worst];
  if (unmet < 0.5) return words.nothingShort;
  const [place] = shortIn(ahead, worst);
  return words.short(spanOf(ahead, worst), count(unmet), place && ahead.nameOf(place.id));
}
