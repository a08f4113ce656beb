CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text,
	"email_verified" boolean DEFAULT false NOT NULL,
	"display_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"account_id" text PRIMARY KEY NOT NULL,
	"plan_id" text DEFAULT 'free' NOT NULL,
	"status" text DEFAULT 'free' NOT NULL,
	"billing_customer_id" text,
	"billing_subscription_id" text,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"current_period_end" timestamp (3) with time zone,
	"last_event_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_customer" UNIQUE("billing_customer_id"),
	CONSTRAINT "subscriptions_subscription" UNIQUE("billing_subscription_id"),
	CONSTRAINT "subscriptions_status" CHECK ("subscriptions"."status" in ('active', 'canceled', 'free', 'incomplete', 'past_due', 'trialing', 'unpaid')),
	CONSTRAINT "subscriptions_subscription_has_customer" CHECK ("subscriptions"."billing_subscription_id" is null or "subscriptions"."billing_customer_id" is not null)
);
--> statement-breakpoint
CREATE TABLE "libraries" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "library_shares" (
	"id" text PRIMARY KEY NOT NULL,
	"library_id" text NOT NULL,
	"target_user_id" text,
	"email" text,
	"access_type" text NOT NULL,
	"invite_status" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"responded_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "library_shares_access_type" CHECK ("library_shares"."access_type" in ('viewer', 'editor', 'admin', 'revoked')),
	CONSTRAINT "library_shares_invite_status" CHECK ("library_shares"."invite_status" in ('pending', 'accepted', 'declined', 'revoked')),
	CONSTRAINT "library_shares_invitee" CHECK ("library_shares"."target_user_id" is not null or "library_shares"."email" is not null),
	CONSTRAINT "library_shares_email_lower_case" CHECK ("library_shares"."email" = lower("library_shares"."email")),
	CONSTRAINT "library_shares_revoked" CHECK (("library_shares"."invite_status" = 'revoked') = ("library_shares"."access_type" = 'revoked')
          and ("library_shares"."invite_status" = 'revoked') = ("library_shares"."revoked_at" is not null)),
	CONSTRAINT "library_shares_responded" CHECK ("library_shares"."invite_status" = 'revoked' or ("library_shares"."invite_status" = 'pending') = ("library_shares"."responded_at" is null))
);
--> statement-breakpoint
CREATE TABLE "library_tracks" (
	"library_id" text NOT NULL,
	"track_id" text NOT NULL,
	"position" integer NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "library_tracks_library_id_track_id_pk" PRIMARY KEY("library_id","track_id"),
	CONSTRAINT "library_tracks_position" CHECK ("library_tracks"."position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "pack_invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"pack_id" text NOT NULL,
	"email" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"provider_email_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pack_invitations_provider_email" UNIQUE("provider_email_id"),
	CONSTRAINT "pack_invitations_status" CHECK ("pack_invitations"."status" in ('queued', 'sent', 'delivery_delayed', 'delivered', 'opened', 'clicked', 'failed', 'suppressed', 'bounced', 'complained'))
);
--> statement-breakpoint
CREATE TABLE "pack_links" (
	"id" text PRIMARY KEY NOT NULL,
	"pack_id" text NOT NULL,
	"slug" text NOT NULL,
	"name" text,
	"access_code_hash" text,
	"disable_downloads" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pack_links_slug_taken" UNIQUE("slug"),
	CONSTRAINT "pack_links_slug" CHECK ("pack_links"."slug" ~ '^[a-z0-9-]{3,64}$')
);
--> statement-breakpoint
CREATE TABLE "pack_tracks" (
	"pack_id" text NOT NULL,
	"track_id" text NOT NULL,
	"position" integer NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pack_tracks_pack_id_track_id_pk" PRIMARY KEY("pack_id","track_id"),
	CONSTRAINT "pack_tracks_position" CHECK ("pack_tracks"."position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "packs" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tracks" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"title" text NOT NULL,
	"artist" text NOT NULL,
	"isrc" text,
	"isrc_compact" text,
	"iswc" text,
	"iswc_compact" text,
	"release_date" date,
	"duration_ms" integer,
	"current_version_id" text,
	"processing_state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tracks_processing_state" CHECK ("tracks"."processing_state" in ('pending', 'processing', 'ready', 'failed')),
	CONSTRAINT "tracks_duration" CHECK ("tracks"."duration_ms" >= 0),
	CONSTRAINT "tracks_isrc_compact" CHECK (("tracks"."isrc" is null) = ("tracks"."isrc_compact" is null)),
	CONSTRAINT "tracks_iswc_compact" CHECK (("tracks"."iswc" is null) = ("tracks"."iswc_compact" is null))
);
--> statement-breakpoint
ALTER TABLE "library_shares" ADD CONSTRAINT "library_shares_library_id_libraries_id_fk" FOREIGN KEY ("library_id") REFERENCES "public"."libraries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_tracks" ADD CONSTRAINT "library_tracks_library_id_libraries_id_fk" FOREIGN KEY ("library_id") REFERENCES "public"."libraries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_tracks" ADD CONSTRAINT "library_tracks_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_invitations" ADD CONSTRAINT "pack_invitations_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_links" ADD CONSTRAINT "pack_links_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_tracks" ADD CONSTRAINT "pack_tracks_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_tracks" ADD CONSTRAINT "pack_tracks_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "libraries_name_of_owner" ON "libraries" USING btree ("owner_id","name_key");--> statement-breakpoint
CREATE INDEX "libraries_last_changed_first" ON "libraries" USING btree ("owner_id","updated_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "library_shares_live_account" ON "library_shares" USING btree ("library_id","target_user_id") WHERE "library_shares"."invite_status" in ('pending', 'accepted');--> statement-breakpoint
CREATE UNIQUE INDEX "library_shares_live_email" ON "library_shares" USING btree ("library_id","email") WHERE "library_shares"."invite_status" in ('pending', 'accepted');--> statement-breakpoint
CREATE INDEX "library_shares_newest_first" ON "library_shares" USING btree ("library_id","created_at","id");--> statement-breakpoint
CREATE INDEX "library_shares_of_account" ON "library_shares" USING btree ("target_user_id") WHERE "library_shares"."invite_status" in ('pending', 'accepted');--> statement-breakpoint
CREATE INDEX "library_shares_of_email" ON "library_shares" USING btree ("email") WHERE "library_shares"."invite_status" in ('pending', 'accepted');--> statement-breakpoint
CREATE INDEX "library_tracks_track" ON "library_tracks" USING btree ("track_id");--> statement-breakpoint
CREATE INDEX "pack_invitations_newest_first" ON "pack_invitations" USING btree ("pack_id","created_at","id");--> statement-breakpoint
CREATE INDEX "pack_links_newest_first" ON "pack_links" USING btree ("pack_id","created_at","id");--> statement-breakpoint
CREATE INDEX "pack_tracks_order" ON "pack_tracks" USING btree ("pack_id","position");--> statement-breakpoint
CREATE INDEX "pack_tracks_track" ON "pack_tracks" USING btree ("track_id");--> statement-breakpoint
CREATE INDEX "packs_newest_first" ON "packs" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracks_newest_first" ON "tracks" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracks_isrc" ON "tracks" USING btree ("owner_id","isrc_compact") WHERE "tracks"."isrc_compact" is not null;--> statement-breakpoint
CREATE INDEX "tracks_iswc" ON "tracks" USING btree ("owner_id","iswc_compact") WHERE "tracks"."iswc_compact" is not null;