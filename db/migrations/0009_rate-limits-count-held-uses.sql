ALTER TABLE "rate_limits" ADD COLUMN "held" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "rate_limits" ADD COLUMN "granted" integer DEFAULT 0 NOT NULL;