CREATE TABLE "engagement_events" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"type" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"pack_id" text,
	"track_id" text,
	"link_kind" text,
	"link_id" text,
	"source" text,
	"channel" text,
	"position_ms" integer,
	"duration_ms" integer,
	"visitor_id" text,
	"session_id" text
);
--> statement-breakpoint
CREATE TABLE "object_removals" (
	"storage_key" text PRIMARY KEY NOT NULL,
	"remove_after" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "engagement_events_newest_first" ON "engagement_events" USING btree ("owner_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "object_removals_due" ON "object_removals" USING btree ("remove_after");