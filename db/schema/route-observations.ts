import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

/**
 * What an instance has observed of a route lately. An evaluation deletes it; until then a newer report replaces it, so
 * there is at most one row for each instance and route. The counts are those of `migration/model/stop`. Unlogged: a database crash loses a few seconds of them.
 */
export const routeObservations = pgTable(
  'route_observations',
  {
    instanceId: text().notNull(),
    label: text().notNull(),
    report: jsonb().notNull(),
    reportedAt: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.instanceId, table.label] })],
)

/**
 * What all instances together have observed of a route since its state was last changed, and of all routes under the label
 * `*`. `breaker NAME` says since when a breaker is reported as open. Unlogged as well.
 */
export const fleetObservations = pgTable('fleet_observations', {
  label: text().primaryKey(),
  observed: jsonb().notNull(),
})

/** How each side usually serves a route: what native is compared with after a restart, and where it serves all requests. */
export const routeBaseline = pgTable(
  'route_baseline',
  {
    label: text().notNull(),
    side: text({ enum: ['core', 'native'] }).notNull(),
    baseline: jsonb().notNull(),
    writtenAt: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.label, table.side] })],
)
