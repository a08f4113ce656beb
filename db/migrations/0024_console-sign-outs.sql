CREATE TABLE "console_sign_outs" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"signed_out_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL
);
