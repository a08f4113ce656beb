CREATE TABLE "contract_result" (
	"label" text NOT NULL,
	"evidence_key" text NOT NULL,
	"problems" integer NOT NULL,
	"forbidding_differences" integer NOT NULL,
	"who" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "contract_result_label_evidence_key_pk" PRIMARY KEY("label","evidence_key")
);
--> statement-breakpoint
CREATE TABLE "route_counts" (
	"label" text NOT NULL,
	"interval_start" timestamp (3) with time zone NOT NULL,
	"instance_id" text NOT NULL,
	"native2xx" integer NOT NULL,
	"native3xx" integer NOT NULL,
	"native4xx" integer NOT NULL,
	"native5xx" integer NOT NULL,
	"core2xx" integer NOT NULL,
	"core3xx" integer NOT NULL,
	"core4xx" integer NOT NULL,
	"core5xx" integer NOT NULL,
	CONSTRAINT "route_counts_label_interval_start_instance_id_pk" PRIMARY KEY("label","interval_start","instance_id")
);
--> statement-breakpoint
CREATE TABLE "route_counts_daily" (
	"label" text NOT NULL,
	"day" date NOT NULL,
	"native2xx" bigint NOT NULL,
	"native3xx" bigint NOT NULL,
	"native4xx" bigint NOT NULL,
	"native5xx" bigint NOT NULL,
	"core2xx" bigint NOT NULL,
	"core3xx" bigint NOT NULL,
	"core4xx" bigint NOT NULL,
	"core5xx" bigint NOT NULL,
	CONSTRAINT "route_counts_daily_day_label_pk" PRIMARY KEY("day","label")
);
--> statement-breakpoint
CREATE INDEX "route_counts_by_interval" ON "route_counts" USING btree ("interval_start");