CREATE TABLE "core_usage_start" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"alive_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	CONSTRAINT "core_usage_start_singleton" CHECK ("core_usage_start"."singleton")
);
--> statement-breakpoint
ALTER TABLE "route_state" ADD COLUMN "drill_until" timestamp (3) with time zone;