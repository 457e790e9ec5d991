CREATE TABLE "event_secret" (
	"single" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret" "bytea" NOT NULL,
	CONSTRAINT "event_secret_single" CHECK ("event_secret"."single")
);
--> statement-breakpoint
-- Two random UUIDs: 244 bits of the system's source of randomness.
INSERT INTO "event_secret" ("secret") VALUES (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
