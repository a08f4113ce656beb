CREATE TABLE "route_baseline" (
	"label" text NOT NULL,
	"side" text NOT NULL,
	"baseline" jsonb NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "route_baseline_label_side_pk" PRIMARY KEY("label","side")
);
