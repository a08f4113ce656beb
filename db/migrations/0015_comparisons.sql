CREATE TABLE "evidence_counts" (
	"label" text NOT NULL,
	"evidence_key" text NOT NULL,
	"instance_id" text NOT NULL,
	"day" date NOT NULL,
	"comparisons" integer NOT NULL,
	"regressions" integer NOT NULL,
	"critical" integer NOT NULL,
	"transients" integer NOT NULL,
	"not_comparable" integer NOT NULL,
	"repeated" integer NOT NULL,
	"copies" integer NOT NULL,
	"drops" integer NOT NULL,
	"statuses" jsonb NOT NULL,
	"accounts" jsonb NOT NULL,
	"added_comparisons" integer DEFAULT 0 NOT NULL,
	"added_regressions" integer DEFAULT 0 NOT NULL,
	"added_critical" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "evidence_counts_label_evidence_key_instance_id_day_pk" PRIMARY KEY("label","evidence_key","instance_id","day")
);
--> statement-breakpoint
CREATE TABLE "evidence_set" (
	"label" text NOT NULL,
	"evidence_key" text NOT NULL,
	"test" jsonb NOT NULL,
	"mismatches" jsonb NOT NULL,
	"alarm" text,
	"alarm_at" timestamp (3) with time zone,
	"critical" bigint NOT NULL,
	"folded" jsonb NOT NULL,
	"first_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	CONSTRAINT "evidence_set_label_evidence_key_pk" PRIMARY KEY("label","evidence_key"),
	CONSTRAINT "evidence_set_alarm" CHECK ("evidence_set"."alarm" in ('mismatches', 'critical'))
);
--> statement-breakpoint
CREATE TABLE "mismatch" (
	"label" text NOT NULL,
	"signature" text NOT NULL,
	"evidence_key" text NOT NULL,
	"kind" text NOT NULL,
	"path" text NOT NULL,
	"class" text NOT NULL,
	"blame" text NOT NULL,
	"example_native" text,
	"example_core" text,
	"count" integer NOT NULL,
	"request_ids" text[] NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mismatch_label_signature_evidence_key_pk" PRIMARY KEY("label","signature","evidence_key")
);
--> statement-breakpoint
CREATE TABLE "route_usage" (
	"label" text NOT NULL,
	"day" date NOT NULL,
	"instance_id" text NOT NULL,
	"statuses" jsonb NOT NULL,
	"accounts" jsonb NOT NULL,
	CONSTRAINT "route_usage_label_day_instance_id_pk" PRIMARY KEY("label","day","instance_id")
);
--> statement-breakpoint
ALTER TABLE "contract_result" ADD COLUMN "valid_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "evidence_counts_by_day" ON "evidence_counts" USING btree ("day");--> statement-breakpoint
CREATE INDEX "mismatch_by_last_at" ON "mismatch" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "route_usage_by_day" ON "route_usage" USING btree ("day");