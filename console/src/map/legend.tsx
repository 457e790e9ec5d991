import type { Move } from '../api/moves.ts';
import { count, percent } from '../format.ts';
import { texts } from '../texts.ts';

/** The meaning of colours and sizes, and the share of moves that is drawn. */
export function Legend({ drawn, moves }: { drawn: Move[]; moves: Move[] }) {
  const words = texts.map.legend;
  const sum = (some: Move[]) => some.reduce((total, { vehicles }) => total + vehicles, 0);
  return (
    <div class="legend">
      <Colours />
      {drawn.length < moves.length && (
        <span>{words.drawn(count(drawn.length), count(moves.length), percent(sum(drawn) / sum(moves)))}</span>
      )}
    </div>
  );
}

/** The meaning of colours and sizes. */
export function Colours() {
  const words = texts.map.legend;
  return (
    <>
      <span class="scale">
        {words.short} <i class="ramp" /> {words.spare}
      </span>
      <span>
        <i class="disc" /> {words.demand}
      </span>
      <span>
        <i class="ring" /> {words.after}
      </span>
      <span>
        <i class="ring dashed" /> {words.before}
      </span>
      <span>
        <i class="taper" /> {words.arc}
      </span>
    </>
  );
}
