import { metadata } from '../../src/answers/envelope.ts';
import { DEFAULT_REPLAY_SECONDS } from '../../src/contracts/replays.ts';
import { HOUR_MS } from '../../src/contracts/time.ts';
import type { JobWork } from '../run/job-run.ts';
import { replayInputs } from '../run/replay-inputs.ts';
import { travelOf } from '../run/travel.ts';

/** The results of plans on the stored demand. After a crash an attempt begins again, on the same data. */
export const runReplay: JobWork<'replay'> = async (run) => {
  const { requestId, jobId } = run.job;
  const request = run.facts;
  const { stored, trips, transfer } = await replayInputs(run, request);
  const travel = await travelOf(run, request.storedTravel, JSON.stringify(stored.points));
  const { firstHour, hours, timeZone } = stored;
  const timeOf = (hour: number) => new Date(hour * HOUR_MS).toISOString();
  const period = {
    ...{ replay_id: jobId, from: request.from, to: request.to, time_zone: timeZone },
    ...{ starts_at: timeOf(firstHour), ends_at: timeOf(firstHour + hours) },
  };
  const { summary, data } = await run.inThread(
    'replay',
    { stored, travel, trips, period },
    {
      limitSeconds: request.options?.time_limit_seconds ?? DEFAULT_REPLAY_SECONDS,
      transfer,
    },
  );
  const about = JSON.stringify({ ...metadata(requestId), job_id: jobId });
  const body = `{"status":"success","data":${data},"metadata":${about}}`;
  return {
    solverStatus: null,
    answer: { httpStatus: 200, body },
    replay: { replayId: jobId, requestId, summary, data },
  };
};
