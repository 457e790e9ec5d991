ALTER TABLE "locations" ADD COLUMN "active" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "locations" ADD COLUMN "expected_daily_demand" double precision;--> statement-breakpoint
ALTER TABLE "locations" ADD CONSTRAINT "locations_expected_daily_demand" CHECK ("locations"."expected_daily_demand" between 0 and 24000000);