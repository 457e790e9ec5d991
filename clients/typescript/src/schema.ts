// Generated from the OpenAPI document of the service by `npm run generate:client`. Do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service information */
        get: operations["get_service"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the service and its dependencies
         * @description 200 while database and queue answer and take writes; 503 otherwise, with an error for each that does not.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether this process runs
         * @description For whoever restarts processes: it asks nothing of database or queue, which a restart would not bring back.
         */
        get: operations["get_liveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether this process can serve requests
         * @description For whoever sends requests to processes: 200 while the database takes writes. Without the queue it still answers all that it reads.
         */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Current configuration, without secrets */
        get: operations["get_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workers, queue and throughput
         * @description For operators: the workers and what they run, the jobs that wait, what the last hour brought, and jobs that failed. The same with Redis and without.
         */
        get: operations["get_operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/optimize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The cheapest plan that moves vehicles to where the demand is
         * @description The request is validated, stored as a job and solved by a worker process; the call waits for the answer. `Prefer: respond-async` answers 202 at once, `Prefer: wait=N` after N seconds at most.
         */
        post: operations["optimize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A job, and its result once it has ended */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description A queued job is cancelled at once, a running one within a second; one that has ended stays as it is. 202 if its worker has not stopped yet: the job will end as `cancelled`, whatever happens to the worker.
         */
        delete: operations["cancel_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs, newest first, without their results
         * @description Pagination is stable while new jobs arrive. Times are ISO 8601.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The request that made a job
         * @description As it was posted, so that it can be posted again with a change. Kept for RETENTION_INPUT_DAYS after the end.
         */
        get: operations["get_job_request"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The plans, newest first, without their items
         * @description Pagination is stable while new plans arrive. Times are ISO 8601.
         */
        get: operations["list_plans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{plan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stored plan as JSON or CSV
         * @description `Accept: text/csv` gives one line per vehicle, or, by `part`, per pair of locations between which vehicles move, or per location.
         */
        get: operations["get_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{plan_id}/compare/{other_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Differences between this plan and another
         * @description Differences of the KPIs (the other plan minus this one), the shortfall and stages of both, what changes per priority level and per location, and a page of the vehicles that move differently.
         */
        get: operations["compare_plans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{plan_id}/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Moves of a plan that are due, on the way or done at a time
         * @description By the clock: all vehicles leave at `starts_at` and take the minutes of their move. The service does not follow vehicles.
         */
        get: operations["list_plan_moves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Demand forecast per location
         * @description One value per step of `step_hours` (default 24): 168 hours give 7 values, each the expected demand of its step. Only observations before `start_date` or `start_at` are used, so a start in the past is a backtest.
         */
        post: operations["forecast_demand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forecast/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accuracy of forecasts on the stored history
         * @description Forecasts from several past dates, each with the data known then, are compared with the actual demand: WAPE, MASE, bias and coverage of the intervals, per location and overall, next to two simple methods. A job, waited for like an optimization.
         */
        post: operations["backtest_forecast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Decisions, newest first, without their inputs and results
         * @description A decision is listed as soon as a worker has collected its inputs.
         */
        get: operations["list_decisions"];
        put?: never;
        /**
         * From the fleet and the observed demand to a plan, in one job
         * @description Takes the stored fleet (or the one given), scores risk, leaves out vehicles at or above a threshold, forecasts demand and optimizes. All inputs are stored with the decision. Waited for like an optimization.
         */
        post: operations["make_decision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/decisions/{decision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A decision with its inputs, and its result once it has ended */
        get: operations["get_decision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schedules, newest first, without their decisions */
        get: operations["list_schedules"];
        put?: never;
        /**
         * Make decisions at certain times
         * @description Each occurrence makes exactly one job, a decision, as its caller would by `POST /api/v1/decisions`. It makes none if the job of the occurrence before has not ended, or if no worker was running in time and `missed` says so.
         */
        post: operations["create_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A schedule, its next occurrences and the jobs of its last ones
         * @description `GET /api/v1/jobs` and `/api/v1/plans` list all of its jobs and plans by `schedule_id`.
         */
        get: operations["get_schedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Its jobs stay, also one that is running; `DELETE /api/v1/jobs/{job_id}` cancels it.
         */
        delete: operations["delete_schedule"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a schedule
         * @description The fields in the body are changed, the rest stay; `decision` is replaced as a whole. Jobs that exist stay as they are. Occurrences of the time while it was paused are not made up for.
         */
        patch: operations["change_schedule"];
        trace?: never;
    };
    "/api/v1/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The replays that have ended, newest first, without their series */
        get: operations["list_replays"];
        put?: never;
        /**
         * What plans would have brought on the stored demand
         * @description Sends a fleet through past demand, hour by hour, once for each policy. Plans are made with what was known when their hour began. A job, waited for like an optimization.
         */
        post: operations["create_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A replay as JSON or CSV */
        get: operations["get_replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/replays/{replay_id}/compare/{other_replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Differences between this replay and another, policy by policy */
        get: operations["compare_replays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The locations, by id
         * @description The whole list in one streamed answer, or in pages with `limit` and `cursor`.
         */
        get: operations["list_locations"];
        /**
         * Create or replace locations
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. `time_zone`, `active`, `expected_daily_demand` and `priority` that a row does not give stay as they are. With `replace` all other locations are deleted; one with vehicles, observations, events, travel or trip flows is refused.
         */
        put: operations["put_locations"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fleet, by vehicle id, and the number of vehicles per status
         * @description The whole fleet in one streamed answer, or in pages with `limit` and `cursor`. `summary` counts the whole fleet, regardless of page and filter. `data.fleet` can be sent as `fleet_state.vehicles` to POST /api/v1/optimize.
         */
        get: operations["list_fleet"];
        /**
         * Create or replace vehicles
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. A vehicle without `status` is operational, one without `capacity` has 1; dates and utilization that are not given stay as they are. Other vehicles stay as they are; with `replace` they are deleted.
         */
        put: operations["put_fleet"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/fleet/{vehicle_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one vehicle
         * @description Plans and decisions keep their data about it.
         */
        delete: operations["delete_vehicle"];
        options?: never;
        head?: never;
        /**
         * Change one vehicle
         * @description A JSON merge patch (also taken as `application/json`): the fields in the body are changed, the rest stay; null is refused. The answer is the vehicle as GET /api/v1/data/fleet shows it.
         */
        patch: operations["change_vehicle"];
        trace?: never;
    };
    "/api/v1/data/demand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Observed hourly demand, by location and hour
         * @description The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv` gives one line per observation, as `POST` takes it.
         */
        get: operations["list_demand"];
        put?: never;
        /**
         * Add or correct observed hourly demand
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. `hour` is the start of a full UTC hour, with any offset. Forecasts use the observations at once.
         */
        post: operations["add_demand"];
        /**
         * Delete observed hourly demand
         * @description Deletes the observations of a location, of a time, or of both: what GET lists with the same parameters. At least one of them is required. Forecasts forget the observations at once; plans and decisions keep what they say.
         */
        delete: operations["delete_demand"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events that change demand, by id
         * @description The whole list in one streamed answer, or in pages with `limit` and `cursor`.
         */
        get: operations["list_events"];
        /**
         * Create or replace events that change demand
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. An event covers the hours from `from` to before `to`, full UTC hours with any offset, of one location or of all (`location_id` null; in CSV an empty cell). Forecasts multiply its hours by `factor`; without one they learn from past events of the same `kind`. An event that is already stored is replaced as a whole. With `replace` all other events are deleted.
         */
        put: operations["put_events"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/travel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Travel between locations, by the ids of both
         * @description The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv` gives one line per pair.
         */
        get: operations["list_travel"];
        /**
         * Create or replace travel between locations
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. Kilometres and minutes from one location to another; the way back is a row of its own. Other pairs stay as they are; with `replace` they are deleted.
         */
        put: operations["put_travel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/trip-flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Counted trips between locations, by the ids of both and the hour of the week
         * @description The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv` gives one line per pair and hour.
         */
        get: operations["list_trip_flows"];
        /**
         * Create or replace counts of trips between locations
         * @description JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with its row or line. 201 if a row was created. How many trips from one location ended at another: in an hour of the week or, without `hour_of_week`, in all hours for which the first location has no rows. Only the shares of a location matter, not how long was counted. Other rows stay as they are; with `replace` they are deleted.
         */
        put: operations["put_trip_flows"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/locations/{location_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one location
         * @description Refused with 409 while it has vehicles, observations, events, travel or trip flows, unless `cascade` is true. Plans and decisions keep their data about it.
         */
        delete: operations["delete_location"];
        options?: never;
        head?: never;
        /**
         * Change one location
         * @description A JSON merge patch: the fields in the body are changed, the rest stay; null is refused. `active` false retires the location: it keeps its vehicles and its history, but is planned only if a request names it.
         */
        patch: operations["change_location"];
        trace?: never;
    };
    "/api/v1/data/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one event
         * @description Forecasts stop using it at once.
         */
        delete: operations["delete_event"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests that may have changed something, newest first
         * @description Noted with the setting AUDIT.
         */
        get: operations["list_audit_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Webhooks, newest first */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Be told of events
         * @description From now on events are sent to the URL, signed by the Standard Webhooks specification, at least once each. The secret is in this answer only.
         */
        post: operations["create_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A webhook */
        get: operations["get_webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What waits for it is not sent any more.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, switch it off or on
         * @description The fields in the body are changed, the rest stay. What waits is sent to the new URL. Events that happen while it is off are not noted for it.
         */
        patch: operations["change_webhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook another secret
         * @description The secret is in this answer only. For 24 hours the one before signs too: `webhook-signature` then has two signatures, and one that fits is enough.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was sent to a webhook, or waits, newest first */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description It is sent within seconds, with the same `webhook-id`, and tried for another day; while the webhook is off it waits.
         */
        post: operations["resend_webhook_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/risk/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Risk score of each vehicle
         * @description score = 0.3·age + 0.4·utilization + 0.3·maintenance, each factor from 0 to 1; below 0.4 low, from 0.7 high. Weights, scales and thresholds are settings.
         */
        post: operations["score_risk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedJob: {
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
        };
        AcceptedJobEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["AcceptedJob"];
            metadata: components["schemas"]["Metadata"];
        };
        AllocationPlanItem: {
            vehicle_id: string;
            source_location: number;
            target_location: number;
            /** @description in the unit of `total_cost`; 0 if the vehicle stays */
            cost: number;
            /** @enum {string} */
            assignment: "rebalance" | "stay";
        };
        AuditEntry: {
            audit_id: string;
            /**
             * Format: date-time
             * @description when the service began to carry it out
             */
            at: string;
            /** @description owner of the API key, or subject of the token; `anonymous` without authentication, `command line` for `npm run keys` */
            actor: string;
            /** @description id of the API key; null without one */
            key_id: string | null;
            /** @description where the request came from; null for `npm run keys` */
            address: string | null;
            /** @description `operationId` of the OpenAPI document, or `create_key`, `revoke_key` */
            operation: string;
            /** @description null for `npm run keys`, as is `path` */
            method: string | null;
            /** @description without the query */
            path: string | null;
            /** @description what it was about: the last id in the path, or what it made */
            resource_id: string | null;
            /** @description the job that it made */
            job_id: string | null;
            /** @description null for `npm run keys` */
            request_id: string | null;
            /** @description of its answer; null until then, and for ever if the process was killed meanwhile */
            http_status: number | null;
        };
        AuditList: {
            entries: components["schemas"]["AuditEntry"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        AuditListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["AuditList"];
            metadata: components["schemas"]["Metadata"];
        };
        BacktestAccuracy: {
            /** @description Σ|error| / Σdemand; null where there was no demand */
            wape: number | null;
            /** @description mean |error| over that of last week's value inside the history; below 1 is better */
            mase: number | null;
            /** @description Σ(forecast − demand) / Σdemand; above 0 is too high */
            bias: number | null;
        };
        BacktestData: {
            model: string;
            horizon_hours: number;
            step_hours: number;
            confidence_levels: number[];
            /** @description first local day of each forecast, newest first */
            start_dates: string[];
            overall: components["schemas"]["BacktestScore"];
            /** @description of all locations, by kind of week (Monday to Sunday, local); only kinds that occurred */
            weeks: {
                /** @description all other weeks */
                calm?: components["schemas"]["BacktestScore"];
                /** @description weeks that contain a public holiday, a day next to one, or an event */
                holiday?: components["schemas"]["BacktestScore"];
                /** @description other weeks with a day in the two weeks that follow a lasting change of level */
                after_shift?: components["schemas"]["BacktestScore"];
            };
            locations: {
                [key: string]: components["schemas"]["BacktestScore"];
            };
        };
        BacktestMetadata: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            /** @description version of the service */
            version: string;
            /** @description id of the request, also in logs, jobs and the X-Request-Id header */
            request_id: string;
            job_id: string;
        };
        BacktestRequest: {
            /** @description default: all stored locations */
            location_ids?: number[];
            /** @description default: `168` */
            horizon_hours?: number;
            /**
             * @description default: `24`
             * @enum {integer}
             */
            step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            /** @description dates to forecast from; fewer if the history is too short; default: `8` */
            origins?: number;
            /** @description intervals whose coverage is measured; default: `[0.8,0.95]` */
            confidence_levels?: number[];
            options?: {
                /**
                 * @description default: `"normal"`
                 * @enum {string}
                 */
                priority?: "low" | "normal" | "high";
            };
        };
        BacktestResponse: {
            /** @constant */
            status: "success";
            data: components["schemas"]["BacktestData"];
            metadata: components["schemas"]["BacktestMetadata"];
        };
        BacktestScore: {
            /** @description steps compared */
            steps: number;
            service: components["schemas"]["BacktestAccuracy"];
            /** @description last week's value: the seasonal naive method */
            last_week: components["schemas"]["BacktestAccuracy"];
            /** @description mean of the last four same weekdays */
            weekday_mean: components["schemas"]["BacktestAccuracy"];
            /** @description share of the steps inside the interval, one per confidence level; null if none was compared */
            coverage: (number | null)[];
        };
        /** @description A constraint without which a cheaper plan is known, with its shadow value. `saves`: cost saved with `relaxed_value`, all else unchanged; 0 if one unit is too little to save anything; null if unknown. */
        BindingConstraint: {
            /** @enum {string} */
            constraint: "min_service_level" | "max_distance" | "min_vehicles_per_location" | "max_vehicles_per_location" | "total_fleet_size" | "min_vehicles_per_move" | "max_pairs" | "max_moves_from";
            /** @description as requested; if a bound of vehicles per location differs by location, the largest minimum or the smallest maximum */
            value: number;
            /** @description one unit looser: `min_service_level` 0.01 lower, `max_distance` 1 km longer, `total_fleet_size` one vehicle more, a bound of vehicles per location one vehicle looser at every location (if it differs by location, wherever it is tighter than that) */
            relaxed_value: number;
            saves: number | null;
            /** @description in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well */
            error_at_most: number | null;
        };
        /** @description proof of the plan */
        Certificate: {
            /** @description cost of the plan, as in `total_cost`; with `unmet_demand_cost`, the cost of unmet demand included */
            objective: number;
            /** @description proved: no plan has a smaller objective */
            bound: number;
            /** @description (objective - bound) / objective; 0 if the objective is 0 */
            gap: number;
            /**
             * @description method that found the plan. none: there are no vehicles; linear: a linear programme with an integral solution; mixed_integer: branch and cut; rounding, greedy: heuristics
             * @enum {string}
             */
            method: "none" | "network_simplex" | "linear" | "mixed_integer" | "rounding" | "greedy";
            /** @description columns of the largest model, or moves that the network simplex priced */
            columns: number;
            rows: number;
            /** @description of the simplex method, or pivots of the network simplex */
            iterations: number;
            /** @description of the search trees */
            nodes: number;
            /** @description iterations in which HiGHS confirmed the network simplex's tree as optimal; absent if it was not asked */
            confirmed_within?: number;
            /** @description what proved the bound, then the checks of the plan; all passed */
            checks: string[];
        };
        Constraints: {
            /** @description maximum km that a vehicle moves */
            max_distance?: number;
            /** @description alias of `max_distance` */
            max_rebalancing_distance_km?: number;
            /** @description share of planning demand to serve */
            min_service_level?: number;
            /** @description alias of `min_service_level` */
            min_demand_coverage?: number;
            /** @description limit of the total cost of the plan; null lifts it */
            max_rebalancing_cost?: number | null;
            /** @description capacity of vehicles that do not state one */
            capacity_per_vehicle?: number;
            /** @description fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem */
            min_vehicles_per_location?: number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /** @description most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem */
            max_vehicles_per_location?: number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /** @description priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem */
            priorities?: {
                default?: number;
            } & {
                [key: string]: number;
            };
            /** @description maximum number of serving vehicles */
            total_fleet_size?: number;
            /** @description what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone */
            unmet_demand_cost?: null | number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /**
             * @description if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions
             * @enum {string}
             */
            shortage?: "fail" | "serve_most";
        };
        Decision: {
            decision_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description null until it has ended */
            solver_status: ("optimal" | "feasible" | "infeasible" | "error") | null;
            /** @description null if there is no plan */
            plan_id: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** @description null until it has ended */
            finished_at: string | null;
            /** @description inputs of the decision; null until a worker has collected them */
            inputs: components["schemas"]["DecisionInputs"] | null;
            result?: components["schemas"]["DecisionAnswer"];
        };
        /** @description once ended: the envelope that the synchronous call returns */
        DecisionAnswer: components["schemas"]["DecisionResponse"] | components["schemas"]["ErrorEnvelope"];
        DecisionEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Decision"];
            metadata: components["schemas"]["Metadata"];
        };
        DecisionInputs: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            taken_at: string;
            /** @description the body of the request, without `fleet_state` */
            request: unknown;
            fleet: components["schemas"]["DecisionVehicle"][];
            risk: components["schemas"]["DecisionRisk"];
            forecast: components["schemas"]["ForecastData"];
            /** @description locations with vehicles or demand, or that constraints name; null if `network` gives the costs */
            locations: components["schemas"]["Location"][] | null;
        };
        DecisionList: {
            decisions: components["schemas"]["DecisionListItem"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        DecisionListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["DecisionList"];
            metadata: components["schemas"]["Metadata"];
        };
        DecisionListItem: {
            decision_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description null until it has ended */
            solver_status: ("optimal" | "feasible" | "infeasible" | "error") | null;
            /** @description null if there is no plan */
            plan_id: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** @description null until it has ended */
            finished_at: string | null;
            /** @enum {string} */
            mode: "static" | "horizon";
            /** Format: date */
            start_date: string;
            /** @description local hour of that day at which the first step begins, 0 to 23; 0 without `start_at` */
            start_hour: number;
            vehicles: number;
            left_out: number;
            /** @description null if there is no plan */
            total_cost: number | null;
            /** @description null if there is no plan */
            demand_coverage: number | null;
        };
        DecisionPlan: {
            /** @description one item per operational vehicle, in the request's order */
            allocation_plan: components["schemas"]["AllocationPlanItem"][];
            /** @description cost of moving */
            total_cost: number;
            kpis: components["schemas"]["Kpis"];
            /** @enum {string} */
            solver_status: "optimal" | "feasible";
            /** @description with `feasible`: maximum relative distance from the best plan */
            gap?: number | null;
            /** @description every location of the problem, by ascending id; absent with `options.locations: false` */
            locations?: components["schemas"]["PlanLocation"][];
            insights?: components["schemas"]["Insights"];
            shortfall?: components["schemas"]["Shortfall"];
            stability?: components["schemas"]["Stability"];
            /** @description stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request */
            stages?: string[];
            refinement?: components["schemas"]["Refinement"];
            /** @description priority levels above 0 that have demand, the highest first; absent if there are none */
            priorities?: components["schemas"]["PriorityServed"][];
        };
        DecisionRequest: {
            /** @description default: the stored fleet */
            fleet_state?: {
                vehicles: components["schemas"]["VehicleInput"][];
            };
            risk?: {
                /** @description vehicles with a risk score at or above it are left out; null or absent: none */
                threshold?: number | null;
            };
            /** @description locations to forecast; default: those of `network`, else all active locations */
            location_ids?: number[];
            /**
             * @description `static`: one plan for the demand of all steps, by `options.demand_aggregation`; `horizon`: a plan that looks ahead, with the demand of each step, and `data.outlook`. See `options.horizon`; default: `"static"`
             * @enum {string}
             */
            mode?: "static" | "horizon";
            /** @description default: `24` */
            horizon_hours?: number;
            /**
             * @description default: `1`
             * @enum {integer}
             */
            step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            /**
             * Format: date
             * @description first local day; default: the day after the newest observation of the locations together. Only observations before it are used.
             */
            start_date?: string;
            /**
             * Format: date-time-or-now
             * @description instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only observations of hours that are over by then, and by now, are used.
             */
            start_at?: string;
            /** @description share of outcomes that the interval holds; default: `0.95` */
            confidence_level?: number;
            /**
             * @description `upper` plans against the upper end of the interval of `confidence_level`; `spread`, with `mode` `horizon`, for three equally likely outcomes by that interval, whose mean is the forecast; default: `"mean"`
             * @enum {string}
             */
            demand?: "mean" | "upper" | "spread";
            /**
             * @description a location without observations is planned with its `expected_daily_demand`, else 0 (`expected`, the default), or answered with 503 (`fail`)
             * @enum {string}
             */
            on_missing_history?: "expected" | "fail";
            /** @description factor on the forecast: the share of demand that this fleet serves; default: `1` */
            demand_scale?: number;
            constraints?: components["schemas"]["Constraints"];
            network?: components["schemas"]["Network"];
            options?: components["schemas"]["OptimizeOptions"];
            /** @description the vehicles that the plan moves leave when it is stored: in the stored fleet `location_id` becomes the target, and `available_at` the arrival; default: `false` */
            carry_out?: boolean;
        };
        DecisionResponse: {
            /** @constant */
            status: "success";
            data: components["schemas"]["DecisionResult"];
            metadata: components["schemas"]["OptimizeMetadata"];
        };
        DecisionResult: {
            decision_id: string;
            /**
             * Format: date
             * @description first planned local day
             */
            start_date: string;
            /**
             * Format: date-time
             * @description with `start_at`: when the first step begins, on the clock of the first location that has a time zone, else of the service
             */
            starts_at?: string;
            /** @enum {string} */
            demand: "mean" | "upper" | "spread";
            /** @description ids of the vehicles that the plan may not use */
            left_out: string[];
            /** @description vehicles without a score, because data are missing; they are not left out */
            unscored: number;
            /** @description locations without observations, which are planned with their `expected_daily_demand`, else 0 */
            without_history: number[];
            plan: components["schemas"]["DecisionPlan"];
            /** @description only of a plan that looks ahead: every step */
            outlook?: components["schemas"]["OutlookStep"][];
            /** @description with `outlook`: what all steps cost, moves and unmet demand */
            horizon_cost?: number;
            /** @description with `outlook`: proved, no plan of all steps costs less */
            horizon_bound?: number;
            /** @description with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles */
            rounding_cost?: number;
        };
        DecisionRisk: {
            /**
             * Format: date
             * @description day at which ages are computed: the first planned day
             */
            day: string;
            /** @description null: no vehicles are left out */
            threshold: number | null;
            /** @description scores of the vehicles whose data are known */
            scores: components["schemas"]["VehicleRisk"][];
            /** @description ids of the vehicles that the plan may not use */
            left_out: string[];
            /** @description vehicles without a score, because data are missing; they are not left out */
            unscored: number;
        };
        DecisionVehicle: {
            vehicle_id: string;
            location_id: number;
            /** @enum {string} */
            status: "operational" | "maintenance" | "downtime";
            capacity?: number;
            /**
             * Format: date-time
             * @description the vehicle is on its way to `location`, and free there from this time on. If it is not free when the first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any other plan has it as if it were `pinned` there, whatever the time
             */
            available_at?: string;
            /**
             * Format: date
             * @description day from which the age of the vehicle counts
             */
            acquired_on?: string;
            /**
             * Format: date
             * @description day of its last maintenance
             */
            last_maintenance_on?: string;
            /** @description share of time in use */
            utilization_rate?: number;
        };
        DeliveryList: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        DeliveryListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["DeliveryList"];
            metadata: components["schemas"]["Metadata"];
        };
        DemandEvent: {
            event_id: string;
            /** @description null: all locations */
            location_id: number | null;
            /**
             * Format: date-time
             * @description first hour: start of a full UTC hour, ISO 8601 with offset
             */
            from: string;
            /**
             * Format: date-time
             * @description first hour after the event, later than `from`
             */
            to: string;
            /** @description strike, marathon, closed, …: events of the same kind are assumed to have the same effect */
            kind: string;
            /** @description factor on demand during the event, 0 for a closed place; absent: learned from past events of its kind */
            factor?: number;
            name?: string;
        };
        /** @description location id → demand per time step, in units of vehicle capacity, or in trips where `options.trips_per_vehicle_hour` says how many a vehicle serves */
        DemandForecast: {
            [key: string]: number[];
        };
        DemandList: {
            observations: components["schemas"]["DemandObservation"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        DemandListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["DemandList"];
            metadata: components["schemas"]["Metadata"];
        };
        DemandObservation: {
            location_id: number;
            /**
             * Format: date-time
             * @description start of the hour, ISO 8601 with offset
             */
            hour: string;
            demand: number;
        };
        DemandUpload: {
            observations: components["schemas"]["DemandObservation"][];
        };
        DrawnReplay: {
            seed: number;
            /** @description trips */
            served: number;
            /** @description trips */
            lost: number;
            /** @description served of all trips; 1 without any */
            served_share: number;
            /** @description vehicles that moved, each time counted */
            moves: number;
            km: number;
            /** @description of moving */
            minutes: number;
            /** @description of moving */
            cost: number;
            /** @description trips served, of those that all vehicles could serve */
            utilization: number;
            /** @description `cost` and the price of lost trips */
            objective: number;
            /** @description in which a plan was due and no plan kept the constraints, so that nobody moved */
            hours_without_plan: number;
        };
        ErrorEnvelope: {
            /** @constant */
            status: "error";
            data: null;
            errors: components["schemas"]["ErrorItem"][];
            metadata: components["schemas"]["Metadata"];
        };
        ErrorItem: {
            /** @enum {string} */
            code: "VALIDATION_ERROR" | "UNAUTHORIZED" | "FORBIDDEN" | "RESOURCE_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "INFEASIBLE_PROBLEM" | "IDEMPOTENCY_CONFLICT" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "SOLVER_ERROR" | "INTERNAL_ERROR" | "JOB_CANCELLED" | "CONFLICT" | "MODEL_NOT_LOADED" | "SERVICE_UNAVAILABLE";
            /** @description the value, the limit and what to do */
            message: string;
            /** @description path in the body, e.g. `fleet_state.vehicles[3].capacity` */
            field: string | null;
            detail: string | null;
            relaxation?: components["schemas"]["ErrorRelaxation"];
        };
        /** @description only of `INFEASIBLE_PROBLEM`, where the constraints in conflict are known: what the message says */
        ErrorRelaxation: {
            /** @description null: several constraints together, which are in `together` */
            constraint: ("min_service_level" | "max_distance" | "max_rebalancing_cost" | "min_vehicles_per_location" | "max_vehicles_per_location" | "total_fleet_size" | "min_vehicles_per_move" | "max_pairs" | "max_moves_from" | "network" | "supply") | null;
            /** @description as requested; for `supply` the operational vehicles */
            value: number | null;
            /** @description the value nearest to it that suffices, all else unchanged; null if none does or none is known */
            relaxation: number | null;
            /** @description whether no nearer value suffices, with `by_location` no smaller change in total; with null: that none does */
            proved: boolean;
            /** @description only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them */
            by_location?: {
                [key: string]: number;
            };
            /** @description only with `constraint` null: the changes that suffice together */
            together?: {
                /** @enum {string} */
                constraint: "min_service_level" | "max_distance" | "max_rebalancing_cost" | "min_vehicles_per_location" | "max_vehicles_per_location" | "total_fleet_size" | "min_vehicles_per_move" | "max_pairs" | "max_moves_from" | "network" | "supply";
                /** @description the value to set; for `supply` that many operational vehicles */
                relaxation: number;
                /** @description only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them */
                by_location?: {
                    [key: string]: number;
                };
            }[];
        };
        EventList: {
            events: components["schemas"]["DemandEvent"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        EventListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["EventList"];
            metadata: components["schemas"]["Metadata"];
        };
        EventUpload: {
            events: components["schemas"]["DemandEvent"][];
        };
        FleetList: {
            fleet: components["schemas"]["FleetVehicle"][];
            summary: components["schemas"]["FleetSummary"];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        FleetListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["FleetList"];
            metadata: components["schemas"]["Metadata"];
        };
        FleetSummary: {
            total_vehicles: number;
            operational: number;
            maintenance: number;
            downtime: number;
        };
        FleetUpload: {
            fleet: components["schemas"]["FleetVehicleInput"][];
        };
        FleetVehicle: {
            vehicle_id: string;
            location_id: number;
            /** @enum {string} */
            status: "operational" | "maintenance" | "downtime";
            capacity: number;
            /**
             * Format: date-time
             * @description the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there
             */
            available_at?: string;
            /**
             * Format: date
             * @description day from which the age of the vehicle counts
             */
            acquired_on?: string;
            /**
             * Format: date
             * @description day of its last maintenance
             */
            last_maintenance_on?: string;
            /** @description share of time in use */
            utilization_rate?: number;
        };
        FleetVehicleEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["FleetVehicle"];
            metadata: components["schemas"]["Metadata"];
        };
        FleetVehicleInput: {
            vehicle_id: string;
            location_id: number;
            /**
             * @description default: `"operational"`
             * @enum {string}
             */
            status?: "operational" | "maintenance" | "downtime";
            /** @description default: `1` */
            capacity?: number;
            /**
             * Format: date-time
             * @description the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there
             */
            available_at?: string;
            /**
             * Format: date
             * @description day from which the age of the vehicle counts
             */
            acquired_on?: string;
            /**
             * Format: date
             * @description day of its last maintenance
             */
            last_maintenance_on?: string;
            /** @description share of time in use */
            utilization_rate?: number;
        };
        FleetVehiclePatch: {
            location_id?: number;
            /** @enum {string} */
            status?: "operational" | "maintenance" | "downtime";
            capacity?: number;
            /**
             * Format: date-time
             * @description the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there
             */
            available_at?: string;
            /**
             * Format: date
             * @description day from which the age of the vehicle counts
             */
            acquired_on?: string;
            /**
             * Format: date
             * @description day of its last maintenance
             */
            last_maintenance_on?: string;
            /** @description share of time in use */
            utilization_rate?: number;
        };
        ForecastData: {
            forecasts: {
                [key: string]: number[];
            };
            intervals?: {
                [key: string]: {
                    lower: number[];
                    upper: number[];
                };
            };
            metadata: {
                model: string;
                horizon_hours: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                generated_at: string;
                /** Format: date */
                start_date: string;
                /**
                 * Format: date-time
                 * @description with `start_at`: when the first step begins, on the clock of the first location that has a time zone, else of the service
                 */
                starts_at?: string;
                step_hours: number;
                methods: {
                    [key: string]: string;
                };
                backtest_wape: {
                    [key: string]: number | null;
                };
                /** @description public holidays in the horizon or the day before or after it, by date; absent if no calendar is configured */
                holidays?: {
                    /**
                     * Format: date
                     * @description local day
                     */
                    date: string;
                    name: string;
                }[];
                /** @description stored events of these locations in the horizon, ordered by start and truncated; absent if there are none */
                events?: components["schemas"]["DemandEvent"][];
                /** @description number of these events in total; absent if there are none */
                event_count?: number;
                /** @description for locations with something to report; absent if there are none */
                notes?: {
                    [key: string]: components["schemas"]["ForecastNotes"];
                };
            };
        };
        ForecastDataEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ForecastData"];
            metadata: components["schemas"]["Metadata"];
        };
        ForecastNotes: {
            /**
             * Format: date
             * @description local day of the newest observation, if more than two days before `start_date`
             */
            newest_observation?: string;
            /** @description the newest lasting change of level in the history; forecasts are on the new level */
            level_shift?: {
                /**
                 * Format: date
                 * @description first local day on the new level
                 */
                date: string;
                /** @description daily demand after the change divided by that before; null if there was none before */
                factor: number | null;
            };
            /** @description hours are missing in a pattern: they are treated as unknown and filled in, not as 0; store zeros for hours without demand */
            absent_rows?: {
                /** @description share of the hours that are missing */
                share: number;
                /** @description local hours without rows, 0 to 23 */
                hours_of_day: number[];
                /** @description weekdays without rows, 1 (Monday) to 7 */
                weekdays: number[];
                /** @description counts are stored, but no zeros: rows seem to be written only for hours with demand */
                zeros_never_seen: boolean;
            };
        };
        ForecastRequest: {
            location_ids: number[];
            /** @description default: `168` */
            horizon_hours?: number;
            features?: {
                /**
                 * Format: date
                 * @description first local day; default: the day after the newest observation of the locations together. Only observations before it are used.
                 */
                start_date?: string;
                /**
                 * Format: date-time-or-now
                 * @description instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only observations of hours that are over by then, and by now, are used.
                 */
                start_at?: string;
                /** @description default: `false` */
                include_intervals?: boolean;
                /** @description share of outcomes that the interval holds; default: `0.95` */
                confidence_level?: number;
                /**
                 * @description default: `24`
                 * @enum {integer}
                 */
                step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            };
        };
        HealthReport: {
            /** @constant */
            health: "healthy";
            checks: {
                /** @constant */
                database: "up";
                /** @constant */
                queue: "up";
            };
            uptime_seconds: number;
        };
        HealthReportEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["HealthReport"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description a plan that looks ahead: `demand_forecast` has the demand of each step, the plan moves vehicles before the first step, and `data.outlook` says what all steps would bring. `min_service_level` is that of all steps together, and so are `priorities`. `unmet_demand_cost`, bounds on vehicles per location and pinned vehicles hold in each of them, `max_rebalancing_cost` for the moves of each, and `total_fleet_size` for the vehicles that serve in each, in full loads. `change_cost` and `refine` are about the first moves. Not supported: `explain`, `demand_aggregation`, and `total_fleet_size` below the fleet together with pinned vehicles */
        Horizon: {
            /**
             * @description hours of a time step of demand; default: `options.step_hours`, else 1
             * @enum {integer}
             */
            step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            /**
             * Format: date-time
             * @description when the first step begins; vehicles with `available_at` need it, and so do trip flows by hour of the week
             */
            starts_at?: string;
            /** @description of moves whose minutes are not known; a move without known distance takes a step; default: `20` */
            speed_kmh?: number;
            /**
             * @description where trips end: `stored`, as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where they served. A `network` has none; default: `"stored"`
             * @enum {string}
             */
            trip_flows?: "stored" | "none";
        };
        Insights: {
            /** @description proved lower bound of the total cost */
            bound: number;
            /** @description true: every figure is exact. false: some are not; `error_at_most` bounds the error of each. Figures are exact with one capacity and demand of whole vehicles, and whenever time sufficed to solve every changed problem to optimality */
            exact: boolean;
            /** @description demand that one vehicle of the most common capacity serves; the step of `more_demand_costs` */
            demand_step: number;
            binding_constraints: components["schemas"]["BindingConstraint"][];
            locations: components["schemas"]["LocationInsight"][];
            /** @description moves of the plan, by source and target */
            moves: components["schemas"]["MoveInsight"][];
            /** @description false if figures are unknown, because time ran out or because their error would not be smaller than themselves. Insights end as soon as all figures are exact, and at the latest at `options.time_limit_seconds`, counted from the start of the request; if figures are not exact at once (several capacities, or demand that is not whole vehicles) after 5 to 10 s, by the number of locations, or 20 s with several capacities, or half of the time left if that is less */
            complete: boolean;
        };
        Job: {
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /** @enum {string} */
            kind: "optimize" | "backtest" | "decision" | "replay";
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            priority: "low" | "normal" | "high";
            /** @description never falls */
            progress: number;
            stage: string | null;
            incumbent: number | null;
            bound: number | null;
            gap: number | null;
            iterations: number | null;
            solver_status: ("optimal" | "feasible" | "infeasible" | "error") | null;
            /** @description number of times a worker has claimed the job */
            attempts: number;
            /** @description after a crash: not retried before this time */
            retry_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description only while queued; 1 is next */
            queue_position?: number;
            /** @description only while queued or running: time until it ends; null if too few past jobs of similar size are known */
            estimate?: components["schemas"]["JobEstimate"] | null;
            /** @description not in lists */
            phases?: components["schemas"]["JobPhase"][];
            /** @description not in lists */
            attempt_history?: components["schemas"]["JobAttempt"][];
            plan_id: string | null;
            /** @description only of a job that a schedule made */
            schedule_id?: string;
            request_id: string;
            result?: components["schemas"]["JobResult"];
        };
        JobAttempt: {
            attempt: number;
            /** @description process:random; the worker log names the host */
            worker_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            started_at: string;
            ended_at: string | null;
            /** @description null while it runs; `released`: its worker was stopped; `crashed`: worker or solver died or lost its connection */
            outcome: ("completed" | "failed" | "cancelled" | "released" | "crashed") | null;
            reason: string | null;
        };
        JobEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Job"];
            metadata: components["schemas"]["Metadata"];
        };
        JobEstimate: {
            median_seconds: number;
            /** @description 10th percentile */
            p10_seconds: number;
            /** @description 90th percentile */
            p90_seconds: number;
            /** @description number of past jobs of similar size */
            based_on: number;
        };
        JobList: {
            jobs: components["schemas"]["Job"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        JobListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["JobList"];
            metadata: components["schemas"]["Metadata"];
        };
        JobPhase: {
            /** @description `queued`, `started`, stages as in `stage`, `store`, `finished`; of the last attempt */
            phase: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            at: string;
            ms: number | null;
        };
        JobRequest: {
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /** @enum {string} */
            kind: "optimize" | "backtest" | "decision" | "replay";
            /** @description the body of the request that made the job; send it again, changed, to the operation of its kind */
            request: {
                [key: string]: unknown;
            };
        };
        JobRequestEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["JobRequest"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description once ended: the envelope that the synchronous call returns; an error if there is no plan or the job failed or was cancelled */
        JobResult: components["schemas"]["OptimizationResponse"] | components["schemas"]["DecisionResponse"] | components["schemas"]["BacktestResponse"] | components["schemas"]["ReplayResponse"] | components["schemas"]["ErrorEnvelope"];
        /** @description the other plan minus this one */
        KpiDifferences: {
            /** @description share of planning demand served; target above 0.95 */
            demand_coverage: number;
            /** @description demand served / demand that the operational vehicles can serve; target 0.70 to 0.85 */
            utilization: number;
            /** @description vehicles moved */
            rebalanced_count: number;
            /** @description of all moves, in the unit of `options.cost`, by default km, or of the `network` */
            total_cost: number;
            /** @description of all moves, each vehicle counted; null if `network` gives no distances */
            total_distance_km: number | null;
            /** @description only with stored travel that has all moves: their minutes, each vehicle counted */
            total_minutes?: number;
            /** @description planning demand that is not served, in its own unit */
            unmet_demand: number;
            /** @description only with `constraints.unmet_demand_cost`: what the demand costs that is not served, rounded up to 0.0001. The plan is the one with the least sum of `total_cost` and this */
            unmet_demand_cost?: number;
        };
        Kpis: {
            /** @description share of planning demand served; target above 0.95 */
            demand_coverage: number;
            /** @description demand served / demand that the operational vehicles can serve; target 0.70 to 0.85 */
            utilization: number;
            /** @description vehicles moved */
            rebalanced_count: number;
            /** @description of all moves, in the unit of `options.cost`, by default km, or of the `network` */
            total_cost: number;
            /** @description of all moves, each vehicle counted; null if `network` gives no distances */
            total_distance_km: number | null;
            /** @description only with stored travel that has all moves: their minutes, each vehicle counted */
            total_minutes?: number;
            /** @description planning demand that is not served, in its own unit */
            unmet_demand: number;
            /** @description only with `constraints.unmet_demand_cost`: what the demand costs that is not served, rounded up to 0.0001. The plan is the one with the least sum of `total_cost` and this */
            unmet_demand_cost?: number;
        };
        LivenessReport: {
            alive: boolean;
            uptime_seconds: number;
        };
        LivenessReportEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["LivenessReport"];
            metadata: components["schemas"]["Metadata"];
        };
        Location: {
            id: number;
            name: string;
            latitude: number;
            longitude: number;
            /** @description false: retired, so planned only if a request names it; returned only if false; default true */
            active?: boolean;
            /** @description demand of an average day; decisions use it until there are observations */
            expected_daily_demand?: number;
            /** @description of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0 */
            priority?: number;
            /**
             * Format: time-zone
             * @description IANA time zone of its local days, e.g. America/New_York
             */
            time_zone?: string;
        };
        LocationEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Location"];
            metadata: components["schemas"]["Metadata"];
        };
        LocationInput: {
            id: number;
            name: string;
            latitude: number;
            longitude: number;
            /** @description false: retired, so planned only if a request names it; returned only if false; default true */
            active?: boolean;
            /** @description demand of an average day; decisions use it until there are observations */
            expected_daily_demand?: number;
            /** @description of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0 */
            priority?: number;
            /**
             * Format: time-zone
             * @description IANA time zone of its local days, e.g. America/New_York
             */
            time_zone?: string;
        };
        LocationInsight: {
            location_id: number;
            /** @description cost saved with one more vehicle here, of the most common capacity (negative if it would have to be moved away); null if there is then no plan, or if unknown */
            one_more_saves: number | null;
            /** @description cost added with one vehicle fewer here; null if there is none, if there is then no plan, or if unknown */
            one_fewer_costs: number | null;
            /** @description cost added with `demand_step` more demand here (the service level counts it too), negative if that saves cost; null if there is then no plan, or if unknown */
            more_demand_costs: number | null;
            /** @description in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well */
            error_at_most: number | null;
            /** @description figures that are null because they are unknown: no time was left for them, or their error would not be smaller than themselves */
            not_known: ("one_more_saves" | "one_fewer_costs" | "more_demand_costs")[];
        };
        LocationList: {
            locations: components["schemas"]["Location"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        LocationListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["LocationList"];
            metadata: components["schemas"]["Metadata"];
        };
        LocationPatch: {
            name?: string;
            latitude?: number;
            longitude?: number;
            /** @description false: retired, so planned only if a request names it; returned only if false; default true */
            active?: boolean;
            /** @description demand of an average day; decisions use it until there are observations */
            expected_daily_demand?: number;
            /** @description of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0 */
            priority?: number;
            /**
             * Format: time-zone
             * @description IANA time zone of its local days, e.g. America/New_York
             */
            time_zone?: string;
        };
        LocationUpload: {
            locations: components["schemas"]["LocationInput"][];
        };
        Metadata: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            /** @description version of the service */
            version: string;
            /** @description id of the request, also in logs, jobs and the X-Request-Id header */
            request_id: string;
        };
        /** @description a move costs `per_move` + `per_km` × km + `per_minute` × minutes, with a `network` `per_move` + what `costs` say; staying costs nothing */
        MoveCost: {
            /** @description default: the setting `OPTIMIZATION_COST_PER_KM` */
            per_km?: number;
            /** @description default 0; needs the minutes of `travel` `stored` */
            per_minute?: number;
            /** @description default 0; the same for every move, however short */
            per_move?: number;
        };
        MoveInsight: {
            source_location: number;
            target_location: number;
            /** @description number of vehicles that the plan moves this way */
            vehicles: number;
            /** @description cost of all of them */
            cost: number;
            /** @description cost added if no vehicle may go this way; null if there is then no plan (`error_at_most` 0) or if unknown (`error_at_most` null) */
            forbidding_costs: number | null;
            /** @description where most of these vehicles go instead (the source itself: they stay); null if `forbidding_costs` is null */
            next_best_location: number | null;
            /** @description in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well */
            error_at_most: number | null;
        };
        /** @description Replaces great-circle costs. */
        Network: {
            location_ids: number[];
            /** @description `costs[i][j]` of moving one vehicle from location i to j; null forbids the move. At most 1e11 divided by the number of vehicles, so that the total stays exact: it is a sum of whole units of 0.0001, up to 1e15 of them */
            costs: (number | null)[][];
            /** @description `distances_km[i][j]`; without it `max_distance` does not apply */
            distances_km?: (number | null)[][];
        };
        Occurrence: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            due_at: string;
            /**
             * @description `job`: it made a job; `missed`: no worker was running; `overlapped`: the job of an earlier occurrence had not ended
             * @enum {string}
             */
            outcome: "job" | "missed" | "overlapped";
            /**
             * Format: date-time
             * @description when the job was stored, or the occurrence was passed over
             */
            decided_at: string;
            /** @description its job, a decision; null if it made none */
            job_id: string | null;
            /** @description null without a job, or if the job is no longer kept */
            status: ("queued" | "running" | "completed" | "failed" | "cancelled") | null;
            /** @description null until the job has ended */
            solver_status: ("optimal" | "feasible" | "infeasible" | "error") | null;
            /** @description null if there is no plan */
            plan_id: string | null;
            /** @description why there is no plan, as the answer of the job says first; else null */
            error: string | null;
        };
        OperationsFailedJob: {
            job_id: string;
            /** @enum {string} */
            kind: "optimize" | "backtest" | "decision" | "replay";
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            finished_at: string;
            attempts: number;
            /** @description the first error of its answer */
            message: string | null;
        };
        OperationsQueue: {
            /** @enum {string} */
            priority: "low" | "normal" | "high";
            jobs: number;
            /** @description age of the oldest; 0: none waits */
            oldest_seconds: number;
        };
        OperationsReport: {
            /** @description those that were seen lately; a worker that ends in order leaves at once */
            workers: components["schemas"]["OperationsWorker"][];
            /** @description jobs that wait, the highest priority first */
            queue: components["schemas"]["OperationsQueue"][];
            /** @description jobs that may wait (`QUEUE_MAX_WAITING`) */
            queue_limit: number;
            running: number;
            /** @description the longest first, 1000 at most */
            running_jobs: components["schemas"]["OperationsRunningJob"][];
            /** @description jobs by when they ended, in steps of 5 minutes up to now */
            last_hour: components["schemas"]["OperationsStep"][];
            /** @description of those that failed, the 20 accepted last */
            failed_jobs: components["schemas"]["OperationsFailedJob"][];
        };
        OperationsReportEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["OperationsReport"];
            metadata: components["schemas"]["Metadata"];
        };
        OperationsRunningJob: {
            job_id: string;
            /** @enum {string} */
            kind: "optimize" | "backtest" | "decision" | "replay";
            /** @description the worker that has claimed it */
            worker_id: string | null;
            attempt: number;
            /** @description since this attempt began */
            running_seconds: number;
            /** @description null: it has reported none yet */
            stage: string | null;
            progress: number;
        };
        OperationsStep: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            starts_at: string;
            completed: number;
            failed: number;
            cancelled: number;
            /** @description from being accepted to the first claim; null: none of them was claimed */
            median_wait_seconds: number | null;
            /** @description the wait that one in twenty of them exceeded */
            p95_wait_seconds: number | null;
        };
        OperationsWorker: {
            worker_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            started_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            last_seen_at: string;
            /** @description false: silent for longer than `JOB_LOCK_SECONDS` */
            is_alive: boolean;
            /** @description jobs that it runs at once */
            slots: number;
        };
        OptimizationRequest: {
            demand_forecast: components["schemas"]["DemandForecast"];
            fleet_state: {
                vehicles: components["schemas"]["VehicleInput"][];
            };
            constraints?: components["schemas"]["Constraints"];
            network?: components["schemas"]["Network"];
            options?: components["schemas"]["OptimizeOptions"];
        };
        OptimizationResponse: {
            /** @constant */
            status: "success";
            data: components["schemas"]["OptimizationResult"];
            metadata: components["schemas"]["OptimizeMetadata"];
        };
        OptimizationResult: {
            /** @description one item per operational vehicle, in the request's order */
            allocation_plan: components["schemas"]["AllocationPlanItem"][];
            /** @description cost of moving */
            total_cost: number;
            kpis: components["schemas"]["Kpis"];
            /** @enum {string} */
            solver_status: "optimal" | "feasible";
            /** @description with `feasible`: maximum relative distance from the best plan */
            gap?: number | null;
            /** @description every location of the problem, by ascending id; absent with `options.locations: false` */
            locations?: components["schemas"]["PlanLocation"][];
            insights?: components["schemas"]["Insights"];
            shortfall?: components["schemas"]["Shortfall"];
            stability?: components["schemas"]["Stability"];
            /** @description stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request */
            stages?: string[];
            refinement?: components["schemas"]["Refinement"];
            /** @description priority levels above 0 that have demand, the highest first; absent if there are none */
            priorities?: components["schemas"]["PriorityServed"][];
            /** @description only of a plan that looks ahead: every step */
            outlook?: components["schemas"]["OutlookStep"][];
            /** @description with `outlook`: what all steps cost, moves and unmet demand */
            horizon_cost?: number;
            /** @description with `outlook`: proved, no plan of all steps costs less */
            horizon_bound?: number;
            /** @description with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles */
            rounding_cost?: number;
        };
        OptimizeMetadata: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            /** @description version of the service */
            version: string;
            /** @description id of the request, also in logs, jobs and the X-Request-Id header */
            request_id: string;
            solve_time_ms: number;
            job_id: string;
            plan_id: string;
        };
        OptimizeOptions: {
            cost?: components["schemas"]["MoveCost"];
            /** @description kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"` */
            travel?: ("great_circle" | "stored") | {
                /** @constant */
                source: "stored";
                /** @constant */
                fallback: "great_circle";
            };
            /** @description planning demand of a location from its time steps: `peak` the largest, `mean`, `first`, `sum`, `system_peak` its demand in the step with the largest demand of all locations together, `quantile:0.9` (any number from 0 to 1) the quantile of its steps, interpolated linearly (type 7); default: `"peak"` */
            demand_aggregation?: string;
            /** @description demand is trips: a vehicle serves `capacity` × `trips_per_vehicle_hour` × `step_hours` in a step; null: it serves `capacity` in a step */
            trips_per_vehicle_hour?: number | null;
            /**
             * @description hours of a time step of demand, 1 by default; matters only with `trips_per_vehicle_hour`. A decision has its own `step_hours`
             * @enum {integer}
             */
            step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            /** @description the solver's own limit */
            time_limit_seconds?: number;
            optimality_gap?: number;
            refine?: components["schemas"]["Refine"];
            horizon?: components["schemas"]["Horizon"];
            /** @description adds `data.insights`: marginal values per location, move and constraint, each with its error; without a plan, the search for the smallest sufficient changes uses the whole time limit instead of four seconds (ten with several capacities); default: `false` */
            explain?: boolean;
            /** @description false: the answer leaves out `data.locations`, which the stored plan keeps, and what `data.outlook` says of each location; default: `true` */
            locations?: boolean;
            /** @description a stored plan: `data.stability` says how many vehicles this plan sends elsewhere than that one. Vehicles are matched by id. A vehicle that is not in that plan, or that it sends to a location that this request does not have, is free */
            previous_plan_id?: string;
            /** @description what a vehicle costs in addition that goes elsewhere than in `previous_plan_id`, stayed there but moves now, or stays now: such a change must pay for itself. 0: changes are only counted; default: `0` */
            change_cost?: number;
            /**
             * @description order among the waiting jobs; does not change the plan; default: `"normal"`
             * @enum {string}
             */
            priority?: "low" | "normal" | "high";
        };
        /** @description a step of a plan that looks ahead. With trip flows a forecast, in parts of vehicles */
        OutlookStep: {
            /** @description null if the request does not say when the first step begins */
            starts_at: string | null;
            demand: number;
            served: number;
            /** @description demand that is not served */
            unmet: number;
            /** @description vehicles that are free when the step begins, before any of them leaves */
            vehicles: number;
            /** @description all other operational vehicles */
            on_the_way: number;
            /** @description vehicles that leave when the step begins, and serve nobody until they have arrived; those that the plan itself moves have left before the first step */
            moves: {
                source_location: number;
                target_location: number;
                vehicles: number;
            }[];
            /** @description as `demand`, for each location by ascending id, in the order of `locations`; absent with `options.locations: false`, as are the two below */
            demand_by_location?: number[];
            /** @description as `unmet`, for each location */
            unmet_by_location?: number[];
            /** @description as `vehicles`, for each location */
            vehicles_by_location?: number[];
        };
        /** @description a stored plan, with everything that its answer says */
        Plan: {
            plan_id: string;
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** @enum {string} */
            solver_status: "optimal" | "feasible";
            gap: number | null;
            total_cost: number;
            kpis: components["schemas"]["Kpis"];
            vehicle_count: number;
            solve_time_ms: number;
            certificate: components["schemas"]["Certificate"];
            insights?: components["schemas"]["Insights"];
            shortfall?: components["schemas"]["Shortfall"];
            stability?: components["schemas"]["Stability"];
            /** @description stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request */
            stages?: string[];
            refinement?: components["schemas"]["Refinement"];
            /** @description priority levels above 0 that have demand, the highest first; absent if there are none */
            priorities?: components["schemas"]["PriorityServed"][];
            /** @description only of a plan that looks ahead: every step */
            outlook?: components["schemas"]["OutlookStep"][];
            /** @description with `outlook`: what all steps cost, moves and unmet demand */
            horizon_cost?: number;
            /** @description with `outlook`: proved, no plan of all steps costs less */
            horizon_bound?: number;
            /** @description with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles */
            rounding_cost?: number;
            /** @description every location of the problem, by ascending id */
            locations: components["schemas"]["PlanLocation"][];
            allocation_plan: components["schemas"]["AllocationPlanItem"][];
        };
        PlanComparison: {
            plan_id: string;
            other_plan_id: string;
            kpi_differences: components["schemas"]["KpiDifferences"];
            vehicles: {
                /** @description same source and target in both plans */
                same: number;
                different: number;
                only_in_plan: number;
                only_in_other: number;
            };
            /** @description stages of the optimization that made the plan */
            stages: string[];
            /** @description stages of the optimization that made the plan */
            other_stages: string[];
            /** @description the plan's `shortfall` without its relaxations; null if it has none */
            shortfall: components["schemas"]["ShortfallFigures"] | null;
            /** @description the plan's `shortfall` without its relaxations; null if it has none */
            other_shortfall: components["schemas"]["ShortfallFigures"] | null;
            /** @description demand by priority level, the highest first, if either plan has a level above 0; only in the answer without `cursor`. A location has the higher of its levels in the two plans, so both are asked about the same locations. All vehicles count, as in `locations` */
            priorities?: components["schemas"]["PlanLevelDifference"][];
            /** @description locations whose figures differ, by ascending id; only in the answer without `cursor` */
            locations?: components["schemas"]["PlanLocationDifference"][];
            /** @description a page of the differences, by vehicle id */
            differences: components["schemas"]["PlanDifference"][];
            next_cursor: string | null;
        };
        PlanComparisonEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["PlanComparison"];
            metadata: components["schemas"]["Metadata"];
        };
        PlanDifference: {
            vehicle_id: string;
            /** @description null if the plan has no such vehicle */
            source_location: number | null;
            /** @description null if the plan has no such vehicle */
            target_location: number | null;
            cost: number | null;
            /** @description null if the plan has no such vehicle */
            other_source_location: number | null;
            /** @description null if the plan has no such vehicle */
            other_target_location: number | null;
            other_cost: number | null;
        };
        PlanEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Plan"];
            metadata: components["schemas"]["Metadata"];
        };
        PlanLevelDifference: {
            /** @description priority level; 0 is ordinary demand */
            level: number;
            /** @description null if the plan has no location of this level */
            figures: components["schemas"]["PlanLevelFigures"] | null;
            /** @description null if the plan has no location of this level */
            other_figures: components["schemas"]["PlanLevelFigures"] | null;
        };
        /** @description sums of the locations */
        PlanLevelFigures: {
            /** @description planning demand, in the unit of the demand of the request */
            demand: number;
            /** @description demand that these vehicles serve: the smaller of demand and capacity */
            served: number;
            /** @description demand - served */
            unmet: number;
        };
        PlanList: {
            plans: components["schemas"]["PlanSummary"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        PlanListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["PlanList"];
            metadata: components["schemas"]["Metadata"];
        };
        PlanLocation: {
            location_id: number;
            /** @description as stored when the request was accepted; null with a `network`, or if unknown */
            name: string | null;
            /** @description planning demand, in the unit of the demand of the request */
            demand: number;
            /** @description operational vehicles here before the moves */
            vehicles_before: number;
            /** @description operational vehicles here after the moves */
            vehicles_after: number;
            /** @description what these vehicles can serve, in units of demand */
            capacity_after: number;
            /** @description demand that these vehicles serve: the smaller of demand and capacity */
            served: number;
            /** @description demand - served */
            unmet: number;
            /** @description priority level of the demand; only if the demand of some location has one above 0 */
            priority?: number;
        };
        PlanLocationDifference: {
            location_id: number;
            /** @description as stored when the request was accepted; null with a `network`, or if unknown */
            name: string | null;
            /** @description null if the plan has no such location */
            figures: components["schemas"]["PlanLocationFigures"] | null;
            /** @description null if the plan has no such location */
            other_figures: components["schemas"]["PlanLocationFigures"] | null;
        };
        PlanLocationFigures: {
            /** @description planning demand, in the unit of the demand of the request */
            demand: number;
            /** @description operational vehicles here before the moves */
            vehicles_before: number;
            /** @description operational vehicles here after the moves */
            vehicles_after: number;
            /** @description what these vehicles can serve, in units of demand */
            capacity_after: number;
            /** @description demand that these vehicles serve: the smaller of demand and capacity */
            served: number;
            /** @description demand - served */
            unmet: number;
            /** @description priority level of the demand; only if the demand of some location has one above 0 */
            priority?: number;
        };
        PlanMoves: {
            plan_id: string;
            /**
             * Format: date-time
             * @description when the vehicles leave
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description the time of `state`
             */
            at: string;
            /** @description of moves that stored travel has no minutes of */
            speed_kmh: number;
            /** @description by pair of locations, ordered by source, the longest move first; vehicles that stay have none */
            moves: components["schemas"]["TimedMove"][];
            /** @description of all moves of the plan, whatever `state` the request asks for */
            counts: {
                due: components["schemas"]["StateCount"];
                on_the_way: components["schemas"]["StateCount"];
                done: components["schemas"]["StateCount"];
                unknown: components["schemas"]["StateCount"];
            };
        };
        PlanMovesEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["PlanMoves"];
            metadata: components["schemas"]["Metadata"];
        };
        PlanSummary: {
            plan_id: string;
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** @enum {string} */
            solver_status: "optimal" | "feasible";
            gap: number | null;
            total_cost: number;
            kpis: components["schemas"]["Kpis"];
            vehicle_count: number;
            solve_time_ms: number;
        };
        PriorityServed: {
            /** @description priority level, above 0 */
            level: number;
            /** @description planning demand of this level */
            demand: number;
            /** @description demand of this level that the plan serves, with at most `total_fleet_size` vehicles */
            served: number;
            /** @description proved: no plan that keeps all constraints and serves as much of the higher levels serves more of this one. With `solver_status` `optimal` it exceeds `served` by at most a tenth of `optimality_gap`, relative, or by 0.000001 of all planning demand */
            served_at_most: number;
        };
        ReadinessReport: {
            ready: boolean;
            checks: {
                /** @constant */
                database: "up";
                /**
                 * @description without it jobs are refused with 503, and all else is served
                 * @enum {string}
                 */
                queue: "up" | "down";
            };
        };
        ReadinessReportEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ReadinessReport"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description rules about pairs of locations. A pair is used if vehicles move from the one location to the other, however many and of whatever capacity. The stage `milp_refinement` turns the cheapest plan into one that keeps the rules */
        Refine: {
            /** @description fewest vehicles of a pair that is used */
            min_vehicles_per_move?: number;
            /** @description of each pair that is used, beside `total_cost`; the plan minimizes the sum of both */
            cost_per_pair?: number;
            /** @description most pairs that are used */
            max_pairs?: number;
            /** @description most pairs that are used from a location */
            max_moves_from?: number;
        };
        /** @description only with rules in `options.refine` */
        Refinement: {
            /** @description pairs of locations that vehicles move between */
            pairs: number;
            /** @description as requested, rounded up to 0.0001; 0 if it was not */
            cost_per_pair: number;
            /** @description pairs × cost_per_pair: part of what the plan minimizes, not of `total_cost` */
            pair_cost: number;
            /** @description pairs of the plan that `cost_without` belongs to */
            pairs_without: number | null;
            /** @description `total_cost` of the cheapest plan without the rules, to the requested gap: the plan that this one started from, in a plan that looks ahead the cheapest of all steps in whole first moves. null: there was no time for it */
            cost_without: number | null;
        };
        Removal: {
            removed: components["schemas"]["RemovedCounts"];
        };
        RemovalEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Removal"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description rows that were deleted */
        RemovedCounts: {
            locations: number;
            vehicles: number;
            observations: number;
            events: number;
            /** @description pairs of locations */
            travel: number;
            /** @description rows of counted trips */
            trip_flows: number;
        };
        RemovedSchedule: {
            schedule_id: string;
        };
        RemovedScheduleEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["RemovedSchedule"];
            metadata: components["schemas"]["Metadata"];
        };
        RemovedWebhook: {
            webhook_id: string;
        };
        RemovedWebhookEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["RemovedWebhook"];
            metadata: components["schemas"]["Metadata"];
        };
        Replay: {
            replay_id: string;
            /** Format: date */
            from: string;
            /**
             * Format: date
             * @description the local day after the last
             */
            to: string;
            /**
             * Format: date-time
             * @description first hour
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description end of the last hour
             */
            ends_at: string;
            /** @description of the local days */
            time_zone: string;
            locations: number;
            fleet_size: number;
            trips_per_vehicle_hour: number;
            unmet_demand_cost: number;
            /**
             * @description `none` also where none are stored
             * @enum {string}
             */
            trip_flows: "stored" | "none";
            /** @description observed trips */
            demand: number;
            /** @description of a location, each counted; a replay has no trips there in that hour */
            hours_not_observed: number;
            /** @description no policy has a smaller `objective` with expected trip ends: proved; null if not asked for, or not found in time */
            bound: number | null;
            location_ids: number[];
            /** @description trips of each hour from `starts_at` on */
            demand_by_hour: number[];
            /** @description in the order of `location_ids` */
            demand_by_location: number[];
            /** @description trips, for each hour those of all locations, to a thousandth; null if hours × locations × (1 + policies) exceed 200000 */
            demand_by_hour_and_location: number[][] | null;
            policies: components["schemas"]["ReplayedPolicy"][];
        };
        ReplayComparison: {
            replay_id: string;
            other_replay_id: string;
            /** @description what was replayed differently; figures of different periods, fleets or prices say little together */
            differs_in: string[];
            /** @description by name, those of this replay first; expected trip ends */
            policies: {
                name: string;
                /** @description null if only one of them has the policy */
                other_minus_this: {
                    /** @description trips */
                    served: number;
                    /** @description trips */
                    lost: number;
                    /** @description served of all trips; 1 without any */
                    served_share: number;
                    /** @description vehicles that moved, each time counted */
                    moves: number;
                    km: number;
                    /** @description of moving */
                    minutes: number;
                    /** @description of moving */
                    cost: number;
                    /** @description trips served, of those that all vehicles could serve */
                    utilization: number;
                    /** @description `cost` and the price of lost trips */
                    objective: number;
                    /** @description in which a plan was due and no plan kept the constraints, so that nobody moved */
                    hours_without_plan: number;
                } | null;
            }[];
        };
        ReplayComparisonEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ReplayComparison"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description of each plan, as in an optimization, with `shortage` `serve_most` by default. `unmet_demand_cost` is what its plans take for the price of a lost trip, instead of that of the replay. In an hour in which no plan keeps them, nobody moves (`hours_without_plan`) */
        ReplayConstraints: {
            /** @description maximum km that a vehicle moves */
            max_distance?: number;
            /** @description share of planning demand to serve */
            min_service_level?: number;
            /** @description limit of the total cost of the plan; null lifts it */
            max_rebalancing_cost?: number | null;
            /** @description fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem */
            min_vehicles_per_location?: number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /** @description most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem */
            max_vehicles_per_location?: number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /** @description priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem */
            priorities?: {
                default?: number;
            } & {
                [key: string]: number;
            };
            /** @description maximum number of serving vehicles */
            total_fleet_size?: number;
            /** @description what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone */
            unmet_demand_cost?: null | number | ({
                default?: number;
            } & {
                [key: string]: number;
            });
            /**
             * @description if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions
             * @enum {string}
             */
            shortage?: "fail" | "serve_most";
        };
        ReplayCsv: string;
        ReplayEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Replay"];
            metadata: components["schemas"]["Metadata"];
        };
        ReplayList: {
            replays: components["schemas"]["ReplaySummary"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        ReplayListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ReplayList"];
            metadata: components["schemas"]["Metadata"];
        };
        ReplayMetadata: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            /** @description version of the service */
            version: string;
            /** @description id of the request, also in logs, jobs and the X-Request-Id header */
            request_id: string;
            job_id: string;
        };
        /** @description of each plan, as in an optimization */
        ReplayOptions: {
            /** @description what its plans take a move to cost, instead of `cost` of the replay, which stays the default of each rate and what `cost` and `objective` count */
            cost?: components["schemas"]["MoveCost"];
            /** @description of each plan; default: `0.001` */
            optimality_gap?: number;
            /** @description of `nightly`: what a plan takes of the hours of the day ahead, as in a decision; not `sum`; default: `"system_peak"` */
            demand_aggregation?: string;
            /** @description of `nightly` and `static`: rules about pairs of locations, as in an optimization */
            refine?: components["schemas"]["Refine"];
        };
        ReplayPolicyInput: {
            /** @description letters, digits, `.`, `_` and `-`; default: mode, hours and demand, as in `horizon-6-upper`. No two policies have the same */
            name?: string;
            /**
             * @description `none`: nobody moves; `nightly`: a plan in the `night_hour` for the busiest hour of the day ahead; `static`: plans for the hour that follows; `horizon`: plans that look `horizon_hours` ahead
             * @enum {string}
             */
            mode: "none" | "nightly" | "static" | "horizon";
            /**
             * @description what plans take for the demand ahead: the forecast made as of their hour; the upper end of its interval; `spread`, of `horizon`: the forecast, with the chances that its interval gives to more and to less; or `observed`: what came to pass, which nobody knows in time; default: `"mean"`
             * @enum {string}
             */
            demand?: "mean" | "upper" | "spread" | "observed";
            /** @description of the interval whose upper end `upper` plans for; default: `0.95` */
            confidence_level?: number;
            /** @description of `horizon`: hours of a plan, with the one in which it is made; default: `6` */
            horizon_hours?: number;
            /**
             * @description of `horizon`: hours of a step, of which `horizon_hours` has at least two; default: `1`
             * @enum {integer}
             */
            step_hours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
            /** @description of `static` and `horizon`; default: `1` */
            replan_every_hours?: number;
            constraints?: components["schemas"]["ReplayConstraints"];
            options?: components["schemas"]["ReplayOptions"];
        };
        ReplayRequest: {
            /**
             * Format: date
             * @description first local day of the period
             */
            from: string;
            /**
             * Format: date
             * @description first local day after the period, at most 31 days after `from`
             */
            to: string;
            /** @description default: all active locations; at most 300 */
            location_ids?: number[];
            /** @description `stored`: the operational vehicles at these locations, where they are; or `{"size": 800}`: so many, placed in proportion to the mean demand before the period; default: `"stored"` */
            fleet?: "stored" | {
                size: number;
            };
            /** @description trips that a vehicle serves in an hour; all vehicles are alike */
            trips_per_vehicle_hour: number;
            /** @description what a lost trip costs, in the money of moves */
            unmet_demand_cost: number;
            cost?: components["schemas"]["MoveCost"];
            /** @description kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"` */
            travel?: ("great_circle" | "stored") | {
                /** @constant */
                source: "stored";
                /** @constant */
                fallback: "great_circle";
            };
            /** @description of moves whose minutes are not known; default: `20` */
            speed_kmh?: number;
            /**
             * @description where trips end: as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where they served; default: `"stored"`
             * @enum {string}
             */
            trip_flows?: "stored" | "none";
            /** @description local hour in which `nightly` plans; default: `4` */
            night_hour?: number;
            policies: components["schemas"]["ReplayPolicyInput"][];
            /** @description for each of them a replay of every policy with whole vehicles and drawn trip ends, beside the one with expected ends; default: `[]` */
            seeds?: number[];
            /** @description whether to prove what no policy can do better than; default: `true` */
            bound?: boolean;
            options?: {
                /**
                 * @description default: `"normal"`
                 * @enum {string}
                 */
                priority?: "low" | "normal" | "high";
                /** @description a replay that takes longer fails; default: `900` */
                time_limit_seconds?: number;
            };
        };
        ReplayResponse: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Replay"];
            metadata: components["schemas"]["ReplayMetadata"];
        };
        ReplaySummary: {
            replay_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: date */
            from: string;
            /**
             * Format: date
             * @description the local day after the last
             */
            to: string;
            /**
             * Format: date-time
             * @description first hour
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description end of the last hour
             */
            ends_at: string;
            /** @description of the local days */
            time_zone: string;
            locations: number;
            fleet_size: number;
            trips_per_vehicle_hour: number;
            unmet_demand_cost: number;
            /**
             * @description `none` also where none are stored
             * @enum {string}
             */
            trip_flows: "stored" | "none";
            /** @description observed trips */
            demand: number;
            /** @description of a location, each counted; a replay has no trips there in that hour */
            hours_not_observed: number;
            /** @description no policy has a smaller `objective` with expected trip ends: proved; null if not asked for, or not found in time */
            bound: number | null;
            /** @description expected trip ends */
            policies: {
                name: string;
                /** @enum {string} */
                mode: "none" | "nightly" | "static" | "horizon";
                /** @enum {string} */
                demand: "mean" | "upper" | "spread" | "observed";
                /** @description of `upper`, else null */
                confidence_level: number | null;
                /** @description of `horizon`, else null */
                horizon_hours: number | null;
                /** @description of `horizon`, else null */
                step_hours: number | null;
                replan_every_hours: number;
                constraints?: components["schemas"]["ReplayConstraints"];
                options?: components["schemas"]["ReplayOptions"];
                /** @description trips */
                served: number;
                /** @description trips */
                lost: number;
                /** @description served of all trips; 1 without any */
                served_share: number;
                /** @description vehicles that moved, each time counted */
                moves: number;
                km: number;
                /** @description of moving */
                minutes: number;
                /** @description of moving */
                cost: number;
                /** @description trips served, of those that all vehicles could serve */
                utilization: number;
                /** @description `cost` and the price of lost trips */
                objective: number;
                /** @description in which a plan was due and no plan kept the constraints, so that nobody moved */
                hours_without_plan: number;
            }[];
        };
        ReplayedPolicy: {
            name: string;
            /** @enum {string} */
            mode: "none" | "nightly" | "static" | "horizon";
            /** @enum {string} */
            demand: "mean" | "upper" | "spread" | "observed";
            /** @description of `upper`, else null */
            confidence_level: number | null;
            /** @description of `horizon`, else null */
            horizon_hours: number | null;
            /** @description of `horizon`, else null */
            step_hours: number | null;
            replan_every_hours: number;
            constraints?: components["schemas"]["ReplayConstraints"];
            options?: components["schemas"]["ReplayOptions"];
            /** @description trips */
            served: number;
            /** @description trips */
            lost: number;
            /** @description served of all trips; 1 without any */
            served_share: number;
            /** @description vehicles that moved, each time counted */
            moves: number;
            km: number;
            /** @description of moving */
            minutes: number;
            /** @description of moving */
            cost: number;
            /** @description trips served, of those that all vehicles could serve */
            utilization: number;
            /** @description `cost` and the price of lost trips */
            objective: number;
            /** @description in which a plan was due and no plan kept the constraints, so that nobody moved */
            hours_without_plan: number;
            /** @description trips beyond those of the first policy in which nobody moves, by km; null without such a policy or without km */
            extra_trips_per_km: number | null;
            /** @description in the order of `seeds` */
            drawn: components["schemas"]["DrawnReplay"][];
            /** @description expected trip ends, as all figures but `drawn` */
            served_by_hour: number[];
            /** @description vehicles that leave */
            moves_by_hour: number[];
            served_by_location: number[];
            /** @description trips, for each hour those of all locations; null as `demand_by_hour_and_location` is */
            lost_by_hour_and_location: number[][] | null;
        };
        RiskRequest: {
            vehicles: components["schemas"]["RiskVehicle"][];
        };
        RiskScoreList: {
            risk_scores: components["schemas"]["VehicleRisk"][];
        };
        RiskScoreListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["RiskScoreList"];
            metadata: components["schemas"]["Metadata"];
        };
        RiskVehicle: {
            id: string;
            age_days: number;
            utilization_rate: number;
            days_since_maintenance: number;
        };
        Schedule: {
            schedule_id: string;
            /** @description no two schedules have the same */
            name: string;
            /** @description minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough */
            cron: string;
            /**
             * Format: time-zone
             * @description IANA time zone, for example America/New_York
             */
            time_zone: string;
            /** @enum {string} */
            missed: "run_last" | "skip";
            paused: boolean;
            /** @description the next occurrence; null while it is paused */
            next_at: string | null;
            /** @description only if the service paused it: its owner has lost the rights that it needs */
            paused_because?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            /** @description the next five occurrences; none while it is paused */
            upcoming: string[];
            /** @description the last twenty, newest first */
            occurrences: components["schemas"]["Occurrence"][];
            /** @description the body of each decision */
            decision: components["schemas"]["DecisionRequest"];
        };
        ScheduleEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Schedule"];
            metadata: components["schemas"]["Metadata"];
        };
        ScheduleList: {
            schedules: components["schemas"]["ScheduleSummary"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        ScheduleListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ScheduleList"];
            metadata: components["schemas"]["Metadata"];
        };
        SchedulePatch: {
            /** @description no two schedules have the same */
            name?: string;
            /** @description minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough */
            cron?: string;
            /**
             * Format: time-zone
             * @description IANA time zone, for example America/New_York
             */
            time_zone?: string;
            /**
             * @description what happens to occurrences that were missed: `run_last` makes up for the last of them, `skip` for none; default: `"run_last"`
             * @enum {string}
             */
            missed?: "run_last" | "skip";
            /** @description true: it has no occurrences; default: `false` */
            paused?: boolean;
            /** @description the body of `POST /api/v1/decisions`; `"last"` as `options.previous_plan_id` is the newest plan of the schedule, `"now"` as `start_at` the time of the occurrence; at most 1,000,000 bytes: without `fleet_state` the stored fleet counts, as it is at each occurrence */
            decision?: components["schemas"]["DecisionRequest"];
        };
        ScheduleRequest: {
            /** @description no two schedules have the same */
            name: string;
            /** @description minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough */
            cron: string;
            /**
             * Format: time-zone
             * @description IANA time zone, for example America/New_York
             */
            time_zone: string;
            /**
             * @description what happens to occurrences that were missed: `run_last` makes up for the last of them, `skip` for none; default: `"run_last"`
             * @enum {string}
             */
            missed?: "run_last" | "skip";
            /** @description true: it has no occurrences; default: `false` */
            paused?: boolean;
            /** @description the body of `POST /api/v1/decisions`; `"last"` as `options.previous_plan_id` is the newest plan of the schedule, `"now"` as `start_at` the time of the occurrence; at most 1,000,000 bytes: without `fleet_state` the stored fleet counts, as it is at each occurrence */
            decision: components["schemas"]["DecisionRequest"];
        };
        ScheduleSummary: {
            schedule_id: string;
            /** @description no two schedules have the same */
            name: string;
            /** @description minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough */
            cron: string;
            /**
             * Format: time-zone
             * @description IANA time zone, for example America/New_York
             */
            time_zone: string;
            /** @enum {string} */
            missed: "run_last" | "skip";
            paused: boolean;
            /** @description the next occurrence; null while it is paused */
            next_at: string | null;
            /** @description only if the service paused it: its owner has lost the rights that it needs */
            paused_because?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        ServiceConfiguration: {
            forecasting: {
                model: string;
                horizon_days: number;
            };
            optimization: {
                solver: string;
                /** @description stages that run for every request */
                stages: string[];
                /** @description all stages, in their order; `data.stages` of an answer names those that ran */
                available_stages: string[];
            };
            features: {
                enable_caching: boolean;
                enable_risk_scoring: boolean;
            };
        };
        ServiceConfigurationEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ServiceConfiguration"];
            metadata: components["schemas"]["Metadata"];
        };
        ServiceInformation: {
            name: string;
            version: string;
            description: string;
            links: {
                [key: string]: string;
            };
        };
        ServiceInformationEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["ServiceInformation"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description only with `shortage` `serve_most`, and only if `min_service_level` is not reached */
        Shortfall: {
            /** @description service level of the request */
            requested: number;
            /** @description service level of this plan: the highest that was found */
            reached: number;
            /** @description proved: no plan reaches more, or with priorities no plan that serves them as well. With `solver_status` `optimal` it exceeds `reached` by at most a tenth of `optimality_gap`, relative, or by 0.000001 */
            reached_at_most: number;
            /** @description planning demand that this plan does not serve */
            unserved: number;
            /** @description the fewest further vehicles of the most common capacity with which the requested level is reached, to `optimality_gap`; null if they do not help, or if the fewest were not found in time: the relaxation of `supply` then has a number that is sufficient, if one is known */
            missing_vehicles: number | null;
            /** @description what would make the requested level possible: the same as the errors of a 422 answer */
            relaxations: components["schemas"]["SufficientChange"][];
        };
        ShortfallFigures: {
            /** @description service level of the request */
            requested: number;
            /** @description service level of this plan: the highest that was found */
            reached: number;
            /** @description proved: no plan reaches more, or with priorities no plan that serves them as well. With `solver_status` `optimal` it exceeds `reached` by at most a tenth of `optimality_gap`, relative, or by 0.000001 */
            reached_at_most: number;
            /** @description planning demand that this plan does not serve */
            unserved: number;
            /** @description the fewest further vehicles of the most common capacity with which the requested level is reached, to `optimality_gap`; null if they do not help, or if the fewest were not found in time: the relaxation of `supply` then has a number that is sufficient, if one is known */
            missing_vehicles: number | null;
        };
        /** @description only with `options.previous_plan_id` */
        Stability: {
            /** @description vehicles that this plan sends elsewhere than `previous_plan_id` does, by id */
            changed_vehicles: number;
            /** @description vehicles that have a target in that plan which is a location of this one; the others are new, or their target is no longer planned, and they never count as changed */
            compared_vehicles: number;
            /** @description of the changed vehicles, those that cannot go to their previous target: it is beyond `max_distance` or forbidden from where they are now, or they are pinned elsewhere */
            unreachable_vehicles: number;
            /** @description `options.change_cost`, rounded up to 0.0001, for each of them; not part of `total_cost` */
            change_cost: number;
            /** @description `total_cost` of the cheapest plan without `change_cost`, so stability costs `total_cost` - `cost_without` of moving (with `unmet_demand_cost` or `refine.cost_per_pair` moving may even cost less); null if time was up before that plan was proved within `optimality_gap`, and in a plan that looks ahead */
            cost_without: number | null;
        };
        StateCount: {
            moves: number;
            vehicles: number;
        };
        SufficientChange: {
            /** @description null: several constraints together, which are in `together` */
            constraint: ("min_service_level" | "max_distance" | "max_rebalancing_cost" | "min_vehicles_per_location" | "max_vehicles_per_location" | "total_fleet_size" | "min_vehicles_per_move" | "max_pairs" | "max_moves_from" | "network" | "supply") | null;
            /** @description as requested; for `supply` the operational vehicles */
            value: number | null;
            /** @description the value nearest to it that suffices, all else unchanged; null if none does or none is known */
            relaxation: number | null;
            /** @description whether no nearer value suffices, with `by_location` no smaller change in total; with null: that none does */
            proved: boolean;
            /** @description only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them */
            by_location?: {
                [key: string]: number;
            };
            /** @description only with `constraint` null: the changes that suffice together */
            together?: {
                /** @enum {string} */
                constraint: "min_service_level" | "max_distance" | "max_rebalancing_cost" | "min_vehicles_per_location" | "max_vehicles_per_location" | "total_fleet_size" | "min_vehicles_per_move" | "max_pairs" | "max_moves_from" | "network" | "supply";
                /** @description the value to set; for `supply` that many operational vehicles */
                relaxation: number;
                /** @description only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them */
                by_location?: {
                    [key: string]: number;
                };
            }[];
            message: string;
        };
        TimedMove: {
            source_location: number;
            /** @description null if the request had a network */
            source_name: string | null;
            target_location: number;
            /** @description null if the request had a network */
            target_name: string | null;
            vehicles: number;
            /** @description distance between the two locations; null if unknown */
            distance_km: number | null;
            /** @description those of stored travel, else by `speed_kmh`; null if the distance is unknown, too */
            duration_minutes: number | null;
            /** @description cost of all these vehicles */
            cost: number;
            vehicle_ids: string[];
            /** @description null if the minutes are unknown */
            arrives_at: string | null;
            /**
             * @description `due`: not yet gone; `on_the_way`; `done`: arrived; `unknown`: gone, and the minutes of the move are unknown
             * @enum {string}
             */
            state: "due" | "on_the_way" | "done" | "unknown";
        };
        TravelList: {
            travel: components["schemas"]["TravelPair"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        TravelListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["TravelList"];
            metadata: components["schemas"]["Metadata"];
        };
        TravelPair: {
            from_location_id: number;
            to_location_id: number;
            distance_km: number;
            duration_minutes: number;
        };
        TravelUpload: {
            travel: components["schemas"]["TravelPair"][];
        };
        TripFlow: {
            from_location_id: number;
            to_location_id: number;
            /** @description number of trips that were counted */
            trips: number;
            /** @description hour in which the trips began, on the clock of the plan: 0 is Monday from 0:00 to 1:00, 167 the last hour of Sunday; absent: all hours for which the first location has no rows */
            hour_of_week?: number;
        };
        TripFlowList: {
            trip_flows: components["schemas"]["TripFlow"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor?: string | null;
        };
        TripFlowListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["TripFlowList"];
            metadata: components["schemas"]["Metadata"];
        };
        TripFlowUpload: {
            trip_flows: components["schemas"]["TripFlow"][];
        };
        /** @description `removed` only if the whole set was replaced */
        UpsertCounts: {
            created: number;
            updated: number;
            removed?: components["schemas"]["RemovedCounts"];
        };
        UpsertCountsEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["UpsertCounts"];
            metadata: components["schemas"]["Metadata"];
        };
        /** @description A vehicle: `id` and `location`, or `vehicle_id` and `location_id` as GET /api/v1/data/fleet returns them. The plan does not depend on its dates and utilization. */
        VehicleInput: {
            id?: string;
            vehicle_id?: string;
            location?: number;
            location_id?: number;
            /** @description default: `constraints.capacity_per_vehicle` */
            capacity?: number;
            /**
             * @description default: `"operational"`
             * @enum {string}
             */
            status?: "operational" | "maintenance" | "downtime";
            /** @description the vehicle stays where it is, and serves there; default: `false` */
            pinned?: boolean;
            /**
             * Format: date-time
             * @description the vehicle is on its way to `location`, and free there from this time on. If it is not free when the first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any other plan has it as if it were `pinned` there, whatever the time
             */
            available_at?: string;
            /**
             * Format: date
             * @description day from which the age of the vehicle counts
             */
            acquired_on?: string;
            /**
             * Format: date
             * @description day of its last maintenance
             */
            last_maintenance_on?: string;
            /** @description share of time in use */
            utilization_rate?: number;
        };
        VehicleRisk: {
            vehicle_id: string;
            risk_score: number;
            /** @enum {string} */
            risk_category: "low" | "medium" | "high";
            factors: {
                age_contribution: number;
                utilization_contribution: number;
                maintenance_contribution: number;
            };
        };
        Webhook: {
            webhook_id: string;
            url: string;
            events: ("job.completed" | "job.failed" | "decision.completed" | "worker.lost")[];
            description: string;
            active: boolean;
            /** @description why the service switched it off; null if it did not; `active: true` switches it on again */
            switched_off_because: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        WebhookDelivery: {
            /** @description the `webhook-id` of every attempt */
            delivery_id: string;
            /** @enum {string} */
            type: "job.completed" | "job.failed" | "decision.completed" | "worker.lost";
            /** @description `opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is */
            job_id: string;
            /**
             * @description `waiting`: for its next attempt, at `next_at`; `delivered`: answered with 2xx; `dead`: given up, can be resent
             * @enum {string}
             */
            status: "waiting" | "delivered" | "dead";
            attempts: number;
            /**
             * Format: date-time
             * @description when the event happened
             */
            created_at: string;
            /** @description the next attempt, or when one that is running is taken over; null at the end */
            next_at: string | null;
            /** @description null while it waits */
            ended_at: string | null;
            /** @description null before the first */
            last_attempt_at: string | null;
            /** @description of the last answer; null without one */
            last_http_status: number | null;
            /** @description the first 1000 characters of the last answer */
            last_answer: string | null;
            /** @description why the last attempt failed; null if it did not */
            last_error: string | null;
        };
        WebhookDeliveryEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["WebhookDelivery"];
            metadata: components["schemas"]["Metadata"];
        };
        WebhookEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["Webhook"];
            metadata: components["schemas"]["Metadata"];
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
            /** @description cursor of the next page; null at the end of the list */
            next_cursor: string | null;
        };
        WebhookListEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["WebhookList"];
            metadata: components["schemas"]["Metadata"];
        };
        WebhookPatch: {
            /** @description where events are sent; `https`, or `http` to networks of the setting WEBHOOK_ALLOWED_NETWORKS */
            url?: string;
            /** @description the types of events that are sent */
            events?: ("job.completed" | "job.failed" | "decision.completed" | "worker.lost")[];
            description?: string;
            /** @description false: events are not noted for it, and what waits is not sent; default: `true` */
            active?: boolean;
        };
        WebhookRequest: {
            /** @description where events are sent; `https`, or `http` to networks of the setting WEBHOOK_ALLOWED_NETWORKS */
            url: string;
            /** @description the types of events that are sent */
            events: ("job.completed" | "job.failed" | "decision.completed" | "worker.lost")[];
            description?: string;
            /** @description false: events are not noted for it, and what waits is not sent; default: `true` */
            active?: boolean;
        };
        WebhookWithSecret: {
            webhook_id: string;
            url: string;
            events: ("job.completed" | "job.failed" | "decision.completed" | "worker.lost")[];
            description: string;
            active: boolean;
            /** @description why the service switched it off; null if it did not; `active: true` switches it on again */
            switched_off_because: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            /** @description signs what is sent; not shown again */
            secret: string;
        };
        WebhookWithSecretEnvelope: {
            /** @constant */
            status: "success";
            data: components["schemas"]["WebhookWithSecret"];
            metadata: components["schemas"]["Metadata"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_service: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description name, version and links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInformationEnvelope"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description all well */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReportEnvelope"];
                };
            };
        };
    };
    get_liveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description it runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LivenessReportEnvelope"];
                };
            };
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description it can serve requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessReportEnvelope"];
                };
            };
        };
    };
    get_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the configuration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceConfigurationEnvelope"];
                };
            };
        };
    };
    get_operations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as of now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsReportEnvelope"];
                };
            };
        };
    };
    optimize: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`, `wait=N` (RFC 7240) */
                prefer?: string;
                /** @description the same key and body return the same job and answer until the key expires */
                "idempotency-key"?: string;
                /** @description name of the client: addresses take turns, and so do the clients of an address; 1 to 128 visible ASCII characters */
                "x-client-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OptimizationRequest"];
            };
        };
        responses: {
            /** @description the plan */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationResponse"];
                };
            };
            /** @description accepted; the job continues, and `Location` is its path */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJobEnvelope"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobEnvelope"];
                };
            };
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobEnvelope"];
                };
            };
            /** @description the job is still being stopped; it will end as `cancelled` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobEnvelope"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                kind?: "optimize" | "backtest" | "decision" | "replay";
                status?: "queued" | "running" | "completed" | "failed" | "cancelled";
                solver_status?: "optimal" | "feasible" | "infeasible" | "error";
                /** @description only jobs that this schedule made */
                schedule_id?: string;
                /** @description created at this time or later */
                created_after?: string;
                /** @description created before this time */
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobListEnvelope"];
                };
            };
        };
    };
    get_job_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the request of the job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRequestEnvelope"];
                };
            };
        };
    };
    list_plans: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description created at this time or later */
                created_after?: string;
                /** @description created before this time */
                created_before?: string;
                /** @description least `demand_coverage` */
                min_coverage?: number;
                /** @description largest `total_cost` */
                max_cost?: number;
                location_id?: number;
                /** @description only plans that this schedule made */
                schedule_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of plans */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanListEnvelope"];
                };
            };
        };
    };
    get_plan: {
        parameters: {
            query?: {
                /** @description with `Accept: text/csv`: `vehicles`; `moves`, a work list: the moves by pair of locations; or `locations`; default: `"vehicles"` */
                part?: "vehicles" | "moves" | "locations";
                /** @description with `Accept: text/csv`: `true` quotes every text and prefixes an apostrophe to those that a spreadsheet would read as a formula (first character `=`, `+`, `-`, `@`, a tab or a line break). Numbers stay numbers. The text begins with a byte order mark, so that letters such as ü are read right. Without it, texts are as stored */
                spreadsheet?: boolean;
            };
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the plan */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanEnvelope"];
                    "text/csv": string;
                };
            };
        };
    };
    compare_plans: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                plan_id: string;
                other_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the comparison */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanComparisonEnvelope"];
                };
            };
        };
    };
    list_plan_moves: {
        parameters: {
            query?: {
                /** @description the time to tell the states of; default: now */
                at?: string;
                /** @description when the vehicles leave; default: when the plan was stored */
                starts_at?: string;
                /** @description for moves that stored travel has no minutes of; default: that of the plan, 20 unless it said otherwise */
                speed_kmh?: number;
                /** @description only moves in this state */
                state?: "due" | "on_the_way" | "done" | "unknown";
            };
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the moves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanMovesEnvelope"];
                };
            };
        };
    };
    forecast_demand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForecastRequest"];
            };
        };
        responses: {
            /** @description the forecasts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForecastDataEnvelope"];
                };
            };
        };
    };
    backtest_forecast: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`, `wait=N` (RFC 7240) */
                prefer?: string;
                /** @description the same key and body return the same job and answer until the key expires */
                "idempotency-key"?: string;
                /** @description name of the client: addresses take turns, and so do the clients of an address; 1 to 128 visible ASCII characters */
                "x-client-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BacktestRequest"];
            };
        };
        responses: {
            /** @description the figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BacktestResponse"];
                };
            };
            /** @description accepted; the job continues, and `Location` is its path */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJobEnvelope"];
                };
            };
        };
    };
    list_decisions: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of decisions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionListEnvelope"];
                };
            };
        };
    };
    make_decision: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`, `wait=N` (RFC 7240) */
                prefer?: string;
                /** @description the same key and body return the same job and answer until the key expires */
                "idempotency-key"?: string;
                /** @description name of the client: addresses take turns, and so do the clients of an address; 1 to 128 visible ASCII characters */
                "x-client-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description the decision with its plan */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionResponse"];
                };
            };
            /** @description accepted; the job continues, and `Location` is its path */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJobEnvelope"];
                };
            };
        };
    };
    get_decision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                decision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionEnvelope"];
                };
            };
        };
    };
    list_schedules: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of schedules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleListEnvelope"];
                };
            };
        };
    };
    create_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleRequest"];
            };
        };
        responses: {
            /** @description the schedule */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleEnvelope"];
                };
            };
        };
    };
    get_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleEnvelope"];
                };
            };
        };
    };
    delete_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deleted schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedScheduleEnvelope"];
                };
            };
        };
    };
    change_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePatch"];
            };
        };
        responses: {
            /** @description the schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleEnvelope"];
                };
            };
        };
    };
    list_replays: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of replays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayListEnvelope"];
                };
            };
        };
    };
    create_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async`, `wait=N` (RFC 7240) */
                prefer?: string;
                /** @description the same key and body return the same job and answer until the key expires */
                "idempotency-key"?: string;
                /** @description name of the client: addresses take turns, and so do the clients of an address; 1 to 128 visible ASCII characters */
                "x-client-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description the figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResponse"];
                };
            };
            /** @description accepted; the job continues, and `Location` is its path */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJobEnvelope"];
                };
            };
        };
    };
    get_replay: {
        parameters: {
            query?: {
                /** @description with `Accept: text/csv`: `policies`, the table; `hours`, `locations` and `locations_by_hour`, the series of each policy; default: `"policies"` */
                part?: "policies" | "hours" | "locations" | "locations_by_hour";
                /** @description with `Accept: text/csv`: `true` quotes every text and prefixes an apostrophe to those that a spreadsheet would read as a formula (first character `=`, `+`, `-`, `@`, a tab or a line break). Numbers stay numbers. The text begins with a byte order mark, so that letters such as ü are read right. Without it, texts are as stored */
                spreadsheet?: boolean;
            };
            header?: never;
            path: {
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayEnvelope"];
                    "text/csv": components["schemas"]["ReplayCsv"];
                };
            };
        };
    };
    compare_replays: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                replay_id: string;
                other_replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the comparison */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayComparisonEnvelope"];
                };
            };
        };
    };
    list_locations: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the locations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationListEnvelope"];
                };
            };
        };
    };
    put_locations: {
        parameters: {
            query?: {
                /** @description true: the body is the whole set, and rows that it does not contain are deleted; default false */
                replace?: boolean;
                /** @description with `replace`: also deletes the vehicles, observations, events, travel and trip flows of those locations; default false */
                cascade?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    list_fleet: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description only vehicles with this status */
                status?: "operational" | "maintenance" | "downtime";
                location_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the fleet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetListEnvelope"];
                };
            };
        };
    };
    put_fleet: {
        parameters: {
            query?: {
                /** @description true: the body is the whole set, and rows that it does not contain are deleted; default false */
                replace?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    delete_vehicle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vehicle_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description number of rows deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalEnvelope"];
                };
            };
        };
    };
    change_vehicle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vehicle_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["FleetVehiclePatch"];
            };
        };
        responses: {
            /** @description the vehicle */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetVehicleEnvelope"];
                };
            };
        };
    };
    list_demand: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description only observations of this location */
                location_id?: number;
                /** @description only hours that begin at this time or later; ISO 8601 with offset */
                from?: string;
                /** @description only hours that begin before this time; ISO 8601 with offset */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the observations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemandListEnvelope"];
                    "text/csv": string;
                };
            };
        };
    };
    add_demand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DemandUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    delete_demand: {
        parameters: {
            query?: {
                /** @description only observations of this location */
                location_id?: number;
                /** @description only hours that begin at this time or later; ISO 8601 with offset */
                from?: string;
                /** @description only hours that begin before this time; ISO 8601 with offset */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description number of rows deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalEnvelope"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description only events of this kind */
                kind?: string;
                /** @description only events of this location or of all locations */
                location_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventListEnvelope"];
                };
            };
        };
    };
    put_events: {
        parameters: {
            query?: {
                /** @description true: the body is the whole set, and rows that it does not contain are deleted; default false */
                replace?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    list_travel: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description only travel that begins here */
                from_location_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the pairs of locations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TravelListEnvelope"];
                    "text/csv": string;
                };
            };
        };
    };
    put_travel: {
        parameters: {
            query?: {
                /** @description true: the body is the whole set, and rows that it does not contain are deleted; default false */
                replace?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TravelUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    list_trip_flows: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
                /** @description only trips that begin here */
                from_location_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the counted trips */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TripFlowListEnvelope"];
                    "text/csv": string;
                };
            };
        };
    };
    put_trip_flows: {
        parameters: {
            query?: {
                /** @description true: the body is the whole set, and rows that it does not contain are deleted; default false */
                replace?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TripFlowUpload"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description all rows existed and were replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
            /** @description at least one row was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertCountsEnvelope"];
                };
            };
        };
    };
    delete_location: {
        parameters: {
            query?: {
                /** @description true: the vehicles, observations, events, travel and trip flows of the location are deleted too; default false */
                cascade?: boolean;
            };
            header?: never;
            path: {
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description number of rows deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalEnvelope"];
                };
            };
        };
    };
    change_location: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["LocationPatch"];
            };
        };
        responses: {
            /** @description the location */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationEnvelope"];
                };
            };
        };
    };
    delete_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description number of rows deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalEnvelope"];
                };
            };
        };
    };
    list_audit_entries: {
        parameters: {
            query?: {
                /** @description only requests of this actor */
                actor?: string;
                /** @description only requests for this operation, by its `operationId` */
                operation?: string;
                /** @description created at this time or later */
                created_after?: string;
                /** @description created before this time */
                created_before?: string;
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditListEnvelope"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: {
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of webhooks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookListEnvelope"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description the webhook with its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecretEnvelope"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEnvelope"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deleted webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedWebhookEnvelope"];
                };
            };
        };
    };
    change_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description the webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEnvelope"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the webhook with its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecretEnvelope"];
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                status?: "waiting" | "delivered" | "dead";
                /** @description rows per page; default 50 */
                limit?: number;
                /** @description `next_cursor` of the previous page; keep the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryListEnvelope"];
                };
            };
        };
    };
    resend_webhook_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryEnvelope"];
                };
            };
        };
    };
    score_risk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RiskRequest"];
            };
        };
        responses: {
            /** @description one score per vehicle, in the order of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskScoreListEnvelope"];
                };
            };
        };
    };
}
