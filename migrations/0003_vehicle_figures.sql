ALTER TABLE "vehicles" ADD COLUMN "acquired_on" date;--> statement-breakpoint
ALTER TABLE "vehicles" ADD COLUMN "last_maintenance_on" date;--> statement-breakpoint
ALTER TABLE "vehicles" ADD COLUMN "utilization_rate" double precision;--> statement-breakpoint
ALTER TABLE "vehicles" ADD CONSTRAINT "vehicles_utilization_rate" CHECK ("vehicles"."utilization_rate" between 0 and 1);