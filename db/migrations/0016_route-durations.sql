ALTER TABLE "route_counts" ADD COLUMN "native_durations" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "route_counts" ADD COLUMN "core_durations" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "route_counts_daily" ADD COLUMN "native_durations" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "route_counts_daily" ADD COLUMN "core_durations" bigint[] DEFAULT '{}' NOT NULL;