CREATE TABLE "account_override" (
	"account_id" text NOT NULL,
	"scope" text NOT NULL,
	"side" text NOT NULL,
	"reason" text NOT NULL,
	"who" text NOT NULL,
	"until" timestamp (3) with time zone,
	CONSTRAINT "account_override_account_id_scope_pk" PRIMARY KEY("account_id","scope"),
	CONSTRAINT "account_override_side" CHECK ("account_override"."side" in ('core', 'native'))
);
--> statement-breakpoint
CREATE TABLE "gateway_instance" (
	"id" text PRIMARY KEY NOT NULL,
	"build" text NOT NULL,
	"keys" jsonb NOT NULL,
	"epoch" integer NOT NULL,
	"beat_at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "route_audit" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT statement_timestamp() NOT NULL,
	"who" text NOT NULL,
	"scope" text NOT NULL,
	"action" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text NOT NULL,
	"epoch" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "route_state" (
	"scope" text PRIMARY KEY NOT NULL,
	"state" text,
	"weight_bp" integer NOT NULL,
	"killed" boolean DEFAULT false NOT NULL,
	"held" boolean DEFAULT false NOT NULL,
	"mode" text NOT NULL,
	"evidence_key" text,
	"failed_evidence_key" text,
	"version" integer NOT NULL,
	CONSTRAINT "route_state_state" CHECK ("route_state"."state" in ('proxy', 'shadow', 'canary', 'native', 'retired')),
	CONSTRAINT "route_state_mode" CHECK ("route_state"."mode" in ('observe', 'recommend', 'auto')),
	CONSTRAINT "route_state_weight" CHECK ("route_state"."weight_bp" between 0 and 10000),
	CONSTRAINT "route_state_weight_of_state" CHECK (case "route_state"."state" when 'canary' then "route_state"."weight_bp" between 1 and 9999
        when 'native' then "route_state"."weight_bp" = 10000 when 'retired' then "route_state"."weight_bp" = 10000
        else "route_state"."weight_bp" = 0 end)
);
--> statement-breakpoint
CREATE TABLE "routing_epoch" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" integer NOT NULL,
	CONSTRAINT "routing_epoch_singleton" CHECK ("routing_epoch"."singleton")
);
--> statement-breakpoint
CREATE INDEX "route_audit_by_epoch" ON "route_audit" USING btree ("epoch");--> statement-breakpoint
CREATE INDEX "route_audit_by_scope" ON "route_audit" USING btree ("scope","epoch");
--> statement-breakpoint
INSERT INTO routing_epoch (epoch) VALUES (0);
--> statement-breakpoint
CREATE FUNCTION reject_change_of_audit() RETURNS trigger AS $$
BEGIN
  RAISE EXCEPTION 'route_audit is append-only: % is not allowed', TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$$ LANGUAGE plpgsql;
--> statement-breakpoint
CREATE TRIGGER route_audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON route_audit
FOR EACH STATEMENT EXECUTE FUNCTION reject_change_of_audit();
