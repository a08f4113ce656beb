-- Inserts of events wait until the rollups include the events before them. The lock comes first, because an insert locks
-- this table before the rollups. Reads do not wait.
LOCK TABLE "engagement_events" IN EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "engagement_months" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"month" date NOT NULL,
	"link_id" text NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"shares" integer DEFAULT 0 NOT NULL,
	"new_visitors" integer NOT NULL,
	CONSTRAINT "engagement_months_subject_kind_subject_id_month_link_id_pk" PRIMARY KEY("subject_kind","subject_id","month","link_id")
);
--> statement-breakpoint
CREATE TABLE "engagement_totals" (
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"day" date NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"shares" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "engagement_totals_subject_kind_subject_id_day_pk" PRIMARY KEY("subject_kind","subject_id","day")
);
--> statement-breakpoint
CREATE INDEX "engagement_returns_by_last_day" ON "engagement_returns" USING btree ("subject_kind","subject_id","last_day","day") WHERE "engagement_returns"."last_day" > '-infinity';--> statement-breakpoint
-- As before, and months and totals too. The counts of a day are the source of all three, and a month is written once
-- for its counts and its visitors. The row of the owner in engagement_links, which is locked first, keeps transactions
-- that write to the same totals from waiting for each other in different orders.
CREATE OR REPLACE FUNCTION "roll_up_engagement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO engagement_links AS known (subject_kind, subject_id, link_id, events)
  SELECT kind, thing, link, count(*)
  FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
  GROUP BY kind, thing, link
  ORDER BY kind, thing, link
  ON CONFLICT (subject_kind, subject_id, link_id) DO UPDATE SET events = known.events + excluded.events;

  -- Sources are any text that visitors report. Beyond fifty a day, they are counted together.
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

  -- OFFSET 0 makes each row an index lookup: a plan for a small table must not read a large one completely.
  -- A new day of a visitor changes the previous visit of the visitor's next day.
  WITH day_counts AS (
    SELECT kind, thing, (occurred_at AT TIME ZONE 'UTC')::date AS day, link,
      count(*) FILTER (WHERE type IN ('pack.viewed', 'track.viewed')) AS views,
      count(*) FILTER (WHERE type IN ('pack.played', 'track.played')) AS plays,
      count(*) FILTER (WHERE type = 'track.downloaded') AS downloads,
      count(*) FILTER (WHERE type IN ('pack.shared', 'track.shared')) AS shares
    FROM added, LATERAL engagement_subjects(owner_id, pack_id, track_id, link_id) AS subject (kind, thing, link)
    GROUP BY kind, thing, (occurred_at AT TIME ZONE 'UTC')::date, link
  ), days AS (
    INSERT INTO engagement_days AS known (subject_kind, subject_id, day, link_id, views, plays, downloads, shares)
    SELECT kind, thing, day, link, views, plays, downloads, shares FROM day_counts ORDER BY kind, thing, day, link
    ON CONFLICT (subject_kind, subject_id, day, link_id) DO UPDATE SET
      views = known.views + excluded.views, plays = known.plays + excluded.plays,
      downloads = known.downloads + excluded.downloads, shares = known.shares + excluded.shares
  ), totals AS (
    INSERT INTO engagement_totals AS known (subject_kind, subject_id, day, views, plays, downloads, shares)
    SELECT kind, thing, day, sum(views), sum(plays), sum(downloads), sum(shares)
    FROM day_counts
    WHERE kind <> 'owner'
    GROUP BY kind, thing, day
    ORDER BY kind, thing, day
    ON CONFLICT (subject_kind, subject_id, day) DO UPDATE SET
      views = known.views + excluded.views, plays = known.plays + excluded.plays,
      downloads = known.downloads + excluded.downloads, shares = known.shares + excluded.shares
  ), arrived AS (
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
  ), returns AS (
    INSERT INTO engagement_returns AS known (subject_kind, subject_id, day, link_id, last_day, visitors)
    SELECT subject_kind, subject_id, day, link_id, last_day, visitors FROM changed
    ORDER BY subject_kind, subject_id, day, link_id, last_day
    ON CONFLICT (subject_kind, subject_id, day, link_id, last_day) DO UPDATE SET
      visitors = known.visitors + excluded.visitors
  )
  INSERT INTO engagement_months AS known
    (subject_kind, subject_id, month, link_id, views, plays, downloads, shares, new_visitors)
  SELECT kind, thing, date_trunc('month', day::timestamp)::date AS month, link,
    sum(views), sum(plays), sum(downloads), sum(shares), sum(new_visitors)
  FROM (
    SELECT kind, thing, day, link, views, plays, downloads, shares, 0 AS new_visitors
    FROM day_counts WHERE kind <> 'owner'
    UNION ALL
    SELECT subject_kind, subject_id, day, link_id, 0, 0, 0, 0, visitors FROM changed WHERE last_day = '-infinity'
  ) AS changes
  GROUP BY kind, thing, date_trunc('month', day::timestamp)::date, link
  ORDER BY kind, thing, month, link
  ON CONFLICT (subject_kind, subject_id, month, link_id) DO UPDATE SET
    views = known.views + excluded.views, plays = known.plays + excluded.plays,
    downloads = known.downloads + excluded.downloads, shares = known.shares + excluded.shares,
    new_visitors = known.new_visitors + excluded.new_visitors;

  RETURN NULL;
END;
$$;
--> statement-breakpoint
INSERT INTO "engagement_totals"
SELECT subject_kind, subject_id, day, sum(views), sum(plays), sum(downloads), sum(shares)
FROM engagement_days
WHERE subject_kind <> 'owner'
GROUP BY subject_kind, subject_id, day;
--> statement-breakpoint
INSERT INTO "engagement_months"
SELECT subject_kind, subject_id, date_trunc('month', day::timestamp)::date, link_id,
  sum(views), sum(plays), sum(downloads), sum(shares), sum(visitors)
FROM (
  SELECT subject_kind, subject_id, day, link_id, views, plays, downloads, shares, 0 AS visitors
  FROM engagement_days WHERE subject_kind <> 'owner'
  UNION ALL
  SELECT subject_kind, subject_id, day, link_id, 0, 0, 0, 0, visitors FROM engagement_returns
  WHERE last_day = '-infinity'
) AS rollups
GROUP BY 1, 2, 3, 4;
