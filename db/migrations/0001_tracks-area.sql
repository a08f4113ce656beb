CREATE TABLE "media_assets" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_id" text,
	"kind" text NOT NULL,
	"status" text DEFAULT 'processing' NOT NULL,
	"file_name" text NOT NULL,
	"content_type" text NOT NULL,
	"byte_size" bigint,
	"storage_key" text NOT NULL,
	"width" integer,
	"height" integer,
	"document_type" text,
	"title" text,
	"is_primary" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "media_assets_storage_key" UNIQUE("storage_key"),
	CONSTRAINT "media_assets_of_track" UNIQUE("id","track_id"),
	CONSTRAINT "media_assets_kind" CHECK ("media_assets"."kind" in ('original', 'playback', 'waveform', 'stem', 'artwork', 'document')),
	CONSTRAINT "media_assets_status" CHECK ("media_assets"."status" in ('processing', 'ready', 'failed')),
	CONSTRAINT "media_assets_document_type" CHECK ("media_assets"."document_type" in ('contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other')),
	CONSTRAINT "media_assets_document" CHECK ("media_assets"."kind" = 'document' or ("media_assets"."document_type" is null and "media_assets"."title" is null)),
	CONSTRAINT "media_assets_primary" CHECK (not "media_assets"."is_primary" or ("media_assets"."kind" = 'artwork' and "media_assets"."status" = 'ready')),
	CONSTRAINT "media_assets_version" CHECK (case when "media_assets"."kind" in ('original', 'playback', 'waveform') then "media_assets"."version_id" is not null
        when "media_assets"."kind" in ('artwork', 'document') then "media_assets"."version_id" is null
        else true end),
	CONSTRAINT "media_assets_measures" CHECK ("media_assets"."byte_size" >= 0 and "media_assets"."width" >= 0 and "media_assets"."height" >= 0
        and ("media_assets"."byte_size" is not null or "media_assets"."kind" not in ('artwork', 'document')))
);
--> statement-breakpoint
CREATE TABLE "ingestion_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_id" text NOT NULL,
	"trigger" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ingestion_runs_trigger" CHECK ("ingestion_runs"."trigger" in ('upload', 'retry', 'promote')),
	CONSTRAINT "ingestion_runs_status" CHECK ("ingestion_runs"."status" in ('queued', 'running', 'succeeded', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "media_dispatch_callbacks" (
	"callback_id" text PRIMARY KEY NOT NULL,
	"dispatch_id" text NOT NULL,
	"outcome" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "media_dispatch_callbacks_outcome" CHECK ("media_dispatch_callbacks"."outcome" in ('applied', 'stale'))
);
--> statement-breakpoint
CREATE TABLE "media_dispatches" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_id" text NOT NULL,
	"kind" text DEFAULT 'media_intelligence' NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"remote_id" text,
	"error_code" text,
	"error_message" text,
	"dispatched_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "media_dispatches_status" CHECK ("media_dispatches"."status" in ('queued', 'dispatched', 'running', 'succeeded', 'failed')),
	CONSTRAINT "media_dispatches_attempt" CHECK ("media_dispatches"."attempt" >= 0)
);
--> statement-breakpoint
CREATE TABLE "processing_lanes" (
	"track_id" text NOT NULL,
	"lane" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processing_lanes_track_id_lane_pk" PRIMARY KEY("track_id","lane"),
	CONSTRAINT "processing_lanes_lane" CHECK ("processing_lanes"."lane" in ('playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings')),
	CONSTRAINT "processing_lanes_status" CHECK ("processing_lanes"."status" in ('pending', 'processing', 'ready', 'failed', 'skipped'))
);
--> statement-breakpoint
CREATE TABLE "processing_stages" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_id" text NOT NULL,
	"lane" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"progress" double precision,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processing_stages_lane_of_version" UNIQUE("version_id","lane"),
	CONSTRAINT "processing_stages_lane" CHECK ("processing_stages"."lane" in ('playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings')),
	CONSTRAINT "processing_stages_status" CHECK ("processing_stages"."status" in ('pending', 'queued', 'running', 'succeeded', 'failed', 'skipped')),
	CONSTRAINT "processing_stages_attempt" CHECK ("processing_stages"."attempt" >= 0),
	CONSTRAINT "processing_stages_progress" CHECK ("processing_stages"."progress" between 0 and 1)
);
--> statement-breakpoint
CREATE TABLE "split_sheet_links" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"name" text,
	"token_hash" text NOT NULL,
	"token_preview" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "split_sheet_links_token_hash" UNIQUE("token_hash"),
	CONSTRAINT "split_sheet_links_token_hash_shape" CHECK ("split_sheet_links"."token_hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "track_share_links" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"name" text,
	"token_hash" text NOT NULL,
	"token_preview" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_share_links_token_hash" UNIQUE("token_hash"),
	CONSTRAINT "track_share_links_token_hash_shape" CHECK ("track_share_links"."token_hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "split_sheets" (
	"track_id" text PRIMARY KEY NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"intended_use" text DEFAULT '' NOT NULL,
	"master" jsonb NOT NULL,
	"writers" jsonb NOT NULL,
	"publishers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"validated_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "track_embeddings" (
	"version_id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"vector" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "track_peaks" (
	"version_id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"asset_id" text NOT NULL,
	"channels" integer NOT NULL,
	"sample_rate" integer NOT NULL,
	"samples_per_pixel" integer NOT NULL,
	"bits" integer NOT NULL,
	"length" integer NOT NULL,
	"data" "bytea" NOT NULL,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_peaks_measures" CHECK ("track_peaks"."channels" > 0 and "track_peaks"."sample_rate" > 0 and "track_peaks"."samples_per_pixel" > 0
        and "track_peaks"."bits" in (8, 16) and "track_peaks"."duration_ms" >= 0),
	CONSTRAINT "track_peaks_size" CHECK (octet_length("track_peaks"."data") = "track_peaks"."length" * 2 * "track_peaks"."channels" * ("track_peaks"."bits" / 8))
);
--> statement-breakpoint
CREATE TABLE "track_stems" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_id" text,
	"asset_id" text NOT NULL,
	"kind" text NOT NULL,
	"label" text NOT NULL,
	"duration_ms" integer,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_stems_source" CHECK ("track_stems"."source" in ('ai', 'upload')),
	CONSTRAINT "track_stems_version" CHECK ("track_stems"."source" = 'upload' or "track_stems"."version_id" is not null),
	CONSTRAINT "track_stems_duration" CHECK ("track_stems"."duration_ms" >= 0)
);
--> statement-breakpoint
CREATE TABLE "track_lyrics" (
	"track_id" text PRIMARY KEY NOT NULL,
	"text" text,
	"language" text,
	"lines" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"source" text,
	"status" text DEFAULT 'none' NOT NULL,
	"user_edited" boolean DEFAULT false NOT NULL,
	"provider" text,
	"model" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_lyrics_source" CHECK ("track_lyrics"."source" in ('user', 'ai', 'import')),
	CONSTRAINT "track_lyrics_status" CHECK ("track_lyrics"."status" in ('none', 'processing', 'ready', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "track_tags" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"category" text NOT NULL,
	"value" text NOT NULL,
	"label" text NOT NULL,
	"numeric_value" double precision,
	"confidence" double precision,
	"source" text NOT NULL,
	"hidden" boolean DEFAULT false NOT NULL,
	"user_edited" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_tags_confidence" CHECK ("track_tags"."confidence" between 0 and 1)
);
--> statement-breakpoint
CREATE TABLE "track_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"version_number" integer NOT NULL,
	"is_original" boolean GENERATED ALWAYS AS ("track_versions"."version_number" = 1) STORED NOT NULL,
	"label" text,
	"status" text DEFAULT 'processing' NOT NULL,
	"duration_ms" integer,
	"sample_rate" integer,
	"channels" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "track_versions_number" UNIQUE("version_number","track_id"),
	CONSTRAINT "track_versions_of_track" UNIQUE("id","track_id"),
	CONSTRAINT "track_versions_status" CHECK ("track_versions"."status" in ('processing', 'ready', 'failed')),
	CONSTRAINT "track_versions_number_from_one" CHECK ("track_versions"."version_number" >= 1),
	CONSTRAINT "track_versions_measures" CHECK ("track_versions"."duration_ms" >= 0 and "track_versions"."sample_rate" > 0 and "track_versions"."channels" > 0)
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"track_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"file_name" text NOT NULL,
	"content_type" text NOT NULL,
	"byte_size" bigint NOT NULL,
	"title" text,
	"document_type" text,
	"upload_key" text NOT NULL,
	"storage_key" text NOT NULL,
	"asset_id" text NOT NULL,
	"version_id" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"finalized_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "uploads_upload_key" UNIQUE("upload_key"),
	CONSTRAINT "uploads_storage_key" UNIQUE("storage_key"),
	CONSTRAINT "uploads_asset" UNIQUE("asset_id"),
	CONSTRAINT "uploads_kind" CHECK ("uploads"."kind" in ('version', 'artwork', 'document')),
	CONSTRAINT "uploads_status" CHECK ("uploads"."status" in ('pending', 'finalized', 'expired', 'failed')),
	CONSTRAINT "uploads_document_type" CHECK ("uploads"."document_type" in ('contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other')),
	CONSTRAINT "uploads_byte_size" CHECK ("uploads"."byte_size" >= 1),
	CONSTRAINT "uploads_finalized" CHECK (("uploads"."status" = 'finalized') = ("uploads"."finalized_at" is not null)),
	CONSTRAINT "uploads_version" CHECK (("uploads"."status" = 'finalized' and "uploads"."kind" = 'version') = ("uploads"."version_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "tracks" ADD COLUMN "last_version_number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tracks" ADD COLUMN "original_version_number" integer GENERATED ALWAYS AS (case when "tracks"."last_version_number" > 0 then 1 end) STORED;--> statement-breakpoint
ALTER TABLE "media_assets" ADD CONSTRAINT "media_assets_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_assets" ADD CONSTRAINT "media_assets_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ingestion_runs" ADD CONSTRAINT "ingestion_runs_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ingestion_runs" ADD CONSTRAINT "ingestion_runs_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_dispatch_callbacks" ADD CONSTRAINT "media_dispatch_callbacks_dispatch_id_media_dispatches_id_fk" FOREIGN KEY ("dispatch_id") REFERENCES "public"."media_dispatches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_dispatches" ADD CONSTRAINT "media_dispatches_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_dispatches" ADD CONSTRAINT "media_dispatches_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "processing_lanes" ADD CONSTRAINT "processing_lanes_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "processing_stages" ADD CONSTRAINT "processing_stages_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "processing_stages" ADD CONSTRAINT "processing_stages_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "split_sheet_links" ADD CONSTRAINT "split_sheet_links_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_share_links" ADD CONSTRAINT "track_share_links_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "split_sheets" ADD CONSTRAINT "split_sheets_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_embeddings" ADD CONSTRAINT "track_embeddings_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_embeddings" ADD CONSTRAINT "track_embeddings_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_peaks" ADD CONSTRAINT "track_peaks_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_peaks" ADD CONSTRAINT "track_peaks_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_peaks" ADD CONSTRAINT "track_peaks_asset_fk" FOREIGN KEY ("asset_id","track_id") REFERENCES "public"."media_assets"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_stems" ADD CONSTRAINT "track_stems_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_stems" ADD CONSTRAINT "track_stems_version_fk" FOREIGN KEY ("version_id","track_id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_stems" ADD CONSTRAINT "track_stems_asset_fk" FOREIGN KEY ("asset_id","track_id") REFERENCES "public"."media_assets"("id","track_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_lyrics" ADD CONSTRAINT "track_lyrics_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_tags" ADD CONSTRAINT "track_tags_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "track_versions" ADD CONSTRAINT "track_versions_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_track_id_tracks_id_fk" FOREIGN KEY ("track_id") REFERENCES "public"."tracks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "media_assets_original_of_version" ON "media_assets" USING btree ("version_id") WHERE "media_assets"."kind" = 'original';--> statement-breakpoint
CREATE UNIQUE INDEX "media_assets_primary_artwork" ON "media_assets" USING btree ("track_id") WHERE "media_assets"."is_primary";--> statement-breakpoint
CREATE INDEX "media_assets_newest_first" ON "media_assets" USING btree ("track_id","created_at","id");--> statement-breakpoint
CREATE INDEX "ingestion_runs_newest_first" ON "ingestion_runs" USING btree ("track_id","created_at","id");--> statement-breakpoint
CREATE INDEX "media_dispatch_callbacks_dispatch" ON "media_dispatch_callbacks" USING btree ("dispatch_id");--> statement-breakpoint
CREATE UNIQUE INDEX "media_dispatches_unfinished" ON "media_dispatches" USING btree ("version_id","kind") WHERE "media_dispatches"."status" in ('queued', 'dispatched', 'running');--> statement-breakpoint
CREATE INDEX "media_dispatches_track" ON "media_dispatches" USING btree ("track_id","created_at","id");--> statement-breakpoint
CREATE INDEX "media_dispatches_waiting" ON "media_dispatches" USING btree ("created_at","id") WHERE "media_dispatches"."status" in ('queued', 'dispatched', 'running');--> statement-breakpoint
CREATE INDEX "processing_stages_track" ON "processing_stages" USING btree ("track_id");--> statement-breakpoint
CREATE INDEX "split_sheet_links_newest_first" ON "split_sheet_links" USING btree ("track_id","created_at","id");--> statement-breakpoint
CREATE INDEX "track_share_links_newest_first" ON "track_share_links" USING btree ("track_id","created_at","id");--> statement-breakpoint
CREATE INDEX "track_stems_track" ON "track_stems" USING btree ("track_id");--> statement-breakpoint
CREATE UNIQUE INDEX "track_tags_said_once" ON "track_tags" USING btree ("track_id","category","value");--> statement-breakpoint
CREATE INDEX "uploads_track" ON "uploads" USING btree ("track_id");--> statement-breakpoint
CREATE INDEX "uploads_pending_by_expiry" ON "uploads" USING btree ("expires_at") WHERE "uploads"."status" = 'pending';--> statement-breakpoint
ALTER TABLE "tracks" ADD CONSTRAINT "tracks_current_version_fk" FOREIGN KEY ("current_version_id","id") REFERENCES "public"."track_versions"("id","track_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracks" ADD CONSTRAINT "tracks_original_version_fk" FOREIGN KEY ("original_version_number","id") REFERENCES "public"."track_versions"("version_number","track_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracks" ADD CONSTRAINT "tracks_one_current_version" CHECK (("tracks"."last_version_number" = 0) = ("tracks"."current_version_id" is null));