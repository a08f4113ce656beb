CREATE TABLE "core_usage" (
	"label" text NOT NULL,
	"cause" text NOT NULL,
	"day" date NOT NULL,
	"instance_id" text NOT NULL,
	"requests" bigint NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "core_usage_label_cause_day_instance_id_pk" PRIMARY KEY("label","cause","day","instance_id")
);
--> statement-breakpoint
CREATE TABLE "core_usage_total" (
	"label" text NOT NULL,
	"cause" text NOT NULL,
	"requests" bigint NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "core_usage_total_label_cause_pk" PRIMARY KEY("label","cause")
);
--> statement-breakpoint
CREATE TABLE "unmatched_usage" (
	"method" text NOT NULL,
	"shape" text NOT NULL,
	"day" date NOT NULL,
	"instance_id" text NOT NULL,
	"requests" bigint NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "unmatched_usage_method_shape_day_instance_id_pk" PRIMARY KEY("method","shape","day","instance_id")
);
--> statement-breakpoint
CREATE INDEX "core_usage_by_day" ON "core_usage" USING btree ("day");--> statement-breakpoint
CREATE INDEX "unmatched_usage_by_day" ON "unmatched_usage" USING btree ("day");