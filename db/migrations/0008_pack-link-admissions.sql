CREATE TABLE "pack_link_admissions" (
	"key" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "pack_link_admissions_expired" ON "pack_link_admissions" USING btree ("expires_at");