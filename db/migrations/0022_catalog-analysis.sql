CREATE TABLE "analysis_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"thread_id" text NOT NULL,
	"position" integer NOT NULL,
	"role" text NOT NULL,
	"text" text NOT NULL,
	"findings" jsonb,
	"citations" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "analysis_messages_position" UNIQUE("thread_id","position"),
	CONSTRAINT "analysis_messages_role" CHECK ("analysis_messages"."role" in ('user', 'assistant')),
	CONSTRAINT "analysis_messages_result" CHECK (("analysis_messages"."role" = 'assistant') = ("analysis_messages"."findings" is not null)
        and ("analysis_messages"."findings" is null) = ("analysis_messages"."citations" is null))
);
--> statement-breakpoint
CREATE TABLE "analysis_threads" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"title" text NOT NULL,
	"message_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "analysis_usage" (
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"questions" integer NOT NULL,
	"tokens" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "analysis_usage_account_id_day_pk" PRIMARY KEY("account_id","day"),
	CONSTRAINT "analysis_usage_counts" CHECK ("analysis_usage"."questions" >= 0 and "analysis_usage"."tokens" >= 0)
);
--> statement-breakpoint
ALTER TABLE "analysis_messages" ADD CONSTRAINT "analysis_messages_thread_id_analysis_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."analysis_threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "analysis_threads_last_changed_first" ON "analysis_threads" USING btree ("account_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "analysis_threads_expired" ON "analysis_threads" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "analysis_usage_day" ON "analysis_usage" USING btree ("day");