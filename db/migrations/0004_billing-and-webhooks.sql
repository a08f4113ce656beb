CREATE TABLE "billing_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"account_id" text,
	"outcome" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_events_outcome" CHECK ("billing_events"."outcome" in ('processed', 'ignored', 'stale', 'unresolved_owner'))
);
--> statement-breakpoint
CREATE TABLE "billing_reconciliations" (
	"day" text PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"checked" integer DEFAULT 0 NOT NULL,
	"repaired" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_warnings" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"subject" text NOT NULL,
	"detail" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "operator_warnings_once" UNIQUE("name","subject")
);
--> statement-breakpoint
CREATE TABLE "sale_reports" (
	"invoice_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"click_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reported_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "email_events" (
	"id" text PRIMARY KEY NOT NULL,
	"invitation_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_events" (
	"provider_event_id" text PRIMARY KEY NOT NULL,
	"event_type" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"owner_id" text NOT NULL,
	"link_kind" text NOT NULL,
	"link_id" text NOT NULL,
	"track_id" text,
	"pack_id" text,
	"country" text,
	"region" text,
	"city" text,
	"continent" text,
	"device" text,
	"referer_domain" text,
	"qr" boolean NOT NULL,
	CONSTRAINT "link_events_kind" CHECK ("link_events"."link_kind" in ('track', 'pack'))
);
--> statement-breakpoint
CREATE TABLE "pack_invitation_events" (
	"invitation_id" text NOT NULL,
	"status" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "pack_invitation_events_invitation_id_status_pk" PRIMARY KEY("invitation_id","status"),
	CONSTRAINT "pack_invitation_events_status" CHECK ("pack_invitation_events"."status" in ('queued', 'sent', 'delivery_delayed', 'delivered', 'opened', 'clicked', 'failed', 'suppressed', 'bounced', 'complained'))
);
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "checkouts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "email_events" ADD CONSTRAINT "email_events_invitation_id_pack_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."pack_invitations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_invitation_events" ADD CONSTRAINT "pack_invitation_events_invitation_id_pack_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."pack_invitations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sale_reports_due" ON "sale_reports" USING btree ("next_attempt_at") WHERE reported_at is null;--> statement-breakpoint
CREATE INDEX "link_events_of_owner" ON "link_events" USING btree ("owner_id","occurred_at");