ALTER TABLE "evidence_counts" ADD COLUMN "shapes" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "route_usage" ADD COLUMN "shapes" jsonb DEFAULT '{}'::jsonb NOT NULL;