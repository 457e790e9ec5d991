import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startConsole } from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

/** Keeps what is written on canvases, as the marks of a chart are: each text that begins and ends on its canvas. */
const KEEP_WRITTEN = `(() => {
  window.written = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (x >= 0 && x + this.measureText(text).width <= this.canvas.width) window.written.add(text);
    return fillText.call(this, text, x, y);
  };
})()`;

describe.skipIf(!hasBrowser)('the console of a city whose public holidays are known', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole({ overrides: { FORECASTING_HOLIDAYS: 'US' } });
    const hours = { from: '2017-02-20T14:00:00Z', to: '2017-02-20T22:00:00Z' };
    const event = { event_id: 'fair', location_id: 161, kind: 'fair', name: 'Street fair', ...hours };
    await send(`${fleet.url}/api/v1/data/events`, { method: 'PUT', body: { events: [event] } });
  });

  async function decide(startDate: string): Promise<string> {
    const { body } = await send(`${fleet.url}/api/v1/decisions`, { body: { start_date: startDate } });
    return body.data.decision_id;
  }

  test('names on Today the holiday and the events of its hours, and a holiday that is near', async () => {
    const { page, close } = await fleet.open(`/?decision=${await decide('2017-02-20')}`);
    await page.getByText("Mon, Feb 20, 2017: Washington's Birthday").waitFor();
    await page.getByText('Street fair, Midtown Center').waitFor();
    // The Sunday before is part of a long weekend.
    await page.goto(`${fleet.url}/console/?decision=${await decide('2017-02-19')}`);
    await page.getByText("Mon, Feb 20, 2017: Washington's Birthday").waitFor();
    await page.goto(`${fleet.url}/console/?decision=${await decide('2017-03-08')}`);
    await page.getByText('No public holiday and no stored event falls into these hours.').waitFor();
    await close();
  });

  test('names holidays and events below the chart of Forecast, and marks them by whole names', async () => {
    const { page, close } = await fleet.open('/forecast?location=161&date=2017-02-19&days=2', {
      prepare: async (prepared) => {
        await prepared.addInitScript(KEEP_WRITTEN);
      },
    });
    await page.getByText("Mon, Feb 20, 2017: Washington's Birthday").waitFor();
    await page.getByText('Street fair, from Feb 20, 2017, 09:00 AM EST').waitFor();
    const written = () => page.evaluate<string[]>('[...window.written]');
    await expect.poll(written).toEqual(expect.arrayContaining(["Washington's Birthday", 'Street fair']));
    await close();
  });
});
