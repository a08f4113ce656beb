CREATE TABLE "engagement_days" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"day" date NOT NULL,
	"link_id" text NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"shares" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "engagement_days_subject_kind_subject_id_day_link_id_pk" PRIMARY KEY("subject_kind","subject_id","day","link_id")
);
--> statement-breakpoint
CREATE TABLE "engagement_links" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"link_id" text NOT NULL,
	"events" integer NOT NULL,
	CONSTRAINT "engagement_links_subject_kind_subject_id_link_id_pk" PRIMARY KEY("subject_kind","subject_id","link_id"),
	CONSTRAINT "engagement_links_subject" CHECK ("engagement_links"."subject_kind" in ('owner', 'pack', 'track'))
);
--> statement-breakpoint
CREATE TABLE "engagement_returns" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"link_id" text NOT NULL,
	"day" date NOT NULL,
	"last_day" date DEFAULT '-infinity' NOT NULL,
	"visitors" integer NOT NULL,
	CONSTRAINT "engagement_returns_subject_kind_subject_id_day_link_id_last_day_pk" PRIMARY KEY("subject_kind","subject_id","day","link_id","last_day")
);
--> statement-breakpoint
CREATE TABLE "engagement_sources" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"day" date NOT NULL,
	"source" text NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"shares" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "engagement_sources_subject_kind_subject_id_day_source_pk" PRIMARY KEY("subject_kind","subject_id","day","source")
);
--> statement-breakpoint
CREATE TABLE "engagement_visits" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"link_id" text NOT NULL,
	"visitor" "bytea" NOT NULL,
	"day" date NOT NULL,
	CONSTRAINT "engagement_visits_subject_kind_subject_id_link_id_visitor_day_pk" PRIMARY KEY("subject_kind","subject_id","link_id","visitor","day")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"used" integer NOT NULL,
	"resets_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "rate_limits_over" ON "rate_limits" USING btree ("resets_at");--> statement-breakpoint
ALTER TABLE "rate_limits" SET UNLOGGED;
--> statement-breakpoint
-- What an event is counted for: its owner, its pack and its track.
CREATE FUNCTION "engagement_subjects"(owner_id text, pack_id text, track_id text, link_id text)
RETURNS TABLE (kind text, id text, link text) LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM (VALUES
    ('owner', owner_id, ''), ('pack', pack_id, coalesce(link_id, '')), ('track', track_id, coalesce(link_id, ''))
  ) AS subject (kind, id, link) WHERE subject.id IS NOT NULL
$$;
--> statement-breakpoint
-- Every table is written in the order of its key and the tables in one order, so that no two inserts of events wait
-- for each other. Each statement sees what was committed before it began: whoever has waited for a link's row sees all
-- that was added up before.
CREATE FUNCTION "roll_up_engagement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO engagement_links AS known (subject_kind, subject_id, link_id, events)
  SELECT kind, thing, link, count(*)
  FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
  GROUP BY kind, thing, link
  ORDER BY kind, thing, link
  ON CONFLICT (subject_kind, subject_id, link_id) DO UPDATE SET events = known.events + excluded.events;

  INSERT INTO engagement_days AS known (subject_kind, subject_id, day, link_id, views, plays, downloads, shares)
  SELECT kind, thing, (occurred_at AT TIME ZONE 'UTC')::date AS day, link,
    count(*) FILTER (WHERE type IN ('pack.viewed', 'track.viewed')),
    count(*) FILTER (WHERE type IN ('pack.played', 'track.played')),
    count(*) FILTER (WHERE type = 'track.downloaded'),
    count(*) FILTER (WHERE type IN ('pack.shared', 'track.shared'))
  FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
  GROUP BY kind, thing, (occurred_at AT TIME ZONE 'UTC')::date, link
  ORDER BY kind, thing, day, link
  ON CONFLICT (subject_kind, subject_id, day, link_id) DO UPDATE SET
    views = known.views + excluded.views, plays = known.plays + excluded.plays,
    downloads = known.downloads + excluded.downloads, shares = known.shares + excluded.shares;

  -- What visitors say they came from is any text: beyond fifty a day it is counted together.
  WITH named AS (
    SELECT kind, thing, (occurred_at AT TIME ZONE 'UTC')::date AS day, source,
      count(*) FILTER (WHERE type IN ('pack.viewed', 'track.viewed')) AS views,
      count(*) FILTER (WHERE type IN ('pack.played', 'track.played')) AS plays,
      count(*) FILTER (WHERE type = 'track.downloaded') AS downloads,
      count(*) FILTER (WHERE type IN ('pack.shared', 'track.shared')) AS shares
    FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
    WHERE source IS NOT NULL AND kind <> 'owner'
    GROUP BY kind, thing, (occurred_at AT TIME ZONE 'UTC')::date, source
  ), told AS (
    SELECT named.*, is_known,
      row_number() OVER (PARTITION BY kind, thing, day, is_known ORDER BY source) AS place
    FROM named, LATERAL (
      SELECT EXISTS (
        SELECT FROM engagement_sources AS sources
        WHERE sources.subject_kind = kind AND sources.subject_id = thing AND sources.day = named.day
          AND sources.source = named.source
        OFFSET 0
      ) AS is_known
    ) AS known
  ), placed AS (
    SELECT kind, thing, day, views, plays, downloads, shares,
      CASE WHEN is_known OR place + (
        SELECT count(*) FROM engagement_sources AS taken
        WHERE taken.subject_kind = kind AND taken.subject_id = thing AND taken.day = told.day
      ) <= 50 THEN source ELSE 'other' END AS source
    FROM told
  )
  INSERT INTO engagement_sources AS known (subject_kind, subject_id, day, source, views, plays, downloads, shares)
  SELECT kind, thing, day, source, sum(views), sum(plays), sum(downloads), sum(shares)
  FROM placed
  GROUP BY kind, thing, day, source
  ORDER BY kind, thing, day, source
  ON CONFLICT (subject_kind, subject_id, day, source) DO UPDATE SET
    views = known.views + excluded.views, plays = known.plays + excluded.plays,
    downloads = known.downloads + excluded.downloads, shares = known.shares + excluded.shares;

  -- OFFSET 0 has each row looked up by the index: what was planned for a small table must not read a large one whole.
  -- A day that is new for a visitor changes what the next day of theirs counts as the last one before.
  WITH arrived AS (
    SELECT DISTINCT kind, thing, link, (occurred_at AT TIME ZONE 'UTC')::date AS day,
      substring(sha256(convert_to(coalesce('session ' || session_id, 'visitor ' || visitor_id), 'UTF8')) FOR 16) AS visitor
    FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
    WHERE kind <> 'owner' AND coalesce(session_id, visitor_id) IS NOT NULL
  ), fresh AS (
    INSERT INTO engagement_visits (subject_kind, subject_id, link_id, visitor, day)
    SELECT kind, thing, link, visitor, day FROM arrived ORDER BY kind, thing, link, visitor, day
    ON CONFLICT DO NOTHING
    RETURNING subject_kind, subject_id, link_id, visitor, day
  ), before AS (
    SELECT known.*
    FROM (SELECT DISTINCT subject_kind, subject_id, link_id, visitor FROM fresh) AS returned,
      LATERAL (
        SELECT visits.* FROM engagement_visits AS visits
        WHERE visits.subject_kind = returned.subject_kind AND visits.subject_id = returned.subject_id
          AND visits.link_id = returned.link_id AND visits.visitor = returned.visitor
        OFFSET 0
      ) AS known
  ), counted AS (
    SELECT subject_kind, subject_id, link_id, day, 1 AS visitors, lag(day) OVER visits AS last_day
    FROM (SELECT * FROM before UNION ALL SELECT * FROM fresh) AS days
    WINDOW visits AS (PARTITION BY subject_kind, subject_id, link_id, visitor ORDER BY day)
    UNION ALL
    SELECT subject_kind, subject_id, link_id, day, -1, lag(day) OVER visits
    FROM before
    WINDOW visits AS (PARTITION BY subject_kind, subject_id, link_id, visitor ORDER BY day)
  ), changed AS (
    SELECT subject_kind, subject_id, day, link_id,
      CASE WHEN last_day > day - 366 THEN last_day ELSE '-infinity' END AS last_day, sum(visitors) AS visitors
    FROM counted
    GROUP BY 1, 2, 3, 4, 5
    HAVING sum(visitors) <> 0
  )
  INSERT INTO engagement_returns AS known (subject_kind, subject_id, day, link_id, last_day, visitors)
  SELECT subject_kind, subject_id, day, link_id, last_day, visitors FROM changed
  ORDER BY subject_kind, subject_id, day, link_id, last_day
  ON CONFLICT (subject_kind, subject_id, day, link_id, last_day) DO UPDATE SET
    visitors = known.visitors + excluded.visitors;

  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "engagement_events_roll_up" AFTER INSERT ON "engagement_events"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "roll_up_engagement"();
--> statement-breakpoint
-- What was recorded before is taken out and put in again, past the trigger.
LOCK TABLE "engagement_events" IN EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TEMPORARY TABLE "recorded_events" ON COMMIT DROP AS SELECT * FROM "engagement_events";
--> statement-breakpoint
DELETE FROM "engagement_events";
--> statement-breakpoint
INSERT INTO "engagement_events" SELECT * FROM "recorded_events";
