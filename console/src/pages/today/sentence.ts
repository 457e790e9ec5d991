import { count, dayInWords, kilometres, listed, percent } from '../../format.ts';
import { texts } from '../../texts.ts';
import type { Figures } from './figures.ts';

const NAMED = 2;

/** The answer of the page in one sentence. */
export function sentenceOf(figures: Figures): string {
  const words = texts.today;
  const { startDate, trips, planned, served, busiestWords, kpis, short } = figures;
  const coverage = percent(planned > 0 ? served / planned : 1);
  const moved =
    kpis.rebalanced_count === 0
      ? words.nobodyMoves
      : words.moved(
          count(kpis.rebalanced_count),
          kpis.total_distance_km === null ? '' : kilometres(kpis.total_distance_km),
        );
  const names = short.slice(0, NAMED).map(({ name, location_id }) => name ?? String(location_id));
  const rest = short.length - names.length;
  const left =
    short.length === 0
      ? words.nobodyShort
      : rest > 0
        ? words.shortAndMore(names.join(', '), count(rest))
        : words.short(listed(names), names.length === 1);
  return `${words.sentence(dayInWords(startDate), count(trips), coverage, busiestWords)}; ${moved}; ${left}.`;
}
