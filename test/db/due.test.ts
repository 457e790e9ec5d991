import { expect, test } from 'vitest';
import { findDue } from '../../src/db/schedules/due.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

test('occurrences and events are due once their time has come, those of paused schedules and webhooks never', async () => {
  const { db, pool } = openTestDatabase(await createTestDatabase());
  const expectDue = async (hasOccurrences: boolean, hasDeliveries: boolean) =>
    expect(await findDue(db)).toEqual({ hasOccurrences, hasDeliveries });
  await expectDue(false, false);
  await pool.query(`insert into schedules (schedule_id, name, cron, time_zone, missed, input, input_hash, facts,
      caller, client_id, priority, location_count, vehicle_count)
    values ('s', 's', '0 * * * *', 'UTC', 'skip', '{}', '', '{}', '', '', 'normal', 0, 0)`);
  await pool.query(`insert into webhooks (webhook_id, url, events, active, secret)
    values ('w', 'https://w.example', '{job.failed}', false, '')`);
  await pool.query(`insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data)
    values ('d', 'w', 'job.failed', 'j', '{}')`);
  await expectDue(false, false);
  await pool.query("update schedules set next_at = now() + interval '1 hour'");
  await pool.query(
    "update webhook_deliveries set next_at = now() + interval '1 hour'; update webhooks set active = true",
  );
  await expectDue(false, false);
  await pool.query("update schedules set next_at = now() - interval '1 second'");
  await expectDue(true, false);
  await pool.query("update webhook_deliveries set next_at = now() - interval '1 second'");
  await expectDue(true, true);
  await pool.query(
    "update schedules set next_at = null; update webhook_deliveries set status = 'dead', ended_at = now()",
  );
  await expectDue(false, false);
});
