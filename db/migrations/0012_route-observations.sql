CREATE TABLE "fleet_observations" (
	"label" text PRIMARY KEY NOT NULL,
	"observed" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "route_observations" (
	"instance_id" text NOT NULL,
	"label" text NOT NULL,
	"report" jsonb NOT NULL,
	"reported_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "route_observations_instance_id_label_pk" PRIMARY KEY("instance_id","label")
);
--> statement-breakpoint
ALTER TABLE "route_observations" SET UNLOGGED;
--> statement-breakpoint
ALTER TABLE "fleet_observations" SET UNLOGGED;
